// Package english has a space of English words that needs no download. It has vectors of the 100,000 most frequent
// words of novels and Wikipedia, and for 25,000 of them histograms over 300 clusters of contexts. It is a part of
// the program; README.md tells where it comes from and whose it is.
package english

import (
	_ "embed"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
)

//go:embed english.space
var content []byte

// Name is what the space is called.
const Name = "english"

// Open opens the space; engine solves its transport problems.
// Its words are read when it is opened, its histograms when they are first needed.
func Open(engine ot.Engine) (*cmdlib.Space, error) { return cmdlib.OpenBytes(content, engine) }
