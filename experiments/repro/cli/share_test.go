package cli

import (
	"slices"
	"testing"
)

// Every number is in exactly one share.
func TestShares(t *testing.T) {
	for _, n := range []int{0, 1, 5, 12} {
		for _, shares := range []int{1, 3, 20} {
			var all []int
			for i := range shares {
				all = slices.AppendSeq(all, Share{i + 1, shares}.Indices(n))
			}
			slices.Sort(all)
			if want := slices.Collect(Share{}.Indices(n)); !slices.Equal(all, want) || len(all) != n {
				t.Errorf("%d shares of %d: %v, want %v", shares, n, all, want)
			}
		}
	}
	var s Share
	if err := s.UnmarshalText([]byte("3/8")); err != nil || s != (Share{3, 8}) {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"", "1", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/2/3"} {
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
