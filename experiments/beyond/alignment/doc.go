// Package alignment measures whether people would link the words that transport moves onto one another. It aligns
// words by balanced, partial and unbalanced transport with true, shuffled and discrete costs. It compares them with
// aligners without a plan and with the links of other systems (tables alignment, alignment_minus and
// alignment_choice, figure alignment).
package alignment
