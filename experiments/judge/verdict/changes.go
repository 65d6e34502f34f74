package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"contextmover/experiments/harness/dataset"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

// ClaimChange is a claim whose verdict is another one than an earlier verdict had.
type ClaimChange struct {
	ID, Was, Now string
	Reason       string // of the verdict now
}

func (c ClaimChange) String() string {
	return fmt.Sprintf("%s was %q, is %q: %s", c.ID, c.Was, c.Now, c.Reason)
}

// ChangedClaims compares the claims with those of a verdict that JSON wrote to path earlier,
// under the paper's settings. A claim that only one of the two has is left out; so are all if
// there is no such file.
func (r *Report) ChangedClaims(path string) ([]ClaimChange, error) {
	text, err := bounded.ReadFile(path, bounded.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	var earlier struct {
		Claims []struct{ ID, Verdict string } `json:"claims"`
	}
	if err := json.Unmarshal(text, &earlier); err != nil {
		return nil, fmt.Errorf("verdict: %s: %v; remove the file, repro verify writes it anew: %w",
			path, jsonerror.Explain(err), dataset.ErrData)
	}
	was := map[string]string{}
	for _, c := range earlier.Claims {
		was[c.ID] = c.Verdict
	}
	var changes []ClaimChange
	for _, c := range r.Claims {
		if w, ok := was[c.ID]; ok && w != c.Verdict {
			changes = append(changes, ClaimChange{c.ID, w, c.Verdict, c.Reason})
		}
	}
	return changes, nil
}
