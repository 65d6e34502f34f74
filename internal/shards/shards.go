// Package shards reads what lies next to the shards of a prepared text: the index of their documents.
package shards

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
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

	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
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
// documents that overlap. So is an index that does not have the checksum in corpus.json.
func Documents(files []string) (map[string][]Document, error) {
	folders := make(map[string]map[string][]string) // paths by folder and name
	for _, path := range files {
		dir, name := filepath.Split(path)
		if folders[dir] == nil {
			folders[dir] = make(map[string][]string)
		}
		folders[dir][name] = append(folders[dir][name], path)
	}
	documents := make(map[string][]Document)
	for dir, names := range folders {
		if err := readIndex(dir, names, documents); err != nil {
			return nil, fmt.Errorf("prepare: %w: prepare the text again", err)
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

// indexSum returns the checksum that an index must have.
func indexSum(dir string) (string, error) {
	path := filepath.Join(dir, ManifestName)
	text, err := bounded.ReadFile(path, bounded.Document)
	if err != nil {
		return "", err
	}
	var m struct {
		SHA256 map[string]string `json:"sha256"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return "", fmt.Errorf("%s: %w", path, jsonerror.Explain(err))
	}
	return m.SHA256[IndexName], nil
}

// readIndex adds the documents of the named files to those of their paths.
func readIndex(dir string, names map[string][]string, documents map[string][]Document) error {
	path := filepath.Join(dir, IndexName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	in := bufio.NewScanner(io.TeeReader(f, sum))
	in.Buffer(nil, 1<<20)
	lists := make(map[string][]Document)
	for number := 1; in.Scan(); number++ {
		if number == 1 {
			if in.Text() != IndexHeader {
				return nil // something else of that name
			}
			continue
		}
		fields := strings.Split(in.Text(), "\t")
		if want := strings.Count(IndexHeader, "\t") + 1; len(fields) != want {
			return fmt.Errorf("%s:%d: %d fields, expected %d", path, number, len(fields), want)
		}
		if names[fields[0]] == nil {
			continue
		}
		first, err := strconv.ParseInt(fields[1], 10, 48)
		lines, wrong := strconv.ParseInt(fields[2], 10, 48)
		if err != nil || wrong != nil || first < 1 || lines < 1 {
			return fmt.Errorf("%s:%d: a document of %q lines from line %q on, expected positive numbers",
				path, number, fields[2], fields[1])
		}
		name := strings.Clone(fields[0])
		lists[name] = append(lists[name], Document{FirstLine: first, Lines: lines, Title: strings.Clone(fields[4])})
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	want, err := indexSum(dir)
	if err != nil {
		return err
	}
	if is := fmt.Sprintf("%x", sum.Sum(nil)); is != want {
		return fmt.Errorf("%s is damaged: its SHA-256 is %s, expected %s (%s)", path, is, want, ManifestName)
	}
	for name, list := range lists {
		slices.SortStableFunc(list, func(a, b Document) int { return int(a.FirstLine - b.FirstLine) })
		for i := 1; i < len(list); i++ {
			if a, b := list[i-1], list[i]; a.FirstLine+a.Lines > b.FirstLine {
				return fmt.Errorf("%s: %q begins in line %d of %s, within %q, which lies in lines %d to %d",
					path, b.Title, b.FirstLine, name, a.Title, a.FirstLine, a.FirstLine+a.Lines-1)
			}
		}
		for _, at := range names[name] {
			documents[at] = list
		}
	}
	return nil
}
