package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
	"contextmover/internal/parallel"
)

// Key identifies an artefact: 64 hexadecimal digits.
type Key string

// nameLength is the number of the key's digits in a folder's name: 64 bits, so that
// two artefacts of a store never meet; meta.json has the whole key.
const nameLength = 16

func isName(s string) bool {
	return len(s) == nameLength && strings.Trim(s, "0123456789abcdef") == ""
}

// Stage says what an artefact is made from.
type Stage struct {
	// Name consists of lower-case letters, digits and hyphens.
	Name string
	// Version is raised whenever the stage makes something else from the same
	// parameters and inputs.
	Version int
	// Params is anything that json.Marshal takes. The order of its fields does not
	// matter, their names and values do, as json.Marshal writes them (an int 1 and
	// a float64 1 are the same).
	Params any
	// Inputs are the keys of the artefacts (or the checksums of other data) that the
	// stage reads, in the order in which it uses them.
	Inputs []Key

	subject string // what it is of, in a few words; no part of the key
	refs    []Ref  // the inputs, with what stands behind them
}

// identity is what a key is the hash of.
type identity struct {
	Stage   string          `json:"stage"`
	Version int             `json:"version"`
	Params  json.RawMessage `json:"params"`
	Inputs  []Key           `json:"inputs"`
}

// Key returns the SHA-256 of {"stage":…,"version":…,"params":…,"inputs":[…]},
// written without blanks and with the keys of all parameters sorted.
//
// It panics if the name is not one or the parameters cannot be written as JSON.
func (s Stage) Key() Key { return s.identity().key() }

func (s Stage) identity() identity {
	if err := checkStageName(s.Name); err != nil {
		panic("store: " + err.Error())
	}
	params, err := json.Marshal(s.Params)
	if err == nil {
		params, err = canonical(params)
	}
	if err != nil {
		panic(fmt.Sprintf("store: parameters of %s: %v", s.Name, err))
	}
	return identity{s.Name, s.Version, params, append([]Key{}, s.Inputs...)}
}

func (id identity) key() Key {
	text, err := encode(id, "")
	if err != nil {
		panic(fmt.Sprintf("store: %s: %v", id.Stage, err))
	}
	sum := sha256.Sum256(text)
	return Key(hex.EncodeToString(sum[:]))
}

func checkStageName(name string) error {
	if name == "" || name == tmpName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("the stage name %q should consist of lower-case letters, digits and hyphens and not be tmp",
			name)
	}
	return nil
}

