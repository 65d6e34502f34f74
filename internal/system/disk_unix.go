//go:build linux || darwin

package system

import "golang.org/x/sys/unix"

// DiskFree returns the bytes that the user may still write to the disk of dir, false where the
// system does not tell.
func DiskFree(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
