package lineage

import (
	"fmt"
	"path"
	"slices"

	"contextmover/experiments/figure"
)

// Direct returns stages without the lines that others imply: of what a stage is made from, what nothing else that it is
// made from is made from.
func Direct(stages []Stage) []Stage {
	// below[i] tells what stage i is made from, through others too; stages come after what they are made from.
	below := make([][]bool, len(stages))
	direct := slices.Clone(stages)
	for i, s := range stages {
		below[i] = make([]bool, len(stages))
		implied := make([]bool, len(stages))
		for _, from := range s.From {
			below[i][from] = true
			for j, is := range below[from] {
				below[i][j] = below[i][j] || is
				implied[j] = implied[j] || is
			}
		}
		direct[i].From = slices.DeleteFunc(slices.Clone(s.From), func(from int) bool { return implied[from] })
	}
	return direct
}

// Figure draws what something was made from: from left to right, each stage after what it is made from. Files that the
// same stages are made from share a box.
func Figure(id, title string, stages []Stage, size func(bytes int64) string) *figure.Figure {
	stages = Direct(stages)
	into := make([]string, len(stages)) // the stages that are made from each
	for i, s := range stages {
		for _, from := range s.From {
			into[from] += fmt.Sprint(" ", i)
		}
	}
	g := &figure.Graph{}
	box := make([]int, len(stages)) // of each stage
	files := map[string]int{}       // boxes of files, by what is made from them
	number, bytes := map[int]int{}, map[int]int64{}
	for i, s := range stages {
		column := 0
		var from []int
		for _, f := range s.From {
			if !slices.Contains(from, box[f]) {
				from = append(from, box[f])
			}
			column = max(column, g.Boxes[box[f]].Column+1)
		}
		if at, there := files[into[i]]; there && s.IsFile() {
			box[i] = at
			number[at]++
			bytes[at] += s.Bytes
			g.Boxes[at].Name, g.Boxes[at].Lines = fmt.Sprintf("%d files", number[at]), nil
			if bytes[at] > 0 {
				g.Boxes[at].Lines = []string{size(bytes[at])}
			}
			continue
		}
		box[i] = len(g.Boxes)
		b := figure.Box{Column: column, From: from, Name: s.Name, Colour: figure.Colours[0]}
		if s.IsFile() {
			files[into[i]], number[box[i]], bytes[box[i]] = box[i], 1, s.Bytes
			b.Name, b.Colour, b.Lines = path.Base(s.Of), figure.Colours[2], []string{fmt.Sprintf("%.12s", s.SHA256)}
		} else {
			b.Lines = []string{count(s.Number, "artefact"), fmt.Sprintf("%.1f s", s.Seconds)}
		}
		if s.Bytes > 0 {
			b.Lines = append(b.Lines, size(s.Bytes))
		}
		g.Boxes = append(g.Boxes, b)
	}
	columns, most, inColumn := 1, 1, map[int]int{}
	for _, b := range g.Boxes {
		columns = max(columns, b.Column+1)
		inColumn[b.Column]++
		most = max(most, inColumn[b.Column])
	}
	return &figure.Figure{
		ID: id, Title: title,
		Caption: "Files of data are blue; each box is made from those whose lines reach it from the left.",
		Width:   min(4900, float64(columns)*96), Height: max(60, min(4900, float64(most)*50)), Columns: 1,
		Panels: []figure.Panel{{Graph: g}},
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
