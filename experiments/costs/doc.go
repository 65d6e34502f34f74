// Package costs scores sentences by transport of averages over ground costs that are thresholded, whitened, scaled or
// learned (table costs). It shows whether another geometry than the true one helps. It asks the
// built-in space, and those of other vectors.
package costs
