package pipeline

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/prepare"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// text returns the profile's text, or the part of it that the workspace is on.
func (w *Workspace) text(ctx context.Context) (corpus.Text, error) {
	var files []string
	var err error
	switch w.Profile.Corpus.Kind {
	case profile.KindNone, profile.KindAuthors:
		err = w.Profile.Errorf("corpus.kind", "%q, and so no text to read", w.Profile.Corpus.Kind)
	case profile.KindPrepared:
		var dir string
		if dir, err = store.Get(ctx, w.Store, w.preparedNode()); err == nil {
			for _, shard := range shards(w.Profile.Corpus, w.used()) {
				files = append(files, filepath.Join(dir, filepath.FromSlash(shard)))
			}
		}
	default:
		files, err = w.files(ctx, w.textFiles())
	}
	return corpus.Text{Files: files, Tokenised: w.Profile.Corpus.Tokenised}, err
}

// textInputs are the files of the text. Those of a prepared one can be thousands.
func (w *Workspace) textInputs() store.Input {
	return store.Source(func() ([]store.Ref, error) {
		if w.Profile.Corpus.Kind != profile.KindPrepared {
			return store.Refs(w.fileInputs(w.textFiles()...)...)
		}
		text := w.once("text", w.preparedNode())
		var files []store.Input
		for _, shard := range shards(w.Profile.Corpus, w.used()) {
			files = append(files, store.FileOf{Artefact: text, Name: shard})
		}
		return store.Refs(files...)
	})
}

// textFiles returns the files of a text that is not prepared here, as File takes them.
func (w *Workspace) textFiles() []string {
	switch w.Profile.Corpus.Kind {
	case profile.KindMiniWorld:
		return []string{"corpus.txt"}
	case profile.KindNone:
		return nil
	case profile.KindAuthors:
		return []string{path.Join(w.authors(), dataset.AuthorsList)}
	}
	return w.Profile.Corpus.Files[:w.used()]
}

// used is the number of parts of the text that are read.
func (w *Workspace) used() int {
	if w.parts > 0 {
		return w.parts
	}
	return w.Profile.Corpus.Parts()
}

// A source is raw text of a profile: a collection of the data and what it is.
type source struct {
	key, collection string // key of the profile
	kind            prepare.Kind
}

func sources(c profile.Corpus) []source {
	return slices.DeleteFunc([]source{
		{"corpus.books", c.Books, prepare.Books},
		{"corpus.wikipedia", c.Wikipedia, prepare.Wikipedia},
	}, func(s source) bool { return s.collection == "" })
}

// shards returns the files of the first n shards of the prepared text, in the folder of the artefact.
func shards(c profile.Corpus, n int) (names []string) {
	for shard := range n {
		for _, s := range sources(c) {
			names = append(names, "text/"+prepare.ShardName(s.kind, shard))
		}
	}
	return names
}

// shardSeed is that of the drawing of shards. It does not follow the profile's: other seeds make methods again,
// not the text.
const shardSeed = 1

// rawText returns the names of the published files that a source takes its shards from.
func rawText(p *profile.Profile, s source) (files []string, err error) {
	f, ok := dataset.Lookup(s.collection)
	if !ok || !f.Collection() {
		return nil, p.Errorf(s.key, "%q, expected a collection of the data, such as corpora/books/ (see repro data ls)",
			s.collection)
	}
	for _, member := range f.Members() {
		if prepare.ShardOf(shardSeed, member.Path[len(f.Path):], p.Corpus.Shards) < p.Corpus.Taken {
			files = append(files, member.Path)
		}
	}
	if len(files) == 0 {
		return nil, p.Errorf("corpus.shards", "%d, but %s has %d files and none in the first %d of so many shards: "+
			"take fewer shards", p.Corpus.Shards, s.collection, f.Rows, p.Corpus.Taken)
	}
	return files, nil
}

// TextFiles returns the files of the data folder that the text of a profile comes from; none of a generated one.
func TextFiles(p *profile.Profile) (names []string, err error) {
	switch p.Corpus.Kind {
	case profile.KindFiles:
		names = slices.Clone(p.Corpus.Files)
	case profile.KindAuthors:
		names = AuthorsFiles(p)
	case profile.KindPrepared:
		for _, s := range sources(p.Corpus) {
			files, err := rawText(p, s)
			if err != nil {
				return nil, err
			}
			names = append(names, files...)
		}
	}
	return names, nil
}

// preparedNode is the folder of the text that is prepared from the profile's raw text.
func (w *Workspace) preparedNode() store.Node[string] {
	c := w.Profile.Corpus
	node := store.Node[string]{
		Name: "text", Version: 2,
		Params: map[string]any{"shards": c.Shards, "taken": c.Taken, "seed": shardSeed},
		Fill:   w.prepareText,
	}
	for _, s := range sources(c) {
		node.Inputs = append(node.Inputs, store.Source(func() ([]store.Ref, error) {
			f, ok := dataset.Lookup(s.collection)
			if !ok {
				_, err := rawText(w.Profile, s)
				return nil, err
			}
			// The checksum of the collection's table is that of its files, and which of them are taken the numbers say.
			return store.Key(f.SHA256).Refs()
		}))
	}
	return node
}

// prepareText writes the prepared text.
func (w *Workspace) prepareText(ctx context.Context, dir string) error {
	var o prepare.Options
	o.Seed, o.Shards = shardSeed, w.Profile.Corpus.Shards
	for _, s := range sources(w.Profile.Corpus) {
		files, err := rawText(w.Profile, s)
		if err != nil {
			return err
		}
		paths, err := dataset.Locate(w.Data, files...)
		if err != nil {
			return err
		}
		root := filepath.Join(w.Data, filepath.FromSlash(s.collection))
		o.Sources = append(o.Sources, prepare.Source{Kind: s.kind, Paths: paths, Root: root})
	}
	var finish func()
	o.Progress, finish = w.Step("prepare the text")
	defer finish()
	if _, err := prepare.Run(ctx, filepath.Join(dir, "text"), o); err != nil {
		return DataError(err)
	}
	c := w.Profile.Corpus
	for _, shard := range shards(c, c.Taken) {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(shard))); err != nil {
			return w.Profile.Errorf("corpus.shards", "%d: no text is left for %s: take fewer shards", c.Shards, shard)
		}
	}
	return nil
}
