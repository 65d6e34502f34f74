package main

import (
	"runtime"

	"contextmover/experiments/results"
)

// resultsDir is the folder of result files, in the working directory.
const resultsDir = "results"

func thisMachine() results.Machine {
	total, _ := memory()
	return results.Machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, Processor: processorText(),
		Threads: runtime.GOMAXPROCS(0), Memory: total,
	}
}
