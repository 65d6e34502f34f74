package cpu

import (
	"context"

	"contextmover/cmdlib/ot"
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
	p = p.Normalised()
	taken := false
	err = (&pairs{kernels: kernels, ctx: ctx, p: p}).solve(1,
		func(bool) (int, bool, error) {
			first := !taken
			taken = true
			return 0, first, nil
		},
		func(_ int, found ot.Result, _ solution) error {
			result = found
			return nil
		})
	return result, err
}
