package main

import (
	"io"
	"path/filepath"
	"testing"

	"contextmover/internal/golden"
)

// TestCommandBudgets holds the number of commands and of their flags to ceilings. A command is a leaf that is not
// hidden; a group's flags count for each of its commands, and those that every command has do not count.
func TestCommandBudgets(t *testing.T) {
	parser := newParser(new(commands), io.Discard, io.Discard, func(int) {})
	leaves, flags := 0, 0
	for _, leaf := range parser.Model.Leaves(true) {
		leaves++
		for node := leaf; node.Parent != nil; node = node.Parent {
			for _, flag := range node.Flags {
				if !flag.Hidden && flag.Name != "help" {
					flags++
				}
			}
		}
	}

	path := filepath.Join("..", "..", "internal", "imports", "testdata", "budgets.tsv")
	golden.Ceilings(t, path, map[string]int{"commands": leaves, "flags of commands": flags})
}
