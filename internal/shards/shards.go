// Package shards reads what lies next to the shards of a prepared text: the index of their documents.
package shards

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The files that lie next to the shards.
const (
	// IndexName is the index of documents.
	IndexName = "index.tsv"
	// LeftOutName lists what was left out, and why.
	LeftOutName = "left-out.tsv"
	// ManifestName is the account of the parts, with the checksums of all files.
	ManifestName = "corpus.json"
)

// IndexHeader is the first line of the index.
const IndexHeader = "shard\tfirst_line\tlines\ttokens\ttitle\tauthor\tsource\tlicence"

// Document is where a document lies in a shard: Lines lines from FirstLine, the first of which is 1.
type Document struct {
	FirstLine, Lines int64
	Title            string
}

// Documents returns the documents of those files that are shards of a prepared text, by the index that lies next to
// them, in the order of their lines. Other files are not in the map. A malformed line of an index is an error, as are
// documents that overlap.
func Documents(files []string) (map[string][]Document, error) {
	indexes := make(map[string]map[string][]Document) // by folder
	documents := make(map[string][]Document)
	for _, path := range files {
		dir, name := filepath.Split(path)
		if indexes[dir] == nil {
			index, err := readIndex(filepath.Join(dir, IndexName))
			if err != nil {
				return nil, fmt.Errorf("prepare: %w: prepare the text again", err)
			}
			indexes[dir] = index
		}
		if list := indexes[dir][name]; list != nil {
			documents[path] = list
		}
	}
	return documents, nil
}

// Beside reports whether a file lies next to the shards of a prepared text and is no text itself: the index, what was
// left out, the account of the parts. A file of such a name counts as text where its folder has no index.
func Beside(path string) bool {
	dir, name := filepath.Split(path)
	return (name == IndexName || name == LeftOutName || name == ManifestName) && hasIndex(dir)
}

// shardNames are those of prepared shards.
var shardNames = regexp.MustCompile(`^(books|wikipedia|text|json)-[0-9]{2}\.txt\.zst$`)

// IsShard tells whether a file is a shard that preparing has written: it
// has the name of one, and such an index lies in its folder.
func IsShard(path string) bool {
	dir, name := filepath.Split(path)
	return shardNames.MatchString(name) && hasIndex(dir)
}

func hasIndex(dir string) bool {
	f, err := os.Open(filepath.Join(dir, IndexName))
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, len(IndexHeader)+1)
	_, err = io.ReadFull(f, first)
	return err == nil && string(first) == IndexHeader+"\n"
}

// readIndex returns the documents of each shard; none without an index.
func readIndex(path string) (map[string][]Document, error) {
	shards := make(map[string][]Document)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return shards, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for number := 1; in.Scan(); number++ {
		if number == 1 {
			if in.Text() != IndexHeader {
				return shards, nil // something else of that name
			}
			continue
		}
		fields := strings.Split(in.Text(), "\t")
		if want := strings.Count(IndexHeader, "\t") + 1; len(fields) != want {
			return nil, fmt.Errorf("%s:%d: %d fields, expected %d", path, number, len(fields), want)
		}
		first, err := strconv.ParseInt(fields[1], 10, 48)
		lines, wrong := strconv.ParseInt(fields[2], 10, 48)
		if err != nil || wrong != nil || first < 1 || lines < 1 {
			return nil, fmt.Errorf("%s:%d: a document of %q lines from line %q on, expected positive numbers",
				path, number, fields[2], fields[1])
		}
		d := Document{FirstLine: first, Lines: lines, Title: strings.Clone(fields[4])}
		shards[fields[0]] = append(shards[fields[0]], d)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for name, list := range shards {
		slices.SortStableFunc(list, func(a, b Document) int { return int(a.FirstLine - b.FirstLine) })
		for i := 1; i < len(list); i++ {
			if a, b := list[i-1], list[i]; a.FirstLine+a.Lines > b.FirstLine {
				return nil, fmt.Errorf("%s: %q begins in line %d of %s, within %q, which lies in lines %d to %d",
					path, b.Title, b.FirstLine, name, a.Title, a.FirstLine, a.FirstLine+a.Lines-1)
			}
		}
	}
	return shards, nil
}
