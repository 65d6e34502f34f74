package cpu

import (
	"context"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/scaling"
)

// Rectangle implements ot.Engine.
func (e Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (result ot.Result, err error) {
	p := r.Problem(b)
	kernels, err := e.validated(p)
	if err != nil {
		return result, err
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	q := &pairs{kernels, ctx, p.Normalised()}
	err = q.one(0, func(_ int, found *scaling.Solution) error {
		result = found.Result
		return nil
	})
	return result, err
}
