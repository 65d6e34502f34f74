package job

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A text that is edited between two steps, in an equal number of bytes, is an error that names the file and
// says what to do, whether the step is still to be done or was finished; the old text goes on as before.
func TestChangedText(t *testing.T) {
	dir := t.TempDir()
	text := randomText(t, dir)
	j, err := New(filepath.Join(dir, "job"), text, Params{MinCount: 2, Window: 3, ShardSize: 1500, PartSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for shard := range j.Shards() {
		if _, err := j.Words(t.Context(), shard, nil); err != nil {
			t.Fatal(err)
		}
	}
	c, err := j.Counter(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pairs(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(text.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(text.Files[0], content, 0o666); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Minute) // whatever the clock's grain
		if err := os.Chtimes(text.Files[0], later, later); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(what string, made bool, err error) {
		t.Helper()
		if err == nil || made || !strings.Contains(err.Error(), text.Files[0]) || !strings.Contains(err.Error(), "put back") {
			t.Errorf("%s of a changed text: made %t, %v", what, made, err)
		}
	}
	write(bytes.Replace(old, []byte("w1 "), []byte("w2 "), 1)) // in the first shard
	made, err := j.Words(t.Context(), 0, nil)
	refused("words", made, err)
	made, err = c.Pairs(t.Context(), 0, nil)
	refused("pairs", made, err)
	at := bytes.LastIndex(old, []byte("w1 "))
	write(append(append(bytes.Clone(old[:at]), "w2 "...), old[at+3:]...)) // in the last one
	last := j.Shards() - 1
	made, err = c.Pairs(t.Context(), last, nil)
	refused("pairs that are to be counted", made, err)
	if made, err := c.Pairs(t.Context(), 0, nil); made || err != nil {
		t.Errorf("a shard that did not change: made %t, %v", made, err)
	}
	write(old)
	for shard := range j.Shards() {
		if made, err := c.Pairs(t.Context(), shard, nil); made != (shard > 0) || err != nil {
			t.Errorf("shard %d of the old text: made %t, %v", shard, made, err)
		}
	}
}
