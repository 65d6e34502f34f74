// Package sts makes the paper's tables of sentence similarity (section 4): the averages by
// year (Table 1, table1_sts_summary), the sets of each year (Tables S1 to S4,
// tableS1a_sts12_detail and so on), the settings of each row (Table S5,
// tableS5_sts_hyperparameters), and what was tried on the validation group (sts_search and,
// by Tune, sts_tune, sts_tune_worth and sts_tune_search).
package sts
