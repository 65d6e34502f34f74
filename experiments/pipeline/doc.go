// Package pipeline is what the sections of the paper share: a Workspace that makes what a
// profile describes, from the text of its corpus to the context estimates of its words, and
// keeps it in a store; a row of a profile resolved into clusters, estimates, ground cost
// and method; and the scores of sentence pairs, with their intervals.
//
// It holds no method of its own: that is cmdlib's. It decides what is computed from what.
package pipeline
