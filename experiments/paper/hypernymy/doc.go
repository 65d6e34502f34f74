// Package hypernymy makes the paper's tables of hypernymy (section 5.2). Table 2 has the main sets
// (table2_hypernymy_main), Table S12 all sets (tableS12_hypernymy_full_AP), Table S13 pairs out of vocabulary
// (tableS13_hypernymy_oov). Table S14 has the settings of the associations (tableS14_hypernymy_ppmi_grid_AP), Table
// S16 accuracies (tableS16_wbless_accuracy), Table S17 graded pairs (tableS17_hyperlex_spearman). Tables S18 and S19
// have the pairs that two methods rank most differently. Of our own are hypernymy_ap_at_100,
// hypernymy_directionality and hypernymy_search. Table S15 has durations: package bench.
package hypernymy
