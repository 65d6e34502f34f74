package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		format    string
		files     []string
		published bool
		want      []Document
	}{
		{Labelled, []string{write("two-labels", "0\ttrain\tacq\n1\ttest\tearn\n"), write("two-texts", "a b\nc\n")}, true,
			[]Document{{"a b", "acq", false}, {"c", "earn", true}}},
		{Tweets, []string{write("tweets", "\"neutral\"\t hi\n")}, false, []Document{{" hi", "neutral", false}}},
		{Reviews, []string{write("dvd-positive.review", "<review>\n<review_text>\ngood\n\nfilm\n</review_text>\n</review>\n")}, false,
			[]Document{{"good  film", "dvd", false}}},
		{SMART, []string{write("CISI.ALL", ".I 1\n18 Editions\n.I 2\n.T\ntitle\n.A\nauthor\n.W\ntext\n")}, false,
			[]Document{{"18 Editions", "cisi", false}, {"title text", "cisi", false}}},
		{Halves, []string{write("train.tab", "Category\tText\nd\tstring\nclass\t\n\nsci.med\ta b\n"),
			write("test.txt", "C01|||c d")}, true, []Document{{"a b", "sci.med", false}, {"c d", "C01", true}}},
	} {
		got, published, err := ReadDocuments(test.format, test.files)
		if err != nil || published != test.published || !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, %v, %v; want %+v", test.format, got, published, err, test.want)
		}
	}
	for _, test := range []struct {
		format string
		files  []string
		want   string
	}{
		{Labelled, []string{write("labels", "0\ttrain\tacq\n"), write("texts", "a\nb\n")}, "2 lines for 1 label"},
		{Labelled, []string{write("other-labels", "0\tdev\tacq\n"), write("texts", "a\nb\n")}, "expected a name, train or test"},
		{Tweets, []string{write("other-tweets", "hi\n")}, "expected a class"},
		{SMART, []string{write("MED.ALL", "text\n")}, "expected a document to begin"},
		{Reviews, []string{write("dvd-x.review", "</review_text>\n")}, "without <review_text>"},
		{Halves, []string{write("one", "C01|||a\n")}, "expected one for training"},
		{Halves, []string{write("train", "C01|||a\n"), write("test", "a\n")}, "test:1: \"a\""},
		{"other", nil, "expected one of labelled"},
	} {
		if _, _, err := ReadDocuments(test.format, test.files); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.format, err, test.want)
		}
	}
}
