package jsonerror

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"testing"
)

func TestExplain(t *testing.T) {
	type inner struct {
		List  []string       `json:"list"`
		Flag  *bool          `json:"flag"`
		Small int8           `json:"small"`
		Count uint16         `json:"count"`
		Share float64        `json:"share"`
		Map   map[string]int `json:"map"`
	}
	var o struct {
		Text  *string `json:"text"`
		Inner inner   `json:"inner"`
	}
	goTypes := regexp.MustCompile(`struct|Go |\*|\[\]|int\b|uint16|int8|float64|map\[`)
	for text, want := range map[string]string{
		`[1]`:                          `it is a list, expected an object`,
		`"x"`:                          `it is a string, expected an object`,
		`true`:                         `it is true or false, expected an object`,
		`{"text": 5}`:                  `the field "text" is a number, expected a string`,
		`{"text": {}}`:                 `the field "text" is an object, expected a string`,
		`{"inner": 7}`:                 `the field "inner" is a number, expected an object`,
		`{"inner": {"list": "x"}}`:     `the field "inner.list" is a string, expected a list`,
		`{"inner": {"flag": "x"}}`:     `the field "inner.flag" is a string, expected true or false`,
		`{"inner": {"small": 300}}`:    `the field "inner.small" is 300, expected a whole number from -2^7 to 2^7-1`,
		`{"inner": {"small": 1.5}}`:    `the field "inner.small" is 1.5, expected a whole number from -2^7 to 2^7-1`,
		`{"inner": {"count": -1}}`:     `the field "inner.count" is -1, expected a whole number from 0 to 2^16-1`,
		`{"inner": {"share": []}}`:     `the field "inner.share" is a list, expected a number`,
		`{"inner": {"map": "x"}}`:      `the field "inner.map" is a string, expected an object`,
		`{"inner": {"map": {"k":[]}}}`: `the field "inner.map" is a list, expected a whole number from -2^63 to 2^63-1`,
	} {
		err := json.Unmarshal([]byte(text), &o)
		if err == nil {
			t.Fatalf("%s: no error", text)
		}
		if got := Explain(err).Error(); got != want || goTypes.MatchString(got) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if err := json.Unmarshal([]byte("{"), &o); Explain(err).Error() != err.Error() {
		t.Error("an error of syntax is not passed on")
	}
	if !errors.Is(Explain(io.EOF), io.EOF) {
		t.Error("another error is not passed on")
	}
}
