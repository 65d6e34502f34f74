// Package timings measures this machine. It measures what its engine does in a second on generated work and on that of
// a profile. It repeats what the paper timed (Table S15, tableS15_hypeval_timings, and the durations in its text,
// timings).
//
// Sentences and HypernymySets are the work behind these, for bench/record.
package timings
