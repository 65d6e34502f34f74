package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
	"contextmover/internal/jsonerror"
)

// A manifest is a JSON object, indented by tabs, whose last field is the SHA-256 of the object without that field.
var sealed = regexp.MustCompile(`,\n\t"checksum": "([0-9a-f]{64})"\n\}$`)

// Seal adds the checksum to an object as json.MarshalIndent writes
// it with tabs. It panics if that is none, or has no field.
func Seal(object []byte) []byte {
	body, ok := bytes.CutSuffix(object, []byte("\n}"))
	if !ok {
		panic(fmt.Sprintf("checkpoint: %q is no indented object with a field", object))
	}
	return fmt.Appendf(nil, "%s,\n\t\"checksum\": \"%x\"\n}", body, sha256.Sum256(object))
}

func encode(value any) ([]byte, error) {
	object, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return nil, err
	}
	return Seal(object), nil
}

// WriteManifest writes a value, a struct or map with at least one field, as JSON with a checksum, whole or not at all.
func WriteManifest(path string, value any) error {
	content, err := encode(value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.WriteBytes(path, content)
}

// ReadManifest reads what WriteManifest has written, and returns the key of its content. The error is fs.ErrNotExist
// where there is nothing, and a *DamagedError for what was changed, was cut, or has a field that the value has not.
func ReadManifest(path string, value any) (Key, error) {
	content, err := bounded.ReadFile(path, 1<<30)
	if err != nil {
		return Key{}, err
	}
	at := sealed.FindSubmatchIndex(content)
	if at == nil {
		return Key{}, &DamagedError{path, "has no checksum at its end"}
	}
	object := append(content[:at[0]:at[0]], "\n}"...)
	key := Key(sha256.Sum256(object))
	if said := content[at[2]:at[3]]; string(said) != fmt.Sprintf("%x", key) {
		what := fmt.Sprintf("was changed since it was written: its SHA-256 is %x, expected %s", key, said)
		return Key{}, &DamagedError{path, what}
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	if err := d.Decode(value); err != nil {
		return Key{}, &DamagedError{path, jsonerror.Explain(err).Error()}
	}
	return key, nil
}

// WritePlan writes the plan of a job as a manifest to a file of the folder dir, which it makes with the
// given folders in it. The same plan is left as it is; another one, or one that is damaged, is an error.
func WritePlan(dir, name string, plan any, folders ...string) error {
	path := filepath.Join(dir, name)
	content, err := encode(plan)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	there, err := os.ReadFile(path)
	if err == nil && string(there) != string(content) {
		return fmt.Errorf("%s: there is another job, of other text or with other settings: choose another folder, "+
			"or remove that file if you know that it is damaged", path)
	}
	for _, folder := range folders {
		if err := disk.MkdirAll(filepath.Join(dir, folder)); err != nil {
			return err
		}
	}
	if there != nil {
		return nil
	}
	return atomicfile.WriteBytes(path, content)
}

// ReadPlan reads what WritePlan has written, and removes what killed processes left in dir and
// these folders of it. The key is that of the plan. The error is fs.ErrNotExist where there is
// no plan; that of one that is damaged, or that validate refuses, says how it is mended.
func ReadPlan(dir, name string, plan any, validate func() error, folders ...string) (Key, error) {
	path := filepath.Join(dir, name)
	key, err := ReadManifest(path, plan)
	if err == nil {
		err = validate()
	}
	if err != nil {
		return key, unfit(path, err)
	}
	for _, folder := range append([]string{""}, folders...) {
		atomicfile.Sweep(filepath.Join(dir, folder))
	}
	return key, nil
}

// unfit is the error of a plan that cannot be used, but can be written again.
func unfit(path string, err error) error {
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		err = errors.New(damaged.What)
	} else if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err // of the disk, or nothing is there
	}
	return fmt.Errorf("%s: %w: remove that file, and give the command again that made it, "+
		"with the same text and settings: what is finished stays", path, err)
}
