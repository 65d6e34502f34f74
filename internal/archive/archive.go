// Package archive reads files in zip archives as streams. A file in an archive is named as if the archive were a
// folder: glove.zip/glove.6B.300d.txt.
package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zip"

	"contextmover/internal/textfiles"
)

// Split splits "glove.zip/glove.6B.300d.txt" into the path of an archive, which is there, and the name of the file in
// it. Any other path it returns whole, with the name "".
func Split(path string) (archive, name string) {
	archive, name, _ = strings.Cut(filepath.ToSlash(path), ".zip/")
	archive = filepath.FromSlash(archive) + ".zip"
	if info, err := os.Stat(archive); name == "" || err != nil || !info.Mode().IsRegular() {
		return path, ""
	}
	return archive, name
}

// Is reports whether a file that can be read more than once begins as a zip archive does, which may be empty.
func Is(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && (string(magic[:]) == "PK\x03\x04" || string(magic[:]) == "PK\x05\x06")
}

// Open opens the file of the given name in an archive, or its only file if the name is "". Its errors say what to do
// about the archive, which they leave to the caller to name; those of reading name it.
func Open(archive, name string) (io.ReadCloser, error) {
	z, err := zip.OpenReader(archive)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("is no zip archive, or a damaged one; fetch it again: %w", err)
	} else if err != nil {
		return nil, err
	}
	f, err := openMember(&z.Reader, archive, name)
	if err != nil {
		z.Close()
		return nil, err
	}
	return member{f, z, archive}, nil
}

// openMember opens the file of the given name, or the only one. What macOS adds to archives does not count.
func openMember(z *zip.Reader, archive, name string) (io.ReadCloser, error) {
	var names []string
	var found []*zip.File
	for _, f := range z.File {
		if f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		names = append(names, f.Name)
		if name == "" || name == f.Name {
			found = append(found, f)
		}
	}
	list := textfiles.Names(names)
	switch {
	case len(names) == 0:
		return nil, errors.New("the archive is empty, expected a file in it")
	case len(found) == 0:
		return nil, fmt.Errorf("the archive has no file %q, but %s", name, list)
	case len(found) > 1:
		return nil, fmt.Errorf("the archive has %d files, %s; name one of them, as in %s/%s, or unpack the one that "+
			"you mean", len(found), list, archive, names[0])
	}
	r, err := found[0].Open()
	if err != nil {
		return nil, fmt.Errorf("%q: damaged zip archive, fetch it again, or unpack it if it is sound: %w",
			found[0].Name, err)
	}
	return r, nil
}

// member reads a file in an archive, and closes both.
type member struct {
	io.ReadCloser
	z       *zip.ReadCloser
	archive string
}

func (m member) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: damaged zip archive, fetch it again: %w", m.archive, err)
	}
	return n, err
}

func (m member) Close() error { return errors.Join(m.ReadCloser.Close(), m.z.Close()) }
