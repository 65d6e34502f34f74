package pipeline

import (
	"errors"
	"strings"
	"testing"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// Entailment vectors that the SVD vectors have too few dimensions
// for are refused as a setting, before anything is made.
func TestEntailmentDimensions(t *testing.T) {
	for dim, want := range map[string]string{"30": "", "29": "hypernymy.vectors.dim: 60, expected at most twice vectors.dim, 29"} {
		_, err := store.Keys(seeded(t, "vectors.dim="+dim, "hypernymy.vectors.dim=60").VectorsNode(profile.Entailment))
		var setting *profile.Error
		if (err == nil) != (want == "") || err != nil && (!errors.As(err, &setting) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", dim, err)
		}
	}
}
