package create

import (
	"strings"
	"testing"
)

// What takes twice the memory that is free is refused, with both sizes and
// what to do; what may not take more is not, nor anything where nobody knows.
func TestAffordable(t *testing.T) {
	for _, c := range []struct {
		memory  int64
		known   bool
		refused bool
	}{{4e9, true, false}, {7e9, true, false}, {9e9, true, true}, {9e9, false, false}} {
		err := affordable(c.memory, func() (int64, bool) { return 4e9, c.known })
		if (err != nil) != c.refused {
			t.Errorf("%d bytes: %v", c.memory, err)
		}
		if err != nil && !(strings.Contains(err.Error(), "9.0 GB of memory, and 4.0 GB are free") && strings.Contains(err.Error(), "--min-count")) {
			t.Errorf("it says %v", err)
		}
	}
}
