// Package systems compares systems of sentence similarity. Its table and figure, systems, have what each scores on
// the same text, and what it costs to train and to use on the same machine. The paper has no such table.
//
// Seconds are not the same twice, and so are no quantities of the verdict.
package systems
