// Package trainers holds the word vectors that tables compare with those of singular values: each package below trains
// one kind, from counts or from text, and scores pairs of words by it where its authors say how.
package trainers
