//go:build !linux

package disk

func (f *File) allocate(size int64) error { return f.fill(size) }
