package documents

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
)

// parsers make documents of the bytes of a text of each kind, or refuse it.
var parsers = map[string]func([]byte){
	"book":       func(data []byte) { Book("a.txt", data) },
	"extracted":  func(data []byte) { _, _ = Extracted(nowhere, data) },
	"wrapped":    func(data []byte) { Text("a.txt", corpus.Wrapped, data, false) },
	"paragraphs": func(data []byte) { Text("a.txt", corpus.Paragraphs, data, false) },
	"sentences":  func(data []byte) { Text("a.txt", corpus.Sentences, data, false) },
	"JSON":       func(data []byte) { _, _ = JSON("a.jsonl", nowhere, 1, data) },
}

// within puts a text where the parser expects it.
func within(name, text string) []byte {
	switch name {
	case "extracted":
		text = "<doc id=\"1\" url=\"u\" title=\"A\">\n" + text + "\n</doc>\n"
	case "JSON":
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			panic(err)
		}
		return line
	}
	return []byte(text)
}

func nowhere(int64) string { return "somewhere" }

// allocated returns the bytes of memory that do takes in all, of which no more than these can be in use at once.
func allocated(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// What a parser allocates, in all, is at most so many times its input, and something besides for a small one.
const (
	mostMemory  = 150
	smallMemory = 1 << 20
)

func checkMemory(t *testing.T, name string, data []byte) {
	t.Helper()
	parsers[name](nil) // what is made once
	if n := allocated(func() { parsers[name](data) }); n > mostMemory*int64(len(data))+smallMemory {
		t.Errorf("%s: %d bytes for %d, %.0f times, of %.40q", name, n, len(data), float64(n)/float64(len(data)), data)
	} else if testing.Verbose() {
		t.Logf("%s: %.0f times, of %.40q", name, float64(n)/float64(len(data)), data)
	}
}

// hostile are texts of about n bytes that take much of a parser that looks back, or looks ahead, or nests.
func hostile(n int) (texts []string) {
	for _, of := range []string{
		"{{", "[[", "}}", "<b>", "&amp;", "&lt;", "''", "=",
		"(", ") ", "( ) ж ", "\" ", "' ", ". ", "a\n", "a b.\n\n", "a,\n\n", "A.", "Mr. ", "* ", "_a_ ", "/a", "- ", "--",
		"…", "é", "\xff", "\n", "ж ", "I. ", "[a", "1 ",
		"It was there that they came, and nobody saw them.\n",
		"<doc id=\"\" url=\"\" title=\"\">\na\n</doc>\n",
	} {
		texts = append(texts, strings.Repeat(of, n/len(of)))
	}
	return append(texts,
		"( "+strings.Repeat(") ", n/2)+"ж",
		strings.Repeat("( ", n/4)+"ж "+strings.Repeat(") ", n/4),
	)
}

// Memory grows with the text, whatever that is, and no faster.
func TestMemory(t *testing.T) {
	const n = 1 << 16
	for name := range parsers {
		for i, text := range hostile(n) {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) { checkMemory(t, name, within(name, text)) })
		}
	}
}

func FuzzMemory(f *testing.F) {
	for i, text := range hostile(200) {
		f.Add(text, uint8(i%50))
	}
	f.Fuzz(func(t *testing.T, text string, more uint8) {
		const most = 1 << 15 // bytes, or it takes long
		text = strings.Repeat(text[:min(len(text), most)], min(1+int(more), 1+most/max(1, len(text))))
		for name := range parsers {
			checkMemory(t, name, within(name, text))
		}
	})
}
