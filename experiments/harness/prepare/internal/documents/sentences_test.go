package documents

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func sentencesOf(p string) (list []string) {
	sentences(p, false, func(s string) { list = append(list, s) })
	return list
}

// Each case is a paragraph with | where sentences end.
func TestSentences(t *testing.T) {
	for _, c := range []string{
		`He left.|She stayed.`,
		`"Who is it?" asked Amyas.|"Your mother."`,
		`"Stop!" John cried.|"Stop!" cried John.`,
		`"Stop!" Mr. John Smith said.|He did.`,
		`"Vain babies!"|And Hereward laughed.`,
		`"Well!"|He came in.`,
		`"It is late."|The old man rose.`,
		// Titles, initials, acronyms.
		`Mr. Bellew met Mrs. J. K. Lodge, St. Peter and Capt. Brown.|They left.`,
		`In Bellew v. Bellew the court of the U.S. Army sat.|It was in the U.S.|The judge rose at 5 p.m.|He slept.`,
		`Salmon P. Chase and William H. Seward came.`,
		`It was I.|He knew.`,
		`So did we, you and I.|Nobody else did.`,
		`Louis XIV.|Madame came.`,
		// Numbers of volumes, pages, chapters.
		`See vol. ii. p. 54, chap. iv. of it, No. 5, and Lib. II. c. xvi. there.|It is long.`,
		`No.|I will not.`,
		`He said no.|The rest agreed.`,
		`"No. 5," he said.`,
		`On Feb. 3 it began.|By Sept. 9 it was over.`,
		`1. The first of them.|It is short.`,
		// Words that may end a sentence.
		`Dogs, cats, etc. of theirs, and etc. Smith.|There are more.`,
		`Tom Brown, Jr. Smith, and others.|He sold it to Brown & Co.|The price was high.`,
		`They came from Boston, Mass. to Quincy.|He came from Boston, Mass.|He left.`,
		`It weighs e.g. 5 kg, i.e. Much.`,
		// Elided words, and dots.
		`Give it to 'm.|And go.`,
		`"I'd like to see 'em," he said.|"Catch 'em."|So he did.`,
		`He wouldn't...|Then he would... perhaps.`,
		`Wait… no.|What…?|He waited.`,
		// Brackets, money, lost blanks.
		`He left (she stayed).|Then it rained.|(It had to.)|So.`,
		`It was cheap.|£5 was enough.|$3 was not.`,
		`It is the end.|The next begins.`,
		`This is the end.The`, // as cut below
		`He lives at node.js and example.com now.`,
	} {
		if c == `This is the end.The` {
			if got := sentencesOf("This is the end.The next begins."); !slices.Equal(got, []string{"This is the end.", "The next begins."}) {
				t.Errorf("run together: %q", got)
			}
			continue
		}
		want := strings.Split(c, "|")
		if got := sentencesOf(strings.Join(want, " ")); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// gold reads testdata/sentences.txt: paragraphs of sentences, and what kind of source each is from.
func gold(t *testing.T) (paragraphs [][]string, kinds []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(p, "\n")
		kind, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "# "), ":")
		if kind != "book" && kind != "wikipedia" {
			continue
		}
		paragraphs, kinds = append(paragraphs, lines[1:]), append(kinds, kind)
	}
	return paragraphs, kinds
}

// The ends found in text that was divided by hand.
func TestSentencesOfGold(t *testing.T) {
	paragraphs, kinds := gold(t)
	for _, of := range []string{"book", "wikipedia"} {
		var right, wrong, missed, all int
		for i, want := range paragraphs {
			if kinds[i] != of {
				continue
			}
			all += len(want)
			ends := map[int]bool{}
			at := 0
			for _, s := range want[:len(want)-1] {
				at += len(s) + 1
				ends[at] = true
			}
			at = 0
			got := sentencesOf(strings.Join(want, " "))
			for _, s := range got[:len(got)-1] {
				if at += len(s) + 1; ends[at] {
					right++
				} else {
					wrong++
					t.Logf("ends within a sentence: %q", s)
				}
				delete(ends, at)
			}
			missed += len(ends)
			if len(ends) > 0 {
				t.Logf("missed in %q", got)
			}
		}
		if all < 120 {
			t.Fatalf("%d sentences of %s, expected the whole file", all, of)
		}
		precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
		t.Logf("%s: %d sentences, precision %.3f, recall %.3f", of, all, precision, recall)
		if precision < 0.97 || recall < 0.97 {
			t.Errorf("%s: precision %.3f, recall %.3f, expected at least 0.97", of, precision, recall)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add(`"Stop!" Mr. J. Smith said. It was vol. ii. p. 5 ... (No.) £5.`)
	f.Add("a.The b. 'm. …é.")
	f.Fuzz(func(t *testing.T, p string) {
		p = clean(p)
		// Nothing is lost, whatever the text is.
		if got := strings.ReplaceAll(strings.Join(sentencesOf(p), ""), " ", ""); got != strings.ReplaceAll(p, " ", "") {
			t.Errorf("%q became %q", p, got)
		}
	})
}
