// Package pipelinetest makes small workspaces for tests.
package pipelinetest

import (
	"testing"

	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// Space is the method of the space of World.
const Space = "euclidean,clusters=20,metric=angular,spherical=true,clip=0,weights=inverse,a=1e-4"

// World is a workspace on a small mini world.
func World(t *testing.T, overrides ...string) *pipeline.Workspace {
	t.Helper()
	p, err := profile.Load("mini", append([]string{
		"corpus.tokens=60_000", "vectors.dim=20", "space.method=" + Space,
	}, overrides...))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := engines.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Workspace{Profile: p, Store: s, Engine: engine}
}
