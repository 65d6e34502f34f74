package main

import (
	"context"
	"fmt"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
)

// quality prints how well the methods of a space agree with people on STS12 to 16 and whatever files are given.
func quality(ctx context.Context, s *cmdlib.Space, data string, methods, more []string) error {
	type group struct {
		name  string
		files []string
	}
	var groups []group
	for _, year := range []string{"2012", "2013", "2014", "2015", "2016"} {
		files, err := files(data, year)
		if err != nil {
			return err
		}
		groups = append(groups, group{"STS" + year[2:], files})
	}
	for _, file := range more {
		groups = append(groups, group{filepath.Base(file), []string{file}})
	}
	for _, m := range methods {
		fmt.Printf("| %s |", m)
		test := 0.0
		for i, g := range groups {
			sum := 0.0
			var only score.Estimate
			for _, file := range g.files {
				pairs, err := dataset.ReadPairs(file)
				if err != nil {
					return err
				}
				texts, gold := make([]cmdlib.Pair, len(pairs)), make([]float64, len(pairs))
				for k, p := range pairs {
					texts[k], gold[k] = cmdlib.Pair{A: p.A, B: p.B}, p.Gold
				}
				by, err := s.Method(m)
				if err != nil {
					return err
				}
				scores, err := s.Score(ctx, texts, by, nil)
				if err != nil {
					return err
				}
				if only, err = score.Correlate(ctx, score.Pearson, scores.Value, gold, 1000, 1); err != nil {
					return err
				}
				sum += 100 * only.Value / float64(len(g.files))
			}
			switch {
			case i < 4:
				test += sum / 4
				fmt.Printf(" %s %.1f |", g.name, sum)
			case len(g.files) == 1:
				fmt.Printf(" %s %.1f [%.1f, %.1f] |", g.name, sum, 100*only.Low, 100*only.High)
			default:
				fmt.Printf(" %s %.1f |", g.name, sum)
			}
		}
		fmt.Printf(" STS12–15 %.1f |\n", test)
	}
	return nil
}
