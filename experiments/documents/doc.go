// Package documents classifies documents by their nearest neighbours, by bags of words, vectors, moved words and
// moved contexts, with true, shuffled, discrete and thresholded ground costs (tables documents*): whether a ground
// cost's geometry pays where it may be expected to most [Kusner, Sun, Kolkin, Weinberger 2015; Sato, Yamada, Kashima
// 2022].
package documents
