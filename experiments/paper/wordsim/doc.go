// Package wordsim makes the paper's table of word similarity (section 5.1, Table 3, table3_word_similarity). Our own
// tables have the settings of its rows (wordsim_settings) and what was tried on the validation sets (wordsim_search).
package wordsim
