package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
)

// Settings that cannot be served are refused before the work, as wrong usage that names the key: the first artefact
// that is not the text or its vocabulary ends the run.
func TestSettingsAreRefusedEarly(t *testing.T) {
	store := quickFolder(t)
	defer disk.Inject(func(_ disk.Op, path string) error {
		name, below := strings.CutPrefix(path, store+"/")
		if stage, _, _ := strings.Cut(name, "/"); below && !strings.HasPrefix(stage, ".") && !slices.Contains([]string{"tmp", "miniworld", "vocabulary"}, stage) {
			return errors.New("the work was begun: there is an artefact of the stage " + stage)
		}
		return nil
	})()
	for set, want := range map[string]string{
		"sts.defaults.clusters=1000000000": "profile: --set sts.defaults.clusters=1000000000: sts.defaults.clusters: 1000000000, expected at most ",
		"clusters.k=[20, 1000000000]":      "clusters.k[1]: 1000000000, expected at most ",
		"sts.defaults.reg=1e-300":          "sts.defaults.reg: 1e-300, expected 1e-09 to 1e+09",
		"corpus.min_count=1000000000":      "corpus.min_count: 1000000000, expected at most 60000",
		"corpus.min_count=60000":           "corpus.min_count: 60000: no word is frequent enough: none of the ",
		"name=a\x00b":                      "expected a name for files and folders",
		"name=" + strings.Repeat("x", 400): "expected a name for files and folders",
	} {
		_, stderr := answer(t, cli.ExitUsage, "run", "sts", "--store", store, "--set", "corpus.tokens=60000",
			"--set", "vectors.dim=20", "--set", "space.method=euclidean,clusters=20,weights=inverse", "--set", set)
		if !strings.Contains(stderr, want) {
			t.Errorf("%s: %s, want %s", set, stderr, want)
		}
	}
}
