package embedding

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Gensim reads the files written here, and the other way round. The variable
// GENSIM_PYTHON names a Python that has gensim (python3 -m venv, pip install
// gensim).
func TestGensim(t *testing.T) {
	python := os.Getenv("GENSIM_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: GENSIM_PYTHON does not name a Python with gensim")
	}
	v := random(500, 20)
	dir := t.TempDir()
	for name, write := range map[string]func(string) error{
		"glove":  func(p string) error { return v.Write(t.Context(), p, GloVe) },
		"text":   func(p string) error { return v.Write(t.Context(), p, Word2Vec) },
		"binary": func(p string) error { return v.Write(t.Context(), p, Word2VecBinary) },
	} {
		if err := write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const script = `
from gensim.models import KeyedVectors as K
import numpy as np, sys
text = K.load_word2vec_format("text")
binary = K.load_word2vec_format("binary", binary=True)
glove = K.load_word2vec_format("glove", no_header=True)
for other in (binary, glove):
    assert text.index_to_key == other.index_to_key
    assert np.array_equal(text.vectors, other.vectors)
text.save_word2vec_format("text.gensim")
text.save_word2vec_format("binary.gensim", binary=True)
text.save_word2vec_format("glove.gensim", write_header=False)
`
	command := exec.Command(python, "-c", script)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"text.gensim", "binary.gensim", "glove.gensim"} {
		got, err := Read(t.Context(), filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, v)
	}
}
