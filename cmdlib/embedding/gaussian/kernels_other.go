//go:build (!amd64 && !arm64) || noasm

package gaussian

// implementations returns the kernels of an energy that this machine can run, best first.
func implementations(e Energy) []kernels { return []kernels{plain(e)} }
