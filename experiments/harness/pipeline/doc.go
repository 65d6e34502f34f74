// Package pipeline is what the sections of the paper share. A Workspace makes what a profile describes, from the text
// of its corpus to the context estimates of its words, and keeps it in a store. The package resolves a row of a
// profile into clusters, estimates, ground cost and method, and scores sentence pairs, with intervals.
//
// It holds no method of its own: those are in package method. It decides what is computed from what.
package pipeline
