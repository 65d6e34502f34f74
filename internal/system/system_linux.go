package system

import (
	"fmt"
	"math"
	"os"
	"path"
	"strconv"
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

// FreeMemory returns the bytes that the process may still take: what the system has available, and what
// its control groups leave it, as those of containers do. It is false where the system does not tell.
func FreeMemory() (bytes int64, ok bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	available := int64(math.MaxInt64)
	for line := range strings.Lines(string(text)) {
		if kilobytes := int64(0); strings.HasPrefix(line, "MemAvailable:") {
			if _, err := fmt.Sscan(line[len("MemAvailable:"):], &kilobytes); err == nil {
				available = 1024 * kilobytes
			}
		}
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	if limit, limited := groupLimit(string(groups), os.ReadFile); limited {
		var addresses, taken int64 // in pages
		pages, _ := os.ReadFile("/proc/self/statm")
		fmt.Sscan(string(pages), &addresses, &taken)
		available = min(available, limit-taken*int64(os.Getpagesize()))
	}
	return max(0, available), available < math.MaxInt64
}

// groupLimit returns the smallest memory limit of the control group in the text of /proc/self/cgroup and
// of those that it is part of: see cgroups(7), version 2.
func groupLimit(groups string, read func(file string) ([]byte, error)) (limit int64, ok bool) {
	limit = math.MaxInt64
	for line := range strings.Lines(groups) {
		group, unified := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for group = path.Clean("/" + group); unified; group = path.Dir(group) {
			if text, err := read(path.Join("/sys/fs/cgroup", group, "memory.max")); err == nil {
				// "max" is no limit.
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
					limit = min(limit, n)
				}
			}
			unified = group != "/"
		}
	}
	return limit, limit < math.MaxInt64
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

// ProcessorSeconds returns the time that the process has had of all processors.
func ProcessorSeconds() (seconds float64, ok bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, true
}
