package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

func number(x float64) *float64 { return &x }

func sample(t *testing.T) Page {
	t.Helper()
	f := figure.Figure{
		ID: "figure9_curve", Title: "A curve & its band", Caption: "What is <seen>.", Width: figure.Column, Height: 150, Columns: 1,
		Panels: []figure.Panel{{Curves: &figure.Curves{X: "K", Y: "Pearson", Curves: []figure.Curve{{Name: "A", X: []float64{1, 2, 3}, Y: []float64{4, 6, 5}}}}}},
	}
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	r := &results.Result{
		Header: results.Header{
			Profile: "open", Experiment: "sts", Engine: "cpu", Settings: "name = \"open\" # <settings>", Program: "repro v1", Go: "go1.26", Seed: 1,
			Machine: results.Machine{System: "linux/amd64", Processor: "a processor", Threads: 2, Memory: 16e9}, Started: time.Unix(0, 0).UTC(), Seconds: 75,
		},
		Artefacts: []results.Artefact{{Key: "a", Stage: "counts", Seconds: 3}, {Key: "b", Stage: "counts", Seconds: 4.5}},
		Tables: []*render.Table{
			{ID: "first", Title: "First <table>", Label: "method", Columns: []render.Column{{Name: "A", Digits: 1}},
				Blocks: []render.Block{{Rows: []render.Row{{Label: "x & y", Cells: []render.Cell{{Value: number(41), Printed: number(48.2)}}}}}}},
			{ID: "second", Title: "Second", Label: "method", Columns: []render.Column{{Name: "A"}}},
		},
		Quantities: []results.Quantity{{
			Table: "table1_sts_summary", Row: "a_unsup_glove_tbc/CoMB", Column: "STS12", Variant: results.Paper, Source: "comb", Value: 41, Low: number(38), High: number(44),
		}},
		Figures: []results.Figure{{ID: f.ID, Title: f.Title, Data: data}},
	}
	return Page{
		Profile: "open", Description: "novels", Experiments: []Experiment{{"Sentence similarity", r}},
		Verdict: verdict.Judge("open", []*results.Result{r}),
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample(t)); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if len(page) > 1<<20 {
		t.Errorf("%d bytes", len(page))
	}
	for _, want := range []string{
		"First &lt;table&gt;", "x &amp; y", "(48.2)", "A curve &amp; its band", "What is &lt;seen&gt;.", "1m15s", "7.5 s", "16 GB",
		`<span class="mark bad">differs</span>`, `id="C01"`, `id="C40"`, "&lt;settings&gt;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// Nothing is asked for from outside.
	for _, m := range regexp.MustCompile(`(?i)\b(src|href|srcset|action|data)="([^"]{0,40})`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[2], "#") && !strings.HasPrefix(m[2], "data:") {
			t.Errorf("%s", m[0])
		}
	}
	if m := regexp.MustCompile(`(?i)@import|url\(|fetch\(|XMLHttpRequest|import\(`).FindString(page); m != "" {
		t.Errorf("%q in the page", m)
	}
	// Every link has its target.
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, fmt.Sprintf(`id="%s"`, m[1])) {
			t.Errorf("no target of #%s", m[1])
		}
	}
	// It leads with an answer from the results, and claims lead to their cells.
	for _, want := range []string{"Of the paper&#39;s 30 testable claims 0 hold,", "0 of 1 scores are within one point", `<a href="#table1_sts_summary-`, "CoMB (GloVe, Toronto Books)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// Elements are closed: as XML, with HTML's own empty elements.
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A profile that the paper knows nothing of has no verdict.
func TestPageWithoutVerdict(t *testing.T) {
	p := sample(t)
	p.Verdict = nil
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "#claims") {
		t.Error("links to claims")
	}
}

func TestBrokenFigure(t *testing.T) {
	p := sample(t)
	p.Experiments[0].Results.Figures[0].Data = []byte(`{"panels":7}`)
	if err := Write(io.Discard, p); err == nil || !strings.Contains(err.Error(), "figure9_curve") {
		t.Errorf("error %v, want one that names the figure", err)
	}
}
