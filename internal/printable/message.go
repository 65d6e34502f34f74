package printable

import (
	"regexp"
	"strings"
)

// internals are the packages whose name, in front of an error, tells a programmer where it comes from and
// anybody else nothing. Those that name what a person asked for, such as glove: or svd:, are none of them.
var internals = []string{
	"align", "cluster", "cmdlib", "corpus", "cpu", "dataset", "display", "documents",
	"embedding", "estimate", "exact", "figure", "ground", "knn",
	"miniworld", "mips", "notebook", "npy", "ot", "prepare", "published", "render", "report",
	"results", "score", "scratch", "search", "sentence", "sparse", "store", "tsne",
	"usage", "verdict",
}

var prefixes = regexp.MustCompile(`(^|: |\n)(?:(?:` + strings.Join(internals, "|") + `): )+`)

// Message returns the text of an error for a person who did not write the program: without the names of
// packages that Go's errors begin with, wherever one error wraps another.
func Message(err error) string { return prefixes.ReplaceAllString(err.Error(), "$1") }
