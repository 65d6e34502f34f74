package hypernymy

import (
	"encoding/json"
	"testing"
)

// The JSON of measures that stores have is to be read, and written alike.
func TestStoredMeasure(t *testing.T) {
	for _, c := range []struct {
		stored string
		into   any
	}{
		{`{"Pairs":4,"Positive":2,"Covered":3,"AP":{"Value":9.5,"Low":8.25,"High":11},"Top":34,"Directed":54,"Hyper":2,"HyperCovered":1,"HeldOut":{"Value":60,"Low":58,"High":61},"Half":null}`, new(Measure)},
		{`{"All":{"Value":0.25,"Low":0.2,"High":0.3},"Nouns":{"Value":0.35,"Low":0.3,"High":0.4},"Pairs":4,"Covered":3}`, new(GradedMeasure)},
	} {
		if err := json.Unmarshal([]byte(c.stored), c.into); err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(c.into); err != nil || string(text) != c.stored {
			t.Errorf("written %s, %v; expected %s", text, err, c.stored)
		}
	}
}
