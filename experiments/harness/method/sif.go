package method

// SIF is the cosine of averages of word vectors, a word with the marginal p weighing a/(a + p) [Arora, Liang, Ma
// 2017, A simple but tough-to-beat baseline for sentence embeddings]. With Removal it subtracts the first principal
// component of the averages, as there, or several by their shares, as uSIF [Ethayarajh 2018].
type SIF struct{ Averaged }
