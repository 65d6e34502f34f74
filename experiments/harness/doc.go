// Package harness holds what experiments are built from: profiles, data sets, the store of artefacts, the pipeline
// from text to scores, the generated miniature world, and the results of a run with the paper's printed numbers.
package harness
