package method

// NBoW is the cosine of averages of word vectors, each word with the same weight. The paper's row, made by the code
// of SIF, has SIF weights with a = 1, which differ only for the most frequent words; a search does not vary them.
type NBoW struct{ Averaged }

func (n NBoW) varies(name string) bool {
	return name != "weights" && name != "a" && n.Averaged.varies(name)
}

// computed is what it computes.
func (n NBoW) computed() Method { return SIF(n) }
