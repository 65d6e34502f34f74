package create

import (
	"strings"
	"testing"
)

// A size is refused, or is positive and what its number and unit say.
func FuzzByteSize(f *testing.F) {
	for _, text := range []string{"2GB", "500 MB", "1.5gib", "1", "0", "-1", "1e30", "NaN", "infT", "0x1p3k", "KB", "1iB", "9223372036854775807", "8589934592GiB", "1_000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var size ByteSize
		if err := size.UnmarshalText([]byte(text)); err != nil {
			if !strings.Contains(err.Error(), "expected a size such as") {
				t.Fatal(err)
			}
			return
		}
		if size < 1 {
			t.Fatalf("%q is %d bytes", text, size)
		}
		var again ByteSize
		if err := again.UnmarshalText([]byte(strings.ToUpper(" " + text + " "))); err != nil || again != size {
			t.Fatalf("%q is %d bytes, in capitals %d (%v)", text, size, again, err)
		}
	})
}
