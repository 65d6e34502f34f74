//go:build !(linux || darwin)

package store

func freeSpace(string) (int64, bool) { return 0, false }
