package trainers

// Result is what a training on counts makes.
type Result struct {
	// Vectors holds a vector of each word, as the training's package says, in row-major order.
	Vectors []float32
	// Loss is the mean loss in each pass over the counts, of each of them before its own update.
	Loss []float64
}
