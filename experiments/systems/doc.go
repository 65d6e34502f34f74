// Package systems puts systems of sentence similarity side by side: what each scores on the same text, and what it
// costs to train and to use on the same machine (table and figure systems). The paper has no such table.
//
// Seconds are not the same twice, and so are no quantities of the verdict.
package systems
