// Command fused compiles packages for arm64 and names the places where the compiler fuses a product and a sum into one
// instruction, which rounds once where amd64 rounds twice:
//
//	fused ./...
//
// A conversion of the product, float64(x*y) + z, keeps them apart. Where one rounding is meant, math.FMA says so.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A fused instruction in the compiler's listing, with the file and the line that it is of.
var fused = regexp.MustCompile(`\((/[^()]*\.go):(\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)

// What the compiler says of a mistake.
var mistake = regexp.MustCompile(`^\S+\.go:\d+:\d+: `)

// What may be fused: places on a page, and the problems that tests make.
var free = regexp.MustCompile(`^(experiments/(show/(figure|render)|judge/report)|cmdlib/ot/ottest)/`)

func main() {
	log.SetFlags(0)
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	listing, err := compile(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	places, err := find(listing, root+"/")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range places {
		fmt.Println(p)
	}
	if len(places) > 0 {
		log.Fatalf("fused: the compiler fuses a product with a sum in %d lines, so that arm64 gives other bits than "+
			"amd64: "+
			"convert the product, float64(x*y) + z", len(places))
	}
}

// command returns a command of Go's for arm64.
func command(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	return c
}

// compile returns the compiler's listing of packages, without those that have tests alone.
func compile(patterns []string) (io.Reader, error) {
	list := command(append([]string{"list", "-e", "-f", "{{if .GoFiles}}{{.ImportPath}}{{end}}"}, patterns...)...)
	list.Stderr = os.Stderr
	packages, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("fused: go list: %w", err)
	}
	c := command(append([]string{"build", "-gcflags=-S"}, strings.Fields(string(packages))...)...)
	var listing strings.Builder
	c.Stderr = &filter{to: &listing}
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("fused: go build: %w\n%s", err, listing.String())
	}
	return strings.NewReader(listing.String()), nil
}

// A filter keeps of a listing, of hundreds of megabytes, fused instructions and mistakes.
type filter struct {
	to   *strings.Builder
	rest []byte
}

func (f *filter) Write(p []byte) (int, error) {
	f.rest = append(f.rest, p...)
	for {
		end := slices.Index(f.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		if line := f.rest[:end+1]; mistake.Match(line) || fused.Match(line) {
			f.to.Write(line)
		}
		f.rest = f.rest[end+1:]
	}
}

// find returns the places, file:line: source, of a listing's fused instructions in files below root, without those of
// math.FMA.
func find(listing io.Reader, root string) ([]string, error) {
	places := map[string]bool{}
	sources := map[string][]string{}
	scanner := bufio.NewScanner(listing)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		m := fused.FindStringSubmatch(scanner.Text())
		if m == nil || !strings.HasPrefix(m[1], root) || free.MatchString(strings.TrimPrefix(m[1], root)) {
			continue
		}
		if sources[m[1]] == nil {
			text, err := os.ReadFile(m[1])
			if err != nil {
				return nil, err
			}
			sources[m[1]] = strings.Split(string(text), "\n")
		}
		line, err := strconv.Atoi(m[2])
		if err != nil || line < 1 || line > len(sources[m[1]]) {
			return nil, fmt.Errorf("fused: a listing names line %s of %s", m[2], m[1])
		}
		source := strings.TrimSpace(sources[m[1]][line-1])
		if !strings.Contains(source, "math.FMA(") {
			places[fmt.Sprintf("%s:%d: %s", strings.TrimPrefix(m[1], root), line, source)] = true
		}
	}
	return slices.Sorted(maps.Keys(places)), scanner.Err()
}
