package system

import (
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

// FreeMemory returns the bytes that the process may still take: what the system has available, what
// its control groups leave it, as those of containers do, and what its limit of address space leaves. It
// is false where the system does not tell.
func FreeMemory() (bytes int64, ok bool) {
	available := int64(math.MaxInt64)
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemAvailable:" {
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				available = 1024 * n
			}
		}
	}
	pages, _ := os.ReadFile("/proc/self/statm") // addresses, then memory
	var taken [2]int64
	for i, field := range strings.Fields(string(pages)) {
		if i < len(taken) {
			n, _ := strconv.ParseInt(field, 10, 64)
			taken[i] = n * int64(os.Getpagesize())
		}
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	if limit, limited := groupLimit(string(groups), os.ReadFile); limited {
		available = min(available, limit-taken[1])
	}
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &r); err == nil && r.Cur < math.MaxInt64 {
		available = min(available, int64(r.Cur)-taken[0])
	}
	return max(0, available), available < math.MaxInt64
}

// groupLimit returns the smallest memory limit of the control groups in the text of /proc/self/cgroup and
// of those that they are part of: see cgroups(7).
func groupLimit(groups string, read func(file string) ([]byte, error)) (limit int64, ok bool) {
	limit = math.MaxInt64
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mount, file := "/sys/fs/cgroup", "memory.max" // version 2
		if fields[1] != "" {
			mount, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
			if fields[1] != "memory" {
				continue
			}
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if text, err := read(path.Join(mount, group, file)); err == nil {
				// "max" is no limit.
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
					limit = min(limit, n)
				}
			}
			if group == "/" {
				break
			}
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
