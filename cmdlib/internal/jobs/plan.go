// Package jobs is what all jobs of many processes that share a folder have: a plan, and damaged files that are made anew.
package jobs

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
)

// WritePlan writes a plan as JSON to a file of the folder dir, which it makes with the given folders in it. The same plan is left as it is; another one is
// an error.
func WritePlan(dir, name string, plan any, folders ...string) error {
	content, err := json.MarshalIndent(plan, "", "\t")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	if there, err := os.ReadFile(path); err == nil && string(there) != string(content) {
		return fmt.Errorf("%s: there is another job, of other text or with other settings: choose another folder, or remove that one", path)
	}
	for _, folder := range folders {
		if err := disk.MkdirAll(filepath.Join(dir, folder)); err != nil {
			return err
		}
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return atomicfile.WriteBytes(path, content)
}

// ReadPlan reads what WritePlan has written, and removes what killed processes left in dir and these folders of it. The error is fs.ErrNotExist where there
// is no plan; one that is damaged, or that validate refuses, ends with what mends it.
func ReadPlan(dir, name string, plan any, validate func() error, mends string, folders ...string) (digest [32]byte, err error) {
	path := filepath.Join(dir, name)
	content, err := bounded.ReadFile(path, 1<<30)
	if err != nil {
		return digest, err
	}
	if err := json.Unmarshal(content, plan); err != nil {
		return digest, fmt.Errorf("%s: %w; %s", path, err, mends)
	}
	if err := validate(); err != nil {
		return digest, fmt.Errorf("%s: %w; %s", path, err, mends)
	}
	for _, folder := range append([]string{""}, folders...) {
		atomicfile.Sweep(filepath.Join(dir, folder))
	}
	return sha256.Sum256(content), nil
}
