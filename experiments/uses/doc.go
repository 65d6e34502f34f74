// Package uses judges by people what is made of single uses of a word. How far did it move between two periods (table
// uses_change)? Do two uses mean the same (uses_context)? Are groups of uses senses (uses_senses)? It asks the built-in
// space; figure uses shows all three.
package uses
