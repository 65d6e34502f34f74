//go:build !linux

package system

// Memory, FreeMemory, ProcessorName and ProcessorSeconds are known on Linux only.

func Memory() (total int64, ok bool)               { return 0, false }
func FreeMemory() (bytes int64, ok bool)           { return 0, false }
func ProcessorName() string                        { return "" }
func ProcessorSeconds() (seconds float64, ok bool) { return 0, false }
