package profile

import "contextmover/experiments/harness/method"

// Space describes the space that words and sentences are looked up in: by a method that compares histograms.
type Space struct {
	Text   string        `toml:"method"`
	Method method.Method `toml:"-"`
}

// Row returns the method as that of a row of sentence similarity.
func (s Space) Row() Row { return Row{ID: "space", Label: "space", Method: s.Method} }

func (c *checker) space(s Space) {
	c.atMost("space.method", s.Method, nil)
	if _, err := method.SettingsOf(s.Method); err != nil {
		c.fail("space.method", "%q, expected what words and sentences are looked up in: %v", s.Text, err)
	}
}
