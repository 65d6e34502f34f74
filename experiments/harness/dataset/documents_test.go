package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
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
		{Halves, []string{write("train.txt", "C02|||a b\n"), write("test.txt", "C01|||c d")}, true,
			[]Document{{"a b", "C02", false}, {"c d", "C01", true}}},
		{Messages, []string{
			write("messages/train/sci.med/1", " c!d\nFrom: a@b\nSubject: One\n\ttwo\n \nLines: 2\n of these\n\nSubject: in the body\n\nend\n"),
			write("messages/test/alt.atheism/2", "subject:caf\xe9 na\u00efve\r\n\r\n\xbfno?\r\n"),
			write("messages/test/alt.atheism/3", "From: a@b\n\n")}, true,
			[]Document{{" One \ttwo   Subject: in the body  end", "sci.med", false}, {"café naïve ¿no?", "alt.atheism", true},
				{"", "alt.atheism", true}}},
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
		{Halves, []string{write("one", "C01|||a\n")}, ", expected 2"},
		{Halves, []string{write("train", "C01|||a\n"), write("test", "a\n")}, "test:1: \"a\""},
		{Halves, []string{write("train", "C01|||a\n"), write("other-test", "\n")}, "test:1: the line is empty"},
		{Messages, []string{write("messages/dev/sci.med/1", "Subject: a\n\nb\n")}, "lies in dev/sci.med, expected a message at train/"},
		{Messages, []string{write("messages/train/sci.med/2", "Subject: a\nb\n\nc\n")}, "2:2: \"b\", expected a header such as"},
		{Messages, []string{write("messages/train/sci.med/3", "Re a: b\n\nc\n")}, "3:1: \"Re a: b\", expected a header"},
		{Messages, []string{write("messages/train/sci.med/4", "Subject: a\n")}, "4: no empty line, expected one between"},
		{Messages, []string{write("messages/train/sci.med/5", "")}, "5: no empty line"},
		{Messages, []string{filepath.Join(dir, "messages", "train", "sci.med", "6")}, "6: there is no such file"},
		{"other", nil, "expected one of labelled"},
	} {
		if _, _, err := ReadDocuments(test.format, test.files); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.format, err, test.want)
		}
	}
}

// Nobody chose the messages of 20 newsgroups: of each group there are as many, those whose paths in the source have small
// checksums. The 15th smallest of at least 377, and the 10th of at least 251, lie below an eighth of the range.
func TestDrawOfNewsgroups(t *testing.T) {
	for half, each := range map[string]int{"train": 15, "test": 10} {
		f, ok := Lookup("documents/20news/" + half + "/")
		if !ok {
			t.Fatalf("no collection of the half %s", half)
		}
		groups := map[string]int{}
		for _, m := range f.Members() {
			groups[filepath.Base(filepath.Dir(m.Path))]++
			_, path, _ := strings.Cut(m.Source, ":")
			sum := sha256.Sum256([]byte(path))
			if !strings.HasPrefix(path, "data/20ng/20news-bydate-"+half+"/") || sum[0] >= 0x20 {
				t.Errorf("%s has the checksum %s", path, hex.EncodeToString(sum[:]))
			}
		}
		for group, n := range groups {
			if n != each {
				t.Errorf("%d messages of %s in %s, want %d", n, group, half, each)
			}
		}
		if len(groups) != 20 {
			t.Errorf("%d groups in %s, want 20", len(groups), half)
		}
	}
}

// The published messages of 20 newsgroups are of the form that parseMessage expects, though some begin within a header, and
// some are not UTF-8; each has a text.
func TestRealMessages(t *testing.T) {
	dir := os.Getenv("CONTEXTMOVER_DATA")
	if dir == "" {
		t.Skip("SKIPPED: CONTEXTMOVER_DATA names no data folder")
	}
	var names []string
	for _, half := range []string{"train", "test"} {
		f, _ := Lookup("documents/20news/" + half + "/")
		for _, m := range f.Members() {
			names = append(names, m.Path)
		}
	}
	files, err := Locate(dir, names...)
	if errors.As(err, new(*MissingError)) {
		t.Skip("SKIPPED: the data folder lacks 20 newsgroups")
	}
	if err != nil {
		t.Fatal(err)
	}
	documents, _, err := ReadDocuments(Messages, files)
	if err != nil || len(documents) != len(files) {
		t.Fatalf("%d documents of %d files, %v", len(documents), len(files), err)
	}
	for i, d := range documents {
		if strings.TrimSpace(d.Text) == "" || d.Test != strings.Contains(names[i], "/test/") || !strings.Contains(names[i], "/"+d.Class+"/") {
			t.Errorf("%s: %+v", names[i], d)
		}
	}
}

// No text makes a parser of documents panic, and what it accepts is UTF-8. Headers before those of a message leave its
// text as it is, and so does the conversion from UTF-8 to Latin-1.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{
		"\"neutral\"\t hi\n", "C01|||a b\n", "<review_text>\ngood\n</review_text>\n", ".I 1\n18 Editions\n.I 2\n.T\ntitle\n.W\ntext\n",
		"From: a@b\nSubject: One\n\ttwo\n \nLines: 2\n\nbody\n", "Subject: caf\xe9\r\n\r\n\u00bfno?\r\n", "\n", "\ufeff", "\x00", " a: b\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parse := func(text string, parse func(*lines) ([]Document, error)) []Document {
			documents, err := parse(newLines("dvd-x.review", strings.NewReader(text)))
			var format *FormatError
			if (err == nil) != (len(documents) > 0) || err != nil && !errors.As(err, &format) {
				t.Fatalf("%q: %d documents, %v", text, len(documents), err)
			}
			for _, d := range documents {
				if !utf8.ValidString(d.Text) {
					t.Fatalf("%q: %q", text, d.Text)
				}
			}
			return documents
		}
		parse(text, parseTweets)
		parse(text, parseHalf)
		parse(text, parseReviews)
		parse(text, parseSMART)
		messages := parse(text, parseMessage)
		if messages == nil || strings.HasPrefix(text, "\ufeff") { // a mark that is none behind the beginning
			return
		}
		if more := parse("Path: a!b\n c!d\n"+text, parseMessage); !slices.Equal(more, messages) {
			t.Fatalf("%q: %+v below more headers, %+v", text, more, messages)
		}
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r > 0xff }) {
			return
		}
		var latin1 []byte
		for _, r := range text {
			latin1 = append(latin1, byte(r))
		}
		if same := fromLatin1(string(latin1)) == text; same && !slices.Equal(parse(string(latin1), parseMessage), messages) {
			t.Fatalf("%q in Latin-1 is another message", text)
		}
	})
}
