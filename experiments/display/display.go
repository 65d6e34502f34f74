// Package display shows results in a notebook: tables, figures, words, plans and
// the progress of what is computed. Its functions make cells short: they take the
// context of the cell and the space, and then what is asked; an error ends the cell.
//
//	display.Explanation(ctx, space, "violin", "guitar", 5)
//
// Table and Figure, which show what many functions make, take what these return.
//
// Every cell of a GoNB notebook is a program of its own, which is why what is shown
// comes from the store and not from variables. Where no notebook listens, the same
// is written to standard output as text.
//
// The output depends on the arguments alone: no dates, no durations.
package display

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"os"
	"os/signal"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"contextmover/experiments"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

func init() {
	// Without these, nested values are lost on their way to the kernel.
	gob.Register(map[string]any{})
	gob.Register([]any{})
	// The steps of a computation are shown as progress; only what is wrong is worth a
	// line in a cell.
	slog.SetLogLoggerLevel(slog.LevelWarn)
}

// Context returns the context of a cell, which ends when the cell is interrupted.
func Context() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return ctx
}

// DataVariable names the folder of real data of a notebook's profile; store.Variable names that of finished artefacts.
const DataVariable = "CONTEXTMOVER_DATA"

// Open opens a profile, by its name or the path of its file, with the fastest engine.
// Its long steps are shown as progress.
func Open(name string) *pipeline.Workspace {
	data := os.Getenv(DataVariable)
	if data == "" {
		data, _ = dataset.DefaultDir() // who needs it says that there is none
	}
	return &pipeline.Workspace{
		Profile: must(profile.Load(name, nil)), Store: must(store.Open(must(store.DefaultDir()))), Data: data,
		Engine: engine(), Progress: bar.step,
	}
}

