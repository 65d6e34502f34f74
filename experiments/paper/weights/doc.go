// Package weights compares readings of how the paper weighed the words of a sentence, which it does not say. It
// compares them by what the paper printed of each set (sts_weights, a table of our own).
package weights
