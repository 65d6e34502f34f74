package method

import (
	"reflect"
	"testing"
)

func TestCounting(t *testing.T) {
	for _, test := range []struct {
		method, setting string
		counts          bool
	}{
		{"sif", "a", true}, {"sif,weights=uniform", "a", false}, {"sif", "components", false},
		{"sif,remove_pc=true", "components", true}, {"sif,rotator=0.5", "rotator_a", true}, {"sif", "rotator_a", false},
		{"euclidean", "point_a", false}, {"euclidean,mix=0.5", "point_a", true}, {"euclidean", "remove_pc", false},
		{"euclidean", "tolerance", false}, {"barycenter", "tolerance", true},
		{"euclidean,compare=total variation", "reg", false}, {"barycenter,compare=total variation", "reg", true},
		{"euclidean,compare=maximum mean discrepancy", "metric", true},
		{"euclidean,compare=maximum mean discrepancy", "clip", false},
		{"debiased,compare=total variation", "accelerate", false}, {"debiased", "accelerate", true},
		{"thresholded,compare=total variation", "quantile", false}, {"thresholded", "quantile", true},
	} {
		m, err := Parse(test.method, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, counts := Counting(m)[test.setting]; counts != test.counts {
			t.Errorf("%s: %s counts: %v", test.method, test.setting, counts)
		}
	}
}

// What computes the same is the same, whatever its name; what is not, is not.
func TestIdentity(t *testing.T) {
	same := Settings{"weights": SIFCorpus, "a": 1e-3}
	nbow, sif := same.On(KindOf(NBoW{}).Method), same.On(KindOf(SIF{}).Method)
	if a, b := IdentityOf(nbow), IdentityOf(sif); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
	if a, b := IdentityOf(nbow), IdentityOf(Set(sif, "a", 1e-4)); reflect.DeepEqual(a, b) {
		t.Errorf("another a: %+v", b)
	}
	if a := IdentityOf(KindOf(Barycenter{}).Method); a.Version != 2 || a.Method != "barycenter" {
		t.Errorf("%+v", a)
	}
}
