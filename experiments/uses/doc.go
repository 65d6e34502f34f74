// Package uses judges what is made of single uses of a word by people: how far a word moved between two periods
// (table uses_change), whether two uses mean the same (uses_context), and whether groups of uses are senses
// (uses_senses; figure uses). It asks the built-in space.
package uses
