// Package judge holds what compares a run with the paper and with the recorded run: the verdict on every printed
// number and claim, and the report that shows it.
package judge
