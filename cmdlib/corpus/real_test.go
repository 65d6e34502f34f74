package corpus

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// realData returns the files below the folder CONTEXTMOVER_DATA that match the
// pattern, and skips the test if there are none.
func realData(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("CONTEXTMOVER_DATA")
	if dir == "" {
		t.Skip("SKIPPED: set CONTEXTMOVER_DATA to the data folder to test on real data")
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		t.Skipf("SKIPPED: no %s in %s (%v)", pattern, dir, err)
	}
	return files
}

// TestRealSentences checks that all sentences of the STS files pass unchanged, except that characters are composed: one
// sentence has an accented Greek letter in a form that Unicode keeps for compatibility alone.
func TestRealSentences(t *testing.T) {
	sentences, composed := 0, 0
	for _, path := range realData(t, "sts/20*/*.tsv") {
		file, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			for _, s := range strings.Split(lines.Text(), "\t")[1:] {
				sentences++
				got, want := strings.Join(Tokenise(s), " "), string(Normal([]byte(s)))
				if got != want {
					t.Errorf("%s:\n got %s\nwant %s", path, got, want)
				}
				if want != s {
					composed++
				}
			}
		}
	}
	if want := 2 * 12544; sentences != want {
		t.Errorf("%d sentences, want %d", sentences, want)
	}
	if composed > 1 {
		t.Errorf("%d sentences are not in composed form, expected one", composed)
	}
}

// TestRealCorpus checks the figures of the data's README: tokens, vocabulary and
// non-zeros of the novels and the Wikipedia part together.
func TestRealCorpus(t *testing.T) {
	if testing.Short() || os.Getenv("CONTEXTMOVER_FULL") == "" {
		t.Skip("SKIPPED: set CONTEXTMOVER_FULL=1 to count the whole corpus (a minute, 4 GB)")
	}
	text := Text{Files: realData(t, "corpora/*.zst"), Tokenised: true}
	start := time.Now()
	v, stats, err := BuildVocabulary(t.Context(), text, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("vocabulary: %v, %+v, %d words, %d of their tokens", time.Since(start), stats, v.Len(), v.total)
	if stats.Tokens != 83_791_357 || stats.Lines != 3_666_631 || v.Len() != 98_492 {
		t.Errorf("%+v, %d words; want 83,791,357 tokens, 3,666,631 lines, 98,492 words", stats, v.Len())
	}
	start = time.Now()
	c, stats, err := Count(t.Context(), text, v, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("counts: %v, %+v, %d non-zeros", time.Since(start), stats, c.NonZeros())
	if c.NonZeros() != 94_630_363 {
		t.Errorf("%d non-zeros, want 94,630,363", c.NonZeros())
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	// Tokenising it again changes one line of 3.7 million, which ends in "papers.".
	text.Tokenised = false
	if w, stats, err := BuildVocabulary(t.Context(), text, 10, nil); err != nil || stats.Tokens != 83_791_358 || w.Len() != v.Len() {
		t.Errorf("tokenised again: %+v, %d words, error %v", stats, w.Len(), err)
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
