// Package sts makes the paper's tables of sentence similarity (section 4). Table 1 has the averages by year
// (table1_sts_summary), Tables S1 to S4 the sets of each year (tableS1a_sts12_detail and so on), Table S5 the
// settings of each row (tableS5_sts_hyperparameters). Further tables have what was tried on the validation group
// (sts_search and, by Tune, sts_tune, sts_tune_worth and sts_tune_search).
package sts
