package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"contextmover/cmdlib/align"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

// Aligned is a pair of sentences whose words somebody, or a system, has linked.
type Aligned struct {
	ID             string
	Source, Target []string // words, as the file separates them by blanks
	// Sure are the links, each once, in the order of the file. Possible are those that annotators were less sure of.
	Sure, Possible []align.Link
	// SourceChunks and TargetChunks number the chunk of each word, where chunks are linked, and so all their words;
	// nil where words are.
	SourceChunks, TargetChunks []int
}

// ReadAlignments reads aligned pairs. A file that ends in .json has a list as jacana-align has it, of objects with
// id, source, target, sureAlign and possibleAlign. One that ends in .wa has chunks as SemEval-2016 task 2. Any other
// has tab-separated lines as those of MultiMWA, with the id in field 1, the sentences in 2 and 4, and the links in 8
// and 9. Links are i-j, separated by blanks.
func ReadAlignments(path string) ([]Aligned, error) {
	if strings.HasSuffix(path, ".json") {
		return readAlignedJSON(path)
	}
	if strings.HasSuffix(path, ".wa") {
		return read(path, parseChunks)
	}
	return read(path, func(l *lines) ([]Aligned, error) {
		return each(l, "aligned pairs", func() (p Aligned, err error) {
			fields := strings.Split(l.text, "\t")
			if len(fields) < 9 {
				return p, l.errorf("%s, expected 9 or more: id, source, –, target, –, –, –, sure links, possible links",
					count(len(fields), "field"))
			}
			if p, err = aligned(fields[0], fields[1], fields[3], fields[7], fields[8]); err != nil {
				err = l.errorf("%v", err)
			}
			return p, err
		})
	})
}

func readAlignedJSON(path string) ([]Aligned, error) {
	text, err := bounded.ReadFile(path, bounded.Document)
	if errors.Is(err, os.ErrNotExist) {
		return nil, wrongFile(path, "there is no such file")
	}
	if err != nil {
		return nil, wrongFile(path, "cannot be read: %v", err)
	}
	var list []struct{ ID, Source, Target, SureAlign, PossibleAlign string }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, wrongFile(path, "%v; expected a JSON list of aligned pairs", jsonerror.Explain(err))
	}
	if len(list) == 0 {
		return nil, wrongFile(path, "no aligned pairs in the file")
	}
	var pairs []Aligned
	for i, p := range list {
		pair, err := aligned(p.ID, p.Source, p.Target, p.SureAlign, p.PossibleAlign)
		if err != nil {
			return nil, wrongFile(path, "pair %d (id %q): %v", i+1, p.ID, err)
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// aligned reads the fields of a pair.
func aligned(id, source, target, sure, possible string) (p Aligned, err error) {
	p = Aligned{ID: id, Source: strings.Fields(source), Target: strings.Fields(target)}
	if len(p.Source) == 0 || len(p.Target) == 0 {
		return p, errors.New("a sentence is empty, expected words separated by blanks")
	}
	if p.Sure, err = links(sure, len(p.Source), len(p.Target)); err != nil {
		return p, err
	}
	p.Possible, err = links(possible, len(p.Source), len(p.Target))
	return p, err
}

// links reads links between n and m words; one that stands twice counts once.
func links(text string, n, m int) (list []align.Link, err error) {
	seen := map[align.Link]bool{}
	for link := range strings.FieldsSeq(text) {
		from, to, _ := strings.Cut(link, "-")
		i, err1 := strconv.Atoi(from)
		j, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || i < 0 || i >= n || j < 0 || j >= m {
			return nil, fmt.Errorf("the link %s, expected i-j with i below %d and j below %d, the numbers of words",
				found(link), n, m)
		}
		if l := (align.Link{Source: i, Target: j}); !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
	}
	return list, nil
}