// canonical returns the JSON text without blanks and with sorted keys.
func canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // no digit is lost
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return encode(v, "")
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	if indent != "" {
		return b.Bytes(), nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

const (
	metaName = "meta.json"
	madeName = "made.json"
)

// meta is meta.json.
type meta struct {
	Key Key `json:"key"`
	identity
	Through map[Key][]Key `json:"through,omitempty"` // what stands behind inputs, as in Ref
	Files   []File        `json:"files"`
}

// File is one file of an artefact.
type File struct {
	Name   string `json:"name"` // relative to the artefact's folder, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// made is made.json.
type made struct {
	Date    time.Time `json:"date"`
	Seconds float64   `json:"seconds"`
	By      string    `json:"by"`
	Subject string    `json:"of,omitempty"`
}

// readMeta reads and checks dir's meta.json: it must be byte for byte what the
// store would write for its contents.
func readMeta(dir string) (meta, error) {
	text, err := bounded.ReadFile(filepath.Join(dir, metaName), bounded.Document)
	if err != nil {
		return meta{}, err
	}
	var m meta
	if err := json.Unmarshal(text, &m); err != nil {
		return meta{}, fmt.Errorf("is no JSON: %v", err)
	}
	if m.Params, err = canonical(m.Params); err != nil {
		return meta{}, fmt.Errorf("has no parameters: %v", err)
	}
	again, err := encode(m, "  ")
	if err != nil || !bytes.Equal(again, text) {
		return meta{}, errors.New("was changed")
	}
	if m.identity.key() != m.Key {
		return meta{}, errors.New("has a key that is not that of its parameters")
	}
	return m, nil
}

func readMade(dir string) (m made, err error) {
	text, err := os.ReadFile(filepath.Join(dir, madeName))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// seal completes a new artefact in dir: syncs its files and writes meta.json and
// made.json.
func seal(ctx context.Context, dir string, stage Stage, start time.Time) error {
	id := stage.identity()
	m := meta{Key: id.key(), identity: id, Through: map[Key][]Key{}, Files: []File{}}
	for _, r := range stage.refs {
		if r.Through != nil {
			m.Through[r.Key] = r.Through
		}
	}
	var folders []string
	err := walk(dir, func(name string, info fs.FileInfo) error {
		switch {
		case name == metaName || name == madeName:
			return fmt.Errorf("store: the stage %s wrote a file called %s, a name of the store's own", stage.Name, name)
		case info.IsDir():
			folders = append(folders, name)
		case info.Mode().IsRegular():
			m.Files = append(m.Files, File{Name: name, Size: info.Size()})
		default:
			return fmt.Errorf("store: the stage %s made %s, which is no plain file", stage.Name, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	sums, err := m.sums(ctx, dir)
	if err != nil {
		return err
	}
	for i := range m.Files {
		m.Files[i].SHA256 = sums[i]
		if err := disk.SyncFile(filepath.Join(dir, filepath.FromSlash(m.Files[i].Name))); err != nil {
			return err
		}
	}
	now := time.Now()
	own := map[string]any{
		metaName: m,
		madeName: made{now.UTC().Truncate(time.Second), now.Sub(start).Seconds(), Program(), stage.subject},
	}
	for name, content := range own {
		text, err := encode(content, "  ")
		if err == nil {
			err = atomicfile.WriteBytes(filepath.Join(dir, name), text)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range append(folders, ".") {
		if err := disk.SyncFolder(filepath.Join(dir, filepath.FromSlash(f))); err != nil {
			return err
		}
	}
	return nil
}

// Program names the build of the running program.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return strings.TrimSpace(info.Path + " " + info.Main.Version)
}

// check compares the artefact in dir with its meta.json and, unless key is empty,
// with the key it should have. It fails with fs.ErrNotExist if dir does not exist.
func check(ctx context.Context, dir string, key Key) ([]Damage, error) {
	if _, err := os.Lstat(dir); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	m, err := readMeta(dir)
	switch {
	case err == nil && key != "" && m.Key != key:
		err = fmt.Errorf("belongs to the key %s, expected %s", m.Key, key)
	case err == nil && !strings.HasPrefix(string(m.Key), filepath.Base(dir)) && key == "":
		err = fmt.Errorf("belongs to the key %s", m.Key)
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("store: %w", err)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("is missing")
		}
		return []Damage{{dir, metaName, err.Error()}}, nil
	}
	if damage := m.compareSizes(dir); len(damage) > 0 {
		return damage, nil
	}
	sums, err := m.sums(ctx, dir)
	if err != nil {
		return nil, err
	}
	var damage []Damage
	for i, f := range m.Files {
		if sums[i] != f.SHA256 {
			problem := fmt.Sprintf("has the SHA-256 %s, expected %s", sums[i], f.SHA256)
			damage = append(damage, Damage{dir, f.Name, problem})
		}
	}
	return damage, nil
}

// sums returns the checksums of the files in dir.
func (m meta) sums(ctx context.Context, dir string) ([]string, error) {
	sums := make([]string, len(m.Files))
	err := parallel.Blocks(ctx, len(sums), 1, func(i, _ int) (err error) {
		sums[i], err = checksum.File(ctx, filepath.Join(dir, filepath.FromSlash(m.Files[i].Name)))
		return err
	})
	return sums, err
}

// compareSizes finds missing files, files of another size, and files too many.
func (m meta) compareSizes(dir string) []Damage {
	var damage []Damage
	found := make(map[string]fs.FileInfo)
	err := walk(dir, func(name string, info fs.FileInfo) error {
		if !info.IsDir() && name != metaName && name != madeName {
			found[name] = info
		}
		return nil
	})
	if err != nil {
		return []Damage{{dir, ".", err.Error()}}
	}
	for _, f := range m.Files {
		info := found[f.Name]
		delete(found, f.Name)
		switch {
		case info == nil:
			damage = append(damage, Damage{dir, f.Name, "is missing"})
		case !info.Mode().IsRegular():
			damage = append(damage, Damage{dir, f.Name, "is no plain file"})
		case info.Size() != f.Size:
			damage = append(damage, Damage{dir, f.Name, fmt.Sprintf("has %d bytes, expected %d", info.Size(), f.Size)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		damage = append(damage, Damage{dir, name, "is not part of the artefact"})
	}
	return damage
}

// walk calls f for everything below dir, in lexical order, with names relative to
// it and with slashes.
func walk(dir string, f func(name string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == dir {
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name), info)
	})
}

func sizeOf(dir string) (size int64) {
	_ = walk(dir, func(_ string, info fs.FileInfo) error {
		if !info.IsDir() {
			size += info.Size()
		}
		return nil
	})
	return size
}
