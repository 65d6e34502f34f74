package system

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory returns the bytes of main memory, false where the system does not tell.
func Memory() (total int64, ok bool) {
	var s unix.Sysinfo_t
	if err := unix.Sysinfo(&s); err != nil {
		return 0, false
	}
	return int64(s.Totalram) * int64(s.Unit), true
}

// ProcessorName returns the name of the processor, or "" where the system does not tell.
func ProcessorName() string {
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

// PeakMemory returns the most bytes of memory that the process has had resident.
func PeakMemory() (bytes int64, ok bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return int64(u.Maxrss) * 1024, true
}

// ProcessorSeconds returns the time that the process has had of all processors.
func ProcessorSeconds() (seconds float64, ok bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, true
}
