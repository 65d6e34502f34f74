package cmdlib_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"testing"

	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
)

// What is shared, lacking and added makes up both sides; all is shared at a high
// price and between a text and itself; what is left has no partner within two prices.
func TestOverlap(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k := s.Cost.K
	shared := 0.0
	for _, price := range []float64{0.05, 0.2, 0.4, 100} {
		o, err := s.Overlap(t.Context(), "the lion eats meat", "the queen prays in the church", price, k*k)
		if err != nil {
			t.Fatal(err)
		}
		lacks, adds, moved := 0.0, 0.0, 0.0
		for _, c := range o.Lacks {
			lacks += c.Mass
			for _, d := range o.Adds {
				if cost := float64(s.Cost.Data[c.Bin*k+d.Bin]); min(c.Mass, d.Mass) > 1e-6 && cost < 2*price-1e-6 {
					t.Errorf("ρ=%v: %v and %v are apart at a cost of %v", price, c.Name, d.Name, cost)
				}
			}
		}
		for _, c := range o.Adds {
			adds += c.Mass
		}
		for _, f := range o.Flows {
			moved += f.Mass
			if f.Cost > 2*price+1e-6 {
				t.Errorf("ρ=%v: a partner at a cost of %v", price, f.Cost)
			}
		}
		if math.Abs(lacks+o.Moved-1) > 1e-5 || math.Abs(adds+o.Moved-1) > 1e-5 || math.Abs(moved-o.Moved) > 1e-5 || o.Moved < shared-1e-6 {
			t.Errorf("ρ=%v: shared %v (%v), lacks %v, adds %v; at a lower price shared %v", price, o.Moved, moved, lacks, adds, shared)
		}
		shared = o.Moved
	}
	if shared < 1-1e-6 {
		t.Errorf("at a high price only %v is shared", shared)
	}
	o, err := s.Overlap(t.Context(), "lion", "lion", 0.01, 3)
	if err != nil || o.Moved < 1-1e-6 || len(o.Flows) != 3 {
		t.Errorf("a word shares %v with itself, %d flows, %v", o.Moved, len(o.Flows), err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := s.Overlap(t.Context(), "lion", "tiger", bad, 3); err == nil {
			t.Errorf("no error for a price of %v", bad)
		}
	}
	if _, err := s.Overlap(t.Context(), "lion", "tiger", 0.1, 0); err == nil {
		t.Error("no error for 0 contexts")
	}
}

func ExampleSpace_Overlap() {
	s, err := english.Open(cpu.New())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	o, err := s.Overlap(context.Background(), "guitar", "football", 0.2, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Moved < 0.5, o.Lacks[0].Name[0], o.Adds[0].Name[0])
	// Output:
	// true instrument cup
}
