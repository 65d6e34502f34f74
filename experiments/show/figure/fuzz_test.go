package figure

import (
	"encoding/json"
	"io"
	"testing"
)

// What is no figure is refused; what is one can be drawn.
func FuzzFigure(f *testing.F) {
	for _, text := range []string{
		`{"id":"a","width":60,"height":50,"columns":1,"panels":[{"density":{"x":0,"y":0,"step":1,"nx":2,"ny":2,"layers":[{"name":"w","colour":"#c8322b","z":[0,1,2,3],"masses":[0.5],"levels":[1]}],"points":[0,0,1,1],"labels":[{"text":"x","x":0,"y":1}]}}]}`,
		`{"id":"a","width":60,"height":50,"columns":2,"panels":[{"title":"(a)","plan":{"from":"a","to":"b","rows":["r"],"cols":["c"],"mass":[[1]]}},{"flow":{"from":"a","to":"b","rows":["r"],"cols":["c","d"],"mass":[[1,0]],"rest":true}}]}`,
		`{"id":"a","width":60,"height":50,"columns":1,"panels":[{"curves":{"x":"K","y":"r","curves":[{"name":"n","colour":"#303030","strong":true,"x":[1,2],"y":[3,4],"low":[2,3],"high":[4,5]}],"marks":[{"at":1.5,"text":"m"}]}}]}`,
		`{"id":"a","width":60,"height":50,"columns":1,"panels":[{"density":{"step":1,"nx":4294967296,"ny":4294967296,"layers":[{"name":"w","colour":"#c8322b","masses":[0.5],"levels":[1]}]}}]}`,
		`null`, `{"panels":[{}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var described Figure
		if json.Unmarshal(text, &described) != nil || described.check() != nil {
			return
		}
		if described.Width*described.Height > 200*200 {
			return // drawn alike, but slowly
		}
		if err := SVG(io.Discard, &described); err != nil {
			t.Fatal(err)
		}
		if err := PNG(io.Discard, &described); err != nil {
			t.Fatal(err)
		}
	})
}
