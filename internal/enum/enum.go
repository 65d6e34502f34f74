// Package enum checks values that are one of a few names.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Validate returns an error that starts with problem ("ground: unknown metric") and lists the names,
// unless v is one of them.
func Validate[T ~string](problem string, v T, names []T) error {
	if slices.Contains(names, v) {
		return nil
	}
	var known strings.Builder
	for i, n := range names {
		if i > 0 {
			known.WriteString(", ")
		}
		known.WriteString(string(n))
	}
	return fmt.Errorf("%s %q, expected one of: %s", problem, v, known.String())
}
