package lineage

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"contextmover/experiments/dataset"
)

// CrateName is the name of the file that a folder's crate is in.
const CrateName = "ro-crate-metadata.json"

// A Run is what a crate says of the whole.
type Run struct {
	Name, Description string
	Profile           string // its name
	Settings          string // the profile as TOML
	Program           string
	Started, Ended    time.Time
	// Results are files beside the crate that the run made, such as tables.
	Results []string
}

// The profiles that crates conform to.
const (
	roCrate     = "https://w3id.org/ro/crate/1.1"
	workflowRO  = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
	processRun  = "https://w3id.org/ro/wfrun/process/0.5"
	workflowRun = "https://w3id.org/ro/wfrun/workflow/0.5"
)

type (
	entity map[string]any
	ref    struct {
		ID string `json:"@id"`
	}
)

// Crate returns the metadata of an RO-Crate that describes a run after the profile Workflow Run RO-Crate 0.5, as
// JSON. The settings are the workflow; a CreateAction runs it, and one for each stage tells what was made from what,
// when, and in what time. Files of data are named by their addresses where they were published, or by their checksums
// (RFC 6920). What the store made is not part of the crate, and has identifiers of its own there.
func Crate(run Run, stages []Stage) ([]byte, error) {
	const tool, workflow, language, action = "#repro", "#settings", "#profile", "#run"
	ids := make([]string, len(stages))
	var inputs, made, mentions []ref
	var entities []entity
	mentions = append(mentions, ref{action})
	for i, s := range stages {
		if s.IsFile() {
			ids[i] = fileID(s)
			file := entity{
				"@id": ids[i], "@type": "File", "name": path.Base(s.Of), "description": s.Of, "sha256": s.SHA256,
			}
			if s.Bytes > 0 {
				file["contentSize"] = fmt.Sprint(s.Bytes)
			}
			if len(s.From) == 0 {
				inputs = append(inputs, ref{ids[i]})
			}
			entities = append(entities, file)
			continue
		}
		ids[i] = fmt.Sprintf("#made-%s-%d", s.Name, s.Version)
		made = append(made, ref{ids[i]})
		of := cmp.Or(s.Of, count(s.Number, "artefact"))
		entities = append(entities, entity{
			"@id": ids[i], "@type": "Dataset", "name": s.Name, "description": of, "contentSize": fmt.Sprint(s.Bytes),
		})
	}
	for i, s := range stages {
		if s.IsFile() {
			continue
		}
		id := fmt.Sprintf("#make-%s-%d", s.Name, s.Version)
		var from []ref
		for _, f := range s.From {
			from = append(from, ref{ids[f]})
		}
		make := entity{
			"@id": id, "@type": "CreateAction", "name": "make " + s.Name, "instrument": ref{tool},
			"result":      []ref{{ids[i]}},
			"description": fmt.Sprintf("%s in %.1f s", count(s.Number, "artefact"), s.Seconds),
		}
		if from != nil {
			make["object"] = from
		}
		if !s.Last.IsZero() {
			make["endTime"] = s.Last.UTC().Format(time.RFC3339)
		}
		entities, mentions = append(entities, make), append(mentions, ref{id})
	}
	results := made
	var parts []ref
	for _, name := range run.Results {
		entities = append(entities, entity{"@id": name, "@type": "File", "name": path.Base(name)})
		results, parts = append(results, ref{name}), append(parts, ref{name})
	}
	conforms := []ref{{processRun}, {workflowRun}, {workflowRO}}
	root := entity{
		"@id": "./", "@type": "Dataset", "name": run.Name, "description": run.Description, "conformsTo": conforms,
		"license": "Each file of data has its own licence.", "datePublished": run.Ended.UTC().Format(time.DateOnly),
		"mainEntity": ref{workflow}, "mentions": mentions,
		"hasPart": append(append([]ref{{workflow}}, inputs...), parts...),
	}
	graph := []entity{
		{
			"@id": CrateName, "@type": "CreativeWork", "about": ref{"./"}, "conformsTo": []ref{{roCrate}, {workflowRO}},
		},
		root,
		{"@id": processRun, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		{"@id": workflowRun, "@type": "CreativeWork", "name": "Workflow Run Crate", "version": "0.5"},
		{"@id": workflowRO, "@type": "CreativeWork", "name": "Workflow RO-Crate", "version": "1.0"},
		{
			"@id": workflow, "@type": []string{"File", "SoftwareSourceCode", "ComputationalWorkflow"},
			"name": "the profile " + run.Profile, "text": run.Settings, "encodingFormat": "application/toml",
			"programmingLanguage": ref{language},
		},
		{
			"@id": language, "@type": "ComputerLanguage", "name": "profile of Context Mover, in TOML",
			"url": "https://toml.io/",
		},
		{
			"@id": tool, "@type": "SoftwareApplication", "name": "repro, of Context Mover",
			"softwareVersion": run.Program,
		},
		{
			"@id": action, "@type": "CreateAction", "name": run.Name, "instrument": ref{workflow},
			"object": orNone(inputs),
			"result": orNone(results), "endTime": run.Ended.UTC().Format(time.RFC3339),
			"startTime": run.Started.UTC().Format(time.RFC3339),
		},
	}
	text, err := json.MarshalIndent(entity{
		"@context": []string{roCrate + "/context", "https://w3id.org/ro/terms/workflow-run/context"},
		"@graph":   append(graph, entities...),
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("lineage: %w", err)
	}
	return append(text, '\n'), nil
}

// orNone makes a list of nothing an empty one.
func orNone(refs []ref) []ref {
	if refs == nil {
		return []ref{}
	}
	return refs
}

// fileID is the address of a file where it was published, or names it by its checksum.
func fileID(s Stage) string {
	if f, ok := dataset.Lookup(s.Of); ok && f.SHA256 == s.SHA256 && !strings.HasSuffix(f.Path, "/") {
		if address := f.Address(dataset.Host); address != "" {
			return address
		}
	}
	sum, err := hex.DecodeString(s.SHA256)
	if err != nil {
		return "#file-" + s.SHA256
	}
	return "ni:///sha-256;" + base64.RawURLEncoding.EncodeToString(sum)
}
