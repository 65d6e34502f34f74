package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The scripts of docs/scale.md prepare what one process prepares, and count what one process counts: those for xargs
// as they stand, those for Slurm with an sbatch that runs what it is given, the one for Kubernetes for each index.
func TestScriptsOfScale(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: starts dozens of processes; leave out -short")
	}
	for _, name := range []string{"sh", "xargs", "seq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: no %s here", name)
		}
	}
	page, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	var scripts []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1) {
		scripts = append(scripts, string(m[1]))
	}
	inPod := regexp.MustCompile(`command: \[sh, -c, '(.*)'\]`).FindSubmatch(page)
	if len(scripts) != 4 || inPod == nil {
		t.Fatalf("%d scripts on the page, and one for Kubernetes: %t", len(scripts), inPod != nil)
	}
	dir, _ := jobWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	// TestMain runs main for a process of this name.
	write("bin/repro", "#!/bin/bash\nexec -a repro '"+self+"' \"$@\"\n")
	write("bin/sbatch", `#!/bin/sh
for a; do case "$a" in --export=*) for v in $(echo "${a#--export=ALL,}" | tr , ' '); do export "$v"; done;; esac; last=$a; done
n=$(sed -n 's/^#SBATCH --array=1-\(.*\)/\1/p' "$last")
test "$n" = 100 || exit
for i in 1 2 3; do SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=3 sh "$last" >&2 || exit; done
echo 17
`)
	sh := func(in, script string, environment ...string) {
		t.Helper()
		c := exec.Command("sh", "-c", script)
		c.Dir = filepath.Join(dir, in)
		c.Env = append(os.Environ(), append(environment, "GOMAXPROCS=1", "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v:\n%s\n%s", err, script, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, in := range []string{"xargs", "slurm", "pods"} {
		write(in+"/corpus/a.txt", strings.Join(lines[:len(lines)/3], ""))
		write(in+"/corpus/b.txt", strings.Join(lines[len(lines)/3:], ""))
	}
	write("raw/raw/a.txt", strings.Join(lines[:len(lines)/3], ""))
	write("raw/raw/b.txt", strings.Join(lines[len(lines)/3:], ""))
	sh("raw", "repro corpus prepare --text raw --out whole")
	sh("raw", scripts[0])
	same(t, "raw", contents(t, filepath.Join(dir, "raw", "whole")), contents(t, filepath.Join(dir, "raw", "job", "corpus")))

	sh("xargs", "repro corpus count --text corpus/*.txt --out whole")
	want := contents(t, filepath.Join(dir, "xargs", "whole"))
	sh("xargs", scripts[1])
	write("slurm/count.slurm", scripts[2])
	sh("slurm", scripts[3])
	sh("pods", "repro corpus shard --text corpus/*.txt --out job")
	for _, step := range []string{"words", "pairs", "merge"} {
		for _, index := range []string{"0", "1"} {
			sh("pods", strings.Replace(string(inPod[1]), "corpus pairs", "corpus "+step, 1), "JOB_COMPLETION_INDEX="+index, "SHARES=2")
		}
	}
	for _, in := range []string{"xargs", "slurm", "pods"} {
		same(t, in, want, contents(t, filepath.Join(dir, in, "job", "counts")))
	}
}
