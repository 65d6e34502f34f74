// Package alignment asks whether people would link the words that transport moves onto one another: monolingual word
// alignment by balanced, partial and unbalanced transport with true, shuffled and discrete costs, beside aligners
// without a plan and the links of other systems (tables alignment, alignment_minus and alignment_choice, figure
// alignment).
package alignment
