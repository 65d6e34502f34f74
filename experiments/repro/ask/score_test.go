package ask

import "testing"

func TestFixedZeroHasNoSign(t *testing.T) {
	for x, want := range map[float64]string{-1e-17: "0.0000", -0.00004: "0.0000", -0.00006: "-0.0001", 0.25: "0.2500"} {
		if got := fixed(x); got != want {
			t.Errorf("%v is written %s, expected %s", x, got, want)
		}
	}
}
