//go:build !linux

package main

func memory() (total int64, ok bool)               { return 0, false }
func diskFree(dir string) (free int64, ok bool)    { return 0, false }
func processor() string                            { return "" }
func peakMemory() (bytes int64, ok bool)           { return 0, false }
func processorSeconds() (seconds float64, ok bool) { return 0, false }