// check ends the cell if there is an error.
func check(err error) {
	if err == nil {
		return
	}
	bar.clear()
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// must returns a value where there is no error; else it ends the cell.
func must[T any](value T, err error) T {
	check(err)
	return value
}

// send shows one thing: as HTML or another form where a notebook listens, else as the
// plain text.
func send(id string, forms map[protocol.MIMEType]any) {
	if !gonbui.IsNotebook {
		if text := forms[protocol.MIMETextPlain]; text != "" && id == "" {
			fmt.Println(strings.TrimRight(text.(string), "\n"))
		}
		return
	}
	gonbui.SendData(&protocol.DisplayData{Data: forms, DisplayID: id})
	if id == "" {
		flush()
	}
}

// flush waits until the kernel has everything; what it cannot get is an error of the
// cell, else an output would be missing in silence.
func flush() {
	done := make(chan struct{})
	go func() {
		gonbui.Sync()
		close(done)
	}()
	const patience = 30 * time.Second
	select {
	case <-done:
	case <-time.After(patience):
		fmt.Fprintf(os.Stderr, "display: the kernel does not take what is to be shown (for %v)\n", patience)
		os.Exit(1)
	}
	if err := gonbui.Error(); err != nil {
		fmt.Fprintf(os.Stderr, "display: what is to be shown does not reach the kernel: %v\n", err)
		os.Exit(1)
	}
}

// page shows a fragment of HTML, or text where there is no page.
func page(fragment, text string) {
	bar.clear()
	send("", map[protocol.MIMEType]any{protocol.MIMETextHTML: fragment, protocol.MIMETextPlain: text})
}

// Table shows a table, with the paper's number in parentheses next to ours. Its plain
// text is that of the file that repro writes.
func Table(t *render.Table, err error) {
	check(err)
	fragment, text, err := tableForms(t)
	check(err)
	page(fragment, text)
}

// tableForms returns the table as HTML and as text.
func tableForms(t *render.Table) (string, string, error) {
	var fragment, text bytes.Buffer
	if err := render.HTML(&fragment, t); err != nil {
		return "", "", err
	}
	err := render.Text(&text, t, render.Terminal)
	return fragment.String(), text.String(), err
}

// Figure shows a figure with its title and caption below. On the page, what the pointer rests on tells its numbers.
// Where no HTML is shown, it is an image with the same bytes as in the file that repro writes. It returns the figure,
// for Save.
func Figure(f *figure.Figure, err error) *figure.Figure {
	check(err)
	var svg bytes.Buffer
	check(figure.SVG(&svg, f))
	bar.clear()
	send("", map[protocol.MIMEType]any{
		protocol.MIMETextHTML: inline(svg.String()), protocol.MIMEImageSVG: svg.String(),
		protocol.MIMETextPlain: "[figure " + f.ID + "]",
	})
	title, caption := printable.Text(f.Title), printable.Text(f.Caption)
	page(fmt.Sprintf("<p><small><b>%s.</b> %s</small></p>\n", html.EscapeString(strings.TrimSuffix(title, ".")),
		html.EscapeString(caption)),
		title+"\n"+caption)
	return f
}

// Save writes a figure into a file, as SVG, PDF or PNG by its name, and says so. The file is named from the
// notebook's folder.
//
//	display.Save(display.Figure(drawings.Flow(ctx, "flow", "violin", "guitar", 6)), "flow.pdf")
func Save(f *figure.Figure, path string) {
	check(figure.WriteFiles(f, path))
	page(fmt.Sprintf("<p>wrote %s</p>\n", html.EscapeString(printable.Text(path))), "wrote "+printable.Text(path))
}

// inline is an SVG file as a part of a page.
func inline(svg string) string { return svg[strings.Index(svg, "<svg"):] }

// Experiment runs an experiment of the profile and shows its tables and figures. Patterns, such as "table*_detail"
// (see path.Match), choose those whose ids match, in the order of the patterns. What the store has is not computed
// again. Since profiles differ in their sets, a pattern may match nothing, but not all of them; if none matches what
// the experiment may make, that is said before anything is computed.
func Experiment(ctx context.Context, w *pipeline.Workspace, name string, patterns ...string) {
	for _, show := range must(run(ctx, w, name, patterns)) {
		show()
	}
}

// Recorded shows tables of the recorded run of a profile, which takes no data; patterns are those of Experiment.
func Recorded(profile string, patterns ...string) {
	output := new(pipeline.Output)
	for _, r := range must(verdict.RecordedResults(profile)) {
		output.Tables = append(output.Tables, r.Tables...)
	}
	parts, err := pick(output, patterns)
	if err != nil {
		err = fmt.Errorf("display: the recorded run of profile %s %w", profile, err)
	}
	check(err)
	for _, show := range parts {
		show()
	}
}

// run returns what shows the parts of an experiment's output whose ids match.
func run(ctx context.Context, w *pipeline.Workspace, name string, patterns []string) ([]func(), error) {
	experiment, err := find(name)
	if err != nil {
		return nil, err
	}
	var parts []func()
	if _, err = match(experiment.IDs(w.Profile), patterns); err == nil {
		var output *pipeline.Output
		if output, err = experiment.Run(ctx, w); err != nil {
			return nil, err
		}
		parts, err = pick(output, patterns)
	}
	if err != nil {
		return nil, fmt.Errorf("display: the experiment %s of profile %s %w", name, w.Profile.Name, err)
	}
	return parts, nil
}

// find returns the experiment of a name.
func find(name string) (experiments.Experiment, error) {
	var names []string
	for _, e := range experiments.Experiments() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return experiments.Experiment{},
		fmt.Errorf("display: no experiment %q; there are %s", name, strings.Join(names, ", "))
}

// pick returns what shows the parts of an output whose ids match.
func pick(output *pipeline.Output, patterns []string) ([]func(), error) {
	var ids []string
	var show []func()
	for _, t := range output.Tables {
		ids, show = append(ids, t.ID), append(show, func() { Table(t, nil) })
	}
	for _, f := range output.Figures {
		ids, show = append(ids, f.ID), append(show, func() { Figure(f, nil) })
	}

	chosen, err := match(ids, patterns)
	var parts []func()
	for _, i := range chosen {
		parts = append(parts, show[i])
	}
	return parts, err
}

// match returns the places of the ids that match, in the order of the patterns; all, if there is no pattern. It is an
// error if no id matches.
func match(ids, patterns []string) (chosen []int, err error) {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	for _, pattern := range patterns {
		for i, id := range ids {
			ok, err := path.Match(pattern, id)
			if err != nil {
				return nil, fmt.Errorf("has the pattern %q: %w", pattern, err)
			}
			if ok {
				chosen = append(chosen, i)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("has no table or figure %s; it has %s",
			strings.Join(patterns, ", "), strings.Join(ids, ", "))
	}
	return chosen, nil
}

// Profile shows what a profile is: its description, its corpus and its engine.
func Profile(ctx context.Context, w *pipeline.Workspace) {
	stats, v := must(w.CorpusStats(ctx)), must(w.Vocabulary(ctx))
	facts(fmt.Sprintf("Profile %s", w.Profile.Name), []fact{
		{"what it is", w.Profile.Description},
		{"tokens", fmt.Sprint(stats.Tokens)},
		{"vocabulary", fmt.Sprintf("%d words that occur at least %d times", v.Len(), w.Profile.Corpus.MinCount)},
		{"transport", "engine " + w.Engine.Name()},
	})
}

// fact is a name and what it names.
type fact struct{ name, value string }

// facts shows a list of facts under a title.
func facts(title string, list []fact) { page(factForms(title, list)) }

// factForms returns the list as HTML and as text.
func factForms(title string, list []fact) (string, string) {
	title = printable.Text(title)
	var fragment, text strings.Builder
	fmt.Fprintf(&fragment, "<table>\n<caption style=\"text-align:left\"><b>%s</b></caption>\n<tbody>\n",
		html.EscapeString(title))
	fmt.Fprintln(&text, title)
	for _, f := range list {
		f.value = printable.Text(f.value)
		fmt.Fprintf(&fragment, "<tr><th align=\"left\" style=\"text-align:left\">%s</th><td align=\"left\" "+
			"style=\"text-align:left\">%s</td></tr>\n", html.EscapeString(f.name), html.EscapeString(f.value))
		fmt.Fprintf(&text, "  %-12s %s\n", f.name, f.value)
	}
	fragment.WriteString("</tbody>\n</table>\n")
	return fragment.String(), text.String()
}
