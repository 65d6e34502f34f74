// Package beyond holds the experiments that go beyond the paper: what the ground cost contributes (geometry),
// documents by their nearest neighbours, and words linked as people link them. Nothing in package paper imports them.
package beyond
