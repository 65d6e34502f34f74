package system

import (
	"os"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	free, ok := FreeMemory()
	total, told := Memory()
	if !ok || !told || free <= 0 || free > total {
		t.Errorf("%d of %d bytes free (%t, %t)", free, total, ok, told)
	}
}

func TestGroupLimit(t *testing.T) {
	files := map[string]string{
		"/sys/fs/cgroup/memory.max":         "max\n",
		"/sys/fs/cgroup/box/memory.max":     "5000\n",
		"/sys/fs/cgroup/box/job/memory.max": "max\n",
	}
	read := func(file string) ([]byte, error) {
		text, ok := files[file]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}
	for _, test := range []struct {
		groups string
		limit  int64
		ok     bool
	}{
		{"", 0, false},
		{"0::/\n", 0, false},
		{"0::/box/job\n", 5000, true},
		{"9:name=systemd:/box\n4:memory:/box/job\n", 0, false},
		{"4:memory:/\n0::/box\n", 5000, true},
	} {
		limit, ok := groupLimit(test.groups, read)
		if ok != test.ok || ok && limit != test.limit {
			t.Errorf("%q: %d, %t", test.groups, limit, ok)
		}
	}
}
