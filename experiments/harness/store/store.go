// Package store keeps what a stage of an experiment has made, so that it is made
// once: folders of plain files, found by what they were made from.
//
// The key of an artefact is the SHA-256 of its stage's name and version, its parameters and the keys of its inputs.
// It lies in <store>/<stage>/<start of key>/ next to two files of the store's own. meta.json has key, stage, version,
// parameters, inputs, and the size and SHA-256 of every file; it has the same bytes wherever the artefact is made.
// It is the only record of what was made from what. made.json says when, in what time and by which build; no
// checksum covers it.
//
// An artefact is made under a temporary name, synced to the disk, and renamed into
// place whole, so neither an interruption nor a full disk leaves a wrong one. A
// damaged artefact is reported and made again, never used; what was made from it before
// is sound, for inputs are verified, once a process, before anything is made from them. Several processes
// may share a store, from which nothing is removed by hand while more than one of them lives.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

// Store is a folder of artefacts. Its methods may be called concurrently.
type Store struct {
	dir string

	memory  memory // of nodes
	running singleflight.Group

	sound sync.Map // keys of what was verified or made in this process
	users atomicfile.Shared
}

// users are the locks on the stores that this process has opened, by folder: they tell other processes that artefacts
// are in use, and last until the process ends.
var users struct {
	sync.Mutex
	locks map[string]atomicfile.Shared
}

// Variable is the variable of the environment that names a folder for the store.
const Variable = "CONTEXTMOVER_STORE"

// DefaultDir returns the folder that Variable names, or else contextmover in the user's cache folder.
func DefaultDir() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf(
			"store: no cache folder (%w): name a folder with --store DIR or the variable %s", err, Variable,
		)
	}
	return filepath.Join(cache, "contextmover"), nil
}

// Open opens the store in the folder dir, which is made if it does not exist. It removes what ended processes have
// left unfinished there, where the system has locks to tell that they ended. It fails while another process removes
// artefacts.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := disk.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("store: %w: name another folder with --store DIR", err)
	}
	s := &Store{dir: dir}
	if s.users, err = use(dir); err != nil {
		return nil, err
	}
	atomicfile.RemoveLeftovers(s.unfinished())
	return s, nil
}

// use shares the store in a folder with other processes, once for this one. Without locks there is nothing to share.
func use(dir string) (atomicfile.Shared, error) {
	users.Lock()
	defer users.Unlock()
	if shared, ok := users.locks[dir]; ok {
		return shared, nil
	}

	shared, err := atomicfile.Share(dir)
	if errors.Is(err, atomicfile.ErrLocked) {
		return shared, fmt.Errorf(
			"store: another process is removing artefacts of %s: try again when it has ended", dir,
		)
	}
	if users.locks == nil {
		users.locks = map[string]atomicfile.Shared{}
	}
	users.locks[dir] = shared
	return shared, nil
}

// Dir returns the store's folder as an absolute path.
func (s *Store) Dir() string { return s.dir }

// Get returns the folder of the stage's artefact, whose files must not be changed.
// If the store has none, build makes it: it writes files (not named meta.json or
// made.json) into the empty folder dir and returns nil.
//
// The checksums of an artefact that is already there are verified the first time a process gets it. Those of the
// stage's inputs in the store are verified before build is called. If they do not agree, a warning names the files,
// and what is damaged is removed and, when it is wanted, made again. Concurrent Gets of one key build once; when two
// processes make the same artefact, the first to finish wins and both use its copy.
//
// An error of build is returned as it is, and nothing is kept, except that a full
// disk comes back as a *FullError.
func (s *Store) Get(
	ctx context.Context, stage Stage, build func(ctx context.Context, dir string) error,
) (dir string, err error) {
	key := stage.Key()
	final := s.path(stage.Name, key)
	_, err = s.once(ctx, "folder "+key, func(ctx context.Context) (any, error) {
		if s.isSound(key) && exists(filepath.Join(final, metaName)) { // else removed since
			return nil, nil
		}
		return nil, s.obtain(ctx, stage, key, build)
	})
	if err != nil {
		return "", err
	}
	s.sound.Store(key, true)
	return final, nil
}

// once returns what f returns for a key, or what it returns to another who asked before it has ended. It does not note
// reads of f. If the other gives up because their context ends, f is called for this one.
func (s *Store) once(ctx context.Context, key Key, f func(ctx context.Context) (any, error)) (any, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		own := false
		value, err, _ := s.running.Do(string(key), func() (any, error) {
			own = true
			return f(context.WithValue(ctx, readsKey{}, nil))
		})
		if own || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			return value, err
		}
	}
}

func (s *Store) isSound(key Key) bool {
	_, sound := s.sound.Load(key)
	return sound
}

