package parallel

import (
	"errors"
	"slices"
	"testing"
)

// Whatever comes when, it is handed on in order, and nothing after an error.
func TestInOrder(t *testing.T) {
	var got []int
	failed := errors.New("failed")
	o := InOrder[int]{Put: func(number, x int) error {
		if x != 10*number {
			t.Errorf("number %d has %d", number, x)
		}
		if number == 5 {
			return failed
		}
		got = append(got, number)
		return nil
	}}
	for _, number := range []int{2, 0, 1, 4, 3} {
		if err := o.Add(number, 10*number); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("got %v", got)
	}
	if err := o.Add(6, 60); err != nil {
		t.Error(err)
	}
	for _, number := range []int{5, 7} {
		if err := o.Add(number, 10*number); err != failed {
			t.Errorf("number %d: %v", number, err)
		}
	}
	if len(got) != 5 {
		t.Errorf("got %v after an error", got)
	}
}
