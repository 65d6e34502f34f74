package sparse

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	good := func() *Matrix[float32] {
		return &Matrix[float32]{Rows: 2, Cols: 3, Start: []int64{0, 2, 3}, Index: []int32{0, 2, 1}, Value: []float32{1, 2, 3}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Matrix[float32]){
		"row starts for":  func(m *Matrix[float32]) { m.Start = m.Start[:2] },
		"column indices":  func(m *Matrix[float32]) { m.Index = m.Index[:2] },
		"run from":        func(m *Matrix[float32]) { m.Start[2] = 2 },
		"row 0 starts at": func(m *Matrix[float32]) { m.Start[1] = 9 },
		"column 0 after":  func(m *Matrix[float32]) { m.Index[1] = 0 },
		"column 3 after":  func(m *Matrix[float32]) { m.Index[1] = 3 },
	} {
		m := good()
		spoil(m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
