package main

// tagged are the 20 words of CoarseWSD-20 (Loureiro, Rezaee, Pilehvar and Camacho-Collados, Computational
// Linguistics 47, 2021), all of them. Its sentences are of Wikipedia; a tag, here by its number, is the
// article that the word links to. Each tag has the synsets of WordNet 3.0 that mean the same, by their
// offset in data.noun; none where WordNet does not know the sense: Apple Inc., the ARM architecture, comics'
// Hood, the singer Seal, the company Square. They were assigned by reading, before anything was measured.
var tagged = []struct {
	word    string
	synsets [][]string // of each tag
}{
	{"apple", [][]string{nil, {"07739125", "12633994"}}},
	{"arm", [][]string{nil, {"05563770"}}},
	{"bank", [][]string{{"08420278"}, {"09213565"}}},
	{"bass", [][]string{{"02803349"}, {"06872354", "09842528"}, {"02803349"}}},
	{"bow", [][]string{{"02880008"}, {"02879718"}, {"02879517"}}},
	{"chair", [][]string{{"10468962"}, {"03001627"}}},
	{"club", [][]string{{"08227214"}, {"02931417"}, {"03053474"}}},
	{"crane", [][]string{{"03126707"}, {"02012849"}}},
	{"deck", [][]string{{"03167666"}, {"03168107"}}},
	{"digit", [][]string{{"13741022"}, {"05566097"}}},
	{"hood", [][]string{nil, {"03530910"}, {"03531281"}}},
	{"java", [][]string{{"08908248"}, {"06901053"}}},
	{"mole", [][]string{{"01889520"}, {"09970192"}, {"13724081"}, {"07838551"}, {"02894605"}}},
	{"pitcher", [][]string{{"10435988"}, {"03950228"}}},
	{"pound", [][]string{{"13720096"}, {"13686660"}}},
	{"seal", [][]string{{"02076196"}, nil, {"04159058", "06855985"}, {"04159354"}}},
	{"spring", [][]string{{"09443453"}, {"15237044"}, {"04288272"}}},
	{"square", [][]string{{"13878634"}, nil, {"08619620"}, {"13731021"}}},
	{"trunk", [][]string{{"13165815"}, {"03696065"}, {"05549830"}}},
	{"yard", [][]string{{"13650447"}, {"04610676"}}},
}
