// Package qualitative makes the paper's comparison of CoMB and SIF sentence by sentence (sections 5.3 and 5.4).
// Tables S7, S9 and S10 (tableS7_qual_sts14_news and so on) have pairs that they rank differently. Table S8
// (tableS8_sentence_length) has lengths of sentences, Table S11 (tableS11_nearest_neighbours) the words nearest to
// queries.
package qualitative
