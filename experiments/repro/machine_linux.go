package main

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// memory returns the bytes of main memory.
func memory() (total int64, ok bool) {
	var s unix.Sysinfo_t
	if err := unix.Sysinfo(&s); err != nil {
		return 0, false
	}
	return int64(s.Totalram) * int64(s.Unit), true
}

// diskFree returns the bytes that may still be written to the disk of dir.
func diskFree(dir string) (free int64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// processor returns the name of the processor, or "".
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// peakMemory returns the most memory that the process has had resident.
func peakMemory() (bytes int64, ok bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return int64(u.Maxrss) * 1024, true
}

// processorSeconds returns the time that the process has had of all processors.
func processorSeconds() (seconds float64, ok bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, true
}
