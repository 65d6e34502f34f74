// Package hypernymy makes the paper's tables of hypernymy (section 5.2): the main sets (Table 2,
// table2_hypernymy_main), all sets (Table S12, tableS12_hypernymy_full_AP), pairs out of
// vocabulary (Table S13, tableS13_hypernymy_oov), the settings of the associations (Table S14,
// tableS14_hypernymy_ppmi_grid_AP), accuracies (Table S16, tableS16_wbless_accuracy), graded
// pairs (Table S17, tableS17_hyperlex_spearman) and the pairs that two methods rank most
// differently (Tables S18 and S19). Of our own are hypernymy_ap_at_100,
// hypernymy_directionality, hypernymy_search and hypernymy_why. Table S15 has durations: package bench.
package hypernymy
