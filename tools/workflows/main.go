// Command workflows prints what the workflows of hosted continuous integration run, a command a line.
//
//	go -C tools run ./workflows ../.github/workflows/ci.yml
package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
)

func main() {
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		var commands []string
		if err == nil {
			commands, err = steps(text)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "workflows: %s: %v\n", path, err)
			os.Exit(1)
		}
		for _, c := range commands {
			fmt.Println(c)
		}
	}
}

var matrixValue = regexp.MustCompile(`\$\{\{ *matrix\.([\w-]+) *\}\}`)

// steps returns the commands of a workflow's run steps, each once for every value of the matrix that it names.
// They are sorted by job, and stand in their job's order.
func steps(text []byte) (commands []string, err error) {
	workflow, problems := actionlint.Parse(text)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	var jobs []string
	for id := range workflow.Jobs {
		jobs = append(jobs, id)
	}
	slices.Sort(jobs)
	for _, id := range jobs {
		for _, s := range workflow.Jobs[id].Steps {
			run, ok := s.Exec.(*actionlint.ExecRun)
			if !ok {
				continue
			}
			of, err := expand(strings.TrimSpace(run.Run.Value), workflow.Jobs[id].Strategy)
			if err != nil {
				return nil, fmt.Errorf("job %s: %w", id, err)
			}
			commands = append(commands, of...)
		}
	}
	return commands, nil
}

// expand returns a command with each value of the matrix that it names.
func expand(command string, strategy *actionlint.Strategy) ([]string, error) {
	named := matrixValue.FindStringSubmatch(command)
	if named == nil {
		if strings.Contains(command, "${{") {
			return nil, fmt.Errorf("%q: expected no expression but one of the matrix", command)
		}
		return []string{command}, nil
	}
	if strategy == nil || strategy.Matrix == nil || strategy.Matrix.Rows[named[1]] == nil {
		return nil, fmt.Errorf("%q: the job's matrix has no %q", command, named[1])
	}
	var commands []string
	for _, v := range strategy.Matrix.Rows[named[1]].Values {
		value, ok := v.(*actionlint.RawYAMLString)
		if !ok {
			return nil, errors.New("a matrix of other than words")
		}
		more, err := expand(strings.ReplaceAll(command, named[0], value.Value), strategy)
		if err != nil {
			return nil, err
		}
		commands = append(commands, more...)
	}
	return commands, nil
}