func (s *Store) obtain(
	ctx context.Context, stage Stage, key Key, build func(context.Context, string) error,
) error {
	final := s.path(stage.Name, key)
	if ok, err := s.verified(ctx, final, key); ok || err != nil {
		return err
	}
	if err := s.verifyInputs(ctx, stage); err != nil {
		return err
	}
	temporary, release, err := s.temporary()
	if err != nil {
		return s.explain(err, stage)
	}
	defer release()
	start := time.Now()
	if err = build(ctx, temporary); err == nil {
		err = seal(ctx, temporary, stage, start)
	}
	if err == nil {
		err = s.place(ctx, temporary, final, key)
	}
	return s.explain(err, stage)
}

// verified reports whether a sound artefact is in the folder final. A damaged one is removed.
func (s *Store) verified(ctx context.Context, final string, key Key) (bool, error) {
	damage, err := check(ctx, final, key)
	if err != nil || len(damage) == 0 {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	for _, d := range damage {
		slog.Warn("store: damaged artefact, making it again", "artefact", final, "file", d.File, "problem", d.Problem)
	}
	return false, s.discard(final)
}

// verifyInputs verifies the inputs of a stage that are in the store, each once a process:
// what is made from them is not to depend on how it opens them.
func (s *Store) verifyInputs(ctx context.Context, stage Stage) error {
	for _, key := range stage.Inputs {
		if s.isSound(key) {
			continue
		}
		dir, err := s.lookup(key)
		if err != nil {
			return err
		}
		if dir == "" {
			continue
		}
		ok, err := s.verified(ctx, dir, key)
		if err != nil {
			return err
		}
		if ok {
			s.sound.Store(key, true)
		}
	}
	return nil
}

// lookup returns the folder of the artefact with a key, "" if there is none. It looks by name in the folder of each
// stage: listing these, which may have thousands, takes longer than to read an artefact.
func (s *Store) lookup(key Key) (string, error) {
	start := string(key[:min(len(key), nameLength)])
	if !isName(start) {
		return "", nil
	}
	stages, err := os.ReadDir(s.dir)
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	for _, name := range stages {
		if dir := filepath.Join(s.dir, name.Name(), start); exists(dir) {
			return dir, nil
		}
	}
	return "", nil
}

// place renames a finished artefact to its final name, or leaves it where it is if
// another process has put a sound one there.
func (s *Store) place(ctx context.Context, temporary, final string, key Key) error {
	if err := disk.MkdirAll(filepath.Dir(final)); err != nil {
		return err
	}
	for {
		err := disk.Rename(temporary, final)
		if err == nil {
			return disk.SyncFolder(filepath.Dir(final))
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if sound, err := s.verified(ctx, final, key); sound || err != nil {
			return err
		}
	}
}

// discard removes a damaged artefact, in one step.
func (s *Store) discard(final string) error {
	temporary, release, err := s.temporary()
	if err != nil {
		return err
	}
	defer release()
	if err := disk.Rename(final, filepath.Join(temporary, "damaged")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: a damaged artefact cannot be set aside: %w", err)
	}
	return nil
}

// Find returns the folder of a stage's artefact, and false if the store does not have it.
// It looks at meta.json and the sizes of the files but, unlike Get, reads no contents,
// so it is quick for artefacts of any size. What makes an artefact must not use it.
func (s *Store) Find(stage Stage) (dir string, ok bool) {
	key := stage.Key()
	dir = s.path(stage.Name, key)
	m, err := readMeta(dir)
	if err != nil || m.Key != key || len(m.compareSizes(dir)) > 0 {
		return "", false
	}
	return dir, true
}

// Has tells whether Find finds the artefact.
func (s *Store) Has(stage Stage) bool {
	_, ok := s.Find(stage)
	return ok
}

// Info describes an artefact.
type Info struct {
	Key      Key // only its start if meta.json is damaged
	Stage    string
	Version  int
	Params   string // JSON
	From     []Key  // the artefacts and data that it was made from
	Files    []File
	Size     int64 // bytes of all files on the disk
	Dir      string
	Made     time.Time     // zero if made.json is damaged
	Duration time.Duration // of the making
	By       string        // the build that made it
	Subject  string        // what it is of, in a few words; empty if that was not said
	Damage   error         // what is wrong with meta.json, or nil
}

// List returns all artefacts, sorted by stage and key. It reads no contents.
func (s *Store) List() ([]Info, error) {
	folders, err := s.artefacts("")
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, dir := range folders {
		infos = append(infos, describe(dir))
	}
	return infos, nil
}

func describe(dir string) Info {
	info := Info{Key: Key(filepath.Base(dir)), Stage: filepath.Base(filepath.Dir(dir)), Dir: dir, Size: sizeOf(dir)}
	if m, err := readMeta(dir); err != nil {
		info.Damage = err
	} else {
		info.Key, info.Stage, info.Version, info.Files = m.Key, m.Stage, m.Version, m.Files
		info.Params = string(m.Params)
		for _, key := range m.Inputs {
			info.From = append(info.From, Ref{key, m.Through[key]}.behind()...)
		}
	}
	if m, err := readMade(dir); err == nil {
		info.Made, info.By, info.Subject = m.Date, m.By, m.Subject
		info.Duration = time.Duration(m.Seconds * float64(time.Second))
	}
	return info
}

// Remove removes artefacts and returns how many. It removes none and fails where another process has opened the store,
// which may be about to read them.
func (s *Store) Remove(ctx context.Context, infos ...Info) (removed int, err error) {
	temporary, release, err := s.temporary()
	if err != nil {
		return 0, err
	}
	defer release()

	err = s.users.Alone(func() error {
		for i, info := range infos {
			if err := ctx.Err(); err != nil {
				return err
			}
			// Renamed first: nobody finds half an artefact.
			err := disk.Rename(info.Dir, filepath.Join(temporary, strconv.Itoa(i)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // one that is not there need not be removed
				return fmt.Errorf("store: %w", err)
			}
			removed++
		}
		return nil
	})
	if errors.Is(err, atomicfile.ErrLocked) {
		err = fmt.Errorf("store: another process uses %s: remove artefacts when it has ended", s.dir)
	}
	return removed, err
}

// Lookup describes the artefact with a key. The error is fs.ErrNotExist if the store has none.
func (s *Store) Lookup(key Key) (Info, error) {
	dir, err := s.lookup(key)
	if err != nil || dir == "" {
		return Info{}, cmp.Or(err, fs.ErrNotExist)
	}
	return describe(dir), nil
}

// Match describes the artefact whose key is or starts with key (at least four digits), and fails if there is none or
// more than one.
func (s *Store) Match(key Key) (Info, error) {
	if len(key) < 4 {
		return Info{}, fmt.Errorf("store: the key %q is too short, expected at least 4 digits", key)
	}
	folders, err := s.artefacts(string(key[:min(len(key), nameLength)]))
	switch {
	case err != nil:
		return Info{}, err
	case len(folders) == 0:
		return Info{}, fmt.Errorf("store: no artefact with the key %s in %s: `repro ls` lists them", key, s.dir)
	case len(folders) > 1:
		return Info{}, fmt.Errorf(
			"store: %d artefacts have a key that starts with %s: give more digits", len(folders), key,
		)
	}
	return describe(folders[0]), nil
}

// Damage is one thing that is wrong with an artefact.
type Damage struct {
	Dir     string // the artefact's folder
	File    string // in that folder
	Problem string
}

func (d Damage) String() string {
	return fmt.Sprintf("%s: %s", filepath.Join(d.Dir, d.File), d.Problem)
}

// Verify reads all artefacts and returns what is wrong with them. It changes nothing; Get makes damaged artefacts
// again.
func (s *Store) Verify(ctx context.Context) ([]Damage, error) {
	folders, err := s.artefacts("")
	if err != nil {
		return nil, err
	}
	var all []Damage
	for _, dir := range folders {
		damage, err := check(ctx, dir, "")
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return all, err
		}
		all = append(all, damage...)
	}
	return all, nil
}

// artefacts returns the artefacts' folders whose names have this start, sorted.
func (s *Store) artefacts(start string) (folders []string, err error) {
	names, err := fs.Glob(os.DirFS(s.dir), "*/"+start+"*")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	for _, name := range names {
		dir := filepath.Join(s.dir, filepath.FromSlash(name))
		known := exists(filepath.Join(dir, metaName)) || exists(filepath.Join(dir, madeName)) // else not the store's
		if known && isName(path.Base(name)) && checkStageName(path.Dir(name)) == nil {
			folders = append(folders, dir)
		}
	}
	return folders, nil
}

func (s *Store) path(stage string, key Key) string {
	return filepath.Join(s.dir, stage, string(key[:nameLength]))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// tmpName is the folder of what is being made.
const tmpName = "tmp"

// unfinished is the path next to which atomicfile makes the store's temporary folders.
func (s *Store) unfinished() string { return filepath.Join(s.dir, tmpName, "unfinished") }

// temporary makes a new folder, which release removes unless it has been renamed.
func (s *Store) temporary() (dir string, release func(), err error) {
	if err := disk.MkdirAll(filepath.Dir(s.unfinished())); err != nil {
		return "", nil, fmt.Errorf("store: %w", err)
	}
	if dir, release, err = atomicfile.Folder(s.unfinished()); err != nil {
		return "", nil, fmt.Errorf("store: %w", err)
	}
	return dir, release, nil
}
