// Package documents classifies documents by their nearest neighbours (tables documents*). It compares bags of words,
// vectors, moved words and moved contexts, with true, shuffled, discrete and thresholded ground costs. It shows
// whether a ground cost's geometry pays where that may be expected most [Kusner, Sun, Kolkin, Weinberger 2015; Sato,
// Yamada, Kashima 2022].
package documents
