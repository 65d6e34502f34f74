package trainers

import (
	"fmt"
	"log/slog"
)

// Result is what a training on counts makes.
type Result struct {
	// Vectors holds a vector of each word, as the training's package says, in row-major order.
	Vectors []float32
	// Loss is the mean loss in each pass over the counts, of each of them before its own update.
	Loss []float64
}

// Add adds the loss of a pass, and logs it.
func (r *Result) Add(pass string, loss float64) {
	r.Loss = append(r.Loss, loss)
	slog.Info(pass, "number", len(r.Loss), "loss", fmt.Sprintf("%.5f", loss))
}
