package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/experiments/harness/prepare"
	"contextmover/experiments/repro/cli"
	"contextmover/scale/files"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// remote starts a server that speaks as S3, and one that speaks as Google Cloud Storage,
// each with an empty bucket called bucket, and has Beam's file systems ask them.
func remote(t *testing.T) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": s3.URL, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	host := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	gcs, err := fakestorage.NewServerWithOptions(fakestorage.Options{Scheme: "http", Host: "127.0.0.1", Port: uint16(port), PublicHost: host, Writer: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gcs.Stop)
	gcs.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "bucket"})
	t.Setenv("STORAGE_EMULATOR_HOST", host)
}

// put puts a file into a bucket.
func put(t *testing.T, url, content string) {
	t.Helper()
	system, err := filesystem.New(t.Context(), url)
	if err == nil {
		defer system.Close()
		err = filesystem.Write(t.Context(), system, url, []byte(content))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// get reads the files of a bucket by their names behind a prefix.
func get(t *testing.T, prefix string) map[string]string {
	t.Helper()
	system, err := filesystem.New(t.Context(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	names, err := system.List(context.Background(), prefix+"*")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range names {
		content, err := filesystem.Read(t.Context(), system, name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(name, prefix)] = string(content)
	}
	return files
}

// Text that lies in S3 and in Google Cloud Storage is counted as if it lay here, and the
// counts come to lie there, too. What has been copied is not copied again; what is damaged is.
func TestRemote(t *testing.T) {
	dir, want := world(t)
	remote(t)
	text, err := os.ReadFile(filepath.Join(dir, "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	half := len(text)/2 + strings.IndexByte(string(text[len(text)/2:]), '\n') + 1
	for _, scheme := range []string{"s3", "gs"} {
		t.Run(scheme, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Join(dir, "job")); err != nil {
				t.Fatal(err)
			}
			at := scheme + "://bucket/some/"
			put(t, at+"corpus-0.txt", string(text[:half]))
			put(t, at+"corpus-1.txt", string(text[half:]))
			put(t, at+"other", "not a part of it")
			command := []string{"count", "--text", at + "corpus-*.txt", "--min-count", "3", "--size", "30kB", "--out", "job", "--to", scheme + "://bucket/counts/"}
			run := func() string {
				t.Helper()
				return exits(t, 0, scale(t, dir, command...))
			}
			run()
			same(t, dir, want)
			there := get(t, scheme+"://bucket/counts/")
			if len(there) != len(want) {
				t.Errorf("%d files there, want %d", len(there), len(want))
			}
			for name, content := range want {
				if there[name] != content {
					t.Errorf("%s there has %d bytes, which are not the %d of repro corpus count", name, len(there[name]), len(content))
				}
			}
			copies, err := filepath.Glob(filepath.Join(dir, "job", "*put", "*"))
			if err != nil || len(copies) != 2*2+2+2 { // folders, stamps and lists
				t.Fatalf("%q, %v", copies, err)
			}
			stat := func() map[string]os.FileInfo {
				t.Helper()
				files := map[string]os.FileInfo{}
				for _, pattern := range []string{"input/*/corpus-*.txt", "*put/0*.json"} {
					names, err := filepath.Glob(filepath.Join(dir, "job", pattern))
					if err != nil || len(names) < 2 {
						t.Fatalf("%s: %q, %v", pattern, names, err)
					}
					for _, name := range names {
						if files[name], err = os.Stat(name); err != nil {
							t.Fatal(err)
						}
					}
				}
				return files
			}
			before := stat()
			run()
			kept(t, before, stat())

			copied := filepath.Join(dir, "job", "input", "00001", "corpus-1.txt")
			content, err := os.ReadFile(copied)
			if err != nil {
				t.Fatal(err)
			}
			content[100] ^= 1
			if err := os.WriteFile(copied, content, 0o666); err != nil {
				t.Fatal(err)
			}
			put(t, scheme+"://bucket/counts/vocab.txt", "cut")
			run()
			if content, err := os.ReadFile(copied); err != nil || string(content) != string(text[half:]) {
				t.Errorf("a damaged copy is not mended: %v", err)
			}
			if now := get(t, scheme+"://bucket/counts/")["vocab.txt"]; now != want["vocab.txt"] {
				t.Errorf("a result that is cut there is not mended: %q", now)
			}

			put(t, at+"corpus-1.txt", string(text[half:])+"more .\n")
			if out := exits(t, cli.ExitData, scale(t, dir, command...)); !strings.Contains(out, "files have changed since") {
				t.Errorf("text has changed, and it says %s", out)
			}
			put(t, at+"pairs.tsv", "lion\ttiger\n")
			exits(t, 0, scale(t, dir, "distance", "--pairs", at+"pairs.tsv", "--out", scheme, "--to", at+"answers"))
			if answers, here := get(t, at+"answers/"), contents(t, filepath.Join(dir, scheme)); len(answers) != 1 || answers["distances.txt"] == "" || answers["distances.txt"] != here["distances.txt"] {
				t.Errorf("answers there %q, here %q", answers, here)
			}

			var paths []string
			for i := range 3 {
				name, text := fmt.Sprintf("%d.jsonl", i), strings.Repeat(fmt.Sprintf("{\"text\": \"There were %d of them in it, and nobody had seen them.\"}\n", i), 3)
				put(t, at+name, text)
				paths = append(paths, filepath.Join(dir, scheme, name))
				if err := os.WriteFile(paths[i], []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			whole := filepath.Join(dir, scheme+"-whole")
			if _, err := prepare.Run(t.Context(), whole, prepare.Options{Sources: []prepare.Source{{Kind: prepare.JSON, Paths: paths}}, Seed: 1}); err != nil {
				t.Fatal(err)
			}
			exits(t, 0, scale(t, dir, "prepare", "--json-lines", at+"*.jsonl", "--out", scheme+"-job", "--to", at+"prepared"))
			if there, want := get(t, at+"prepared/"), contents(t, whole); len(want) != 4 || !maps.Equal(there, want) {
				t.Errorf("prepared there %q, by one process %q", there, want)
			}
		})
	}
}

// A file that is sent in several parts comes back as it was; one that is not as it was listed does not come.
func TestRemoteLarge(t *testing.T) {
	dir := t.TempDir()
	remote(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	content := make([]byte, 40<<20)
	rand.NewChaCha8([32]byte{1}).Read(content)
	if err := os.WriteFile(at("file"), content, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"s3://bucket/file", "gs://bucket/file"} {
		makes := func(c files.Copy, want bool) {
			t.Helper()
			if made, err := c.Do(t.Context(), at("stamp")); err != nil || made != want {
				t.Errorf("%v: made %t, want %t, %v", c, made, want, err)
			}
		}
		out := files.Copy{From: at("file"), To: url, Bytes: int64(len(content))}
		makes(out, true)
		makes(out, false)
		list, err := files.List(t.Context(), url)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		back := list[0]
		back.To = at("back")
		makes(back, true)
		if got, err := os.ReadFile(at("back")); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes came back, which are not those that went, %v", url, len(got), err)
		}
		back.Bytes++
		if _, err := back.Do(t.Context(), at("stamp")); err == nil || !strings.Contains(err.Error(), "when it was listed") {
			t.Errorf("a file that has changed: %v", err)
		}
		if left, _ := filepath.Glob(at(".*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
		if err := os.Remove(at("back")); err != nil {
			t.Fatal(err)
		}
	}
}

// What is not there, and what is no file system, is an error with its name.
func TestRemoteErrors(t *testing.T) {
	dir := t.TempDir()
	remote(t)
	put(t, "s3://bucket/corpus.txt", "a text\n")
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"count --text s3://bucket/absent*":                                     {cli.ExitData, "s3://bucket/absent*: no such files"},
		"count --text gs://nowhere/a":                                          {cli.ExitData, "gs://nowhere/a"},
		"count --text hdfs://host/a":                                           {cli.ExitData, "hdfs://host/a: there is no such file system, expected gs://, s3:// or a path"},
		"count --text s3://bucket/corpus.txt --to here":                        {cli.ExitUsage, "--to=here: expected gs://BUCKET/FOLDER"},
		"search --texts s3://bucket/c --in a --to here":                        {cli.ExitUsage, "--to=here: expected gs://BUCKET/FOLDER"},
		"count --text s3://bucket/corpus.txt --min-count 1 --to s3://absent/a": {cli.ExitFailed, "to s3://absent/a/"},
	} {
		out := exits(t, want.code, scale(t, dir, append(strings.Fields(args), "--out", fmt.Sprintf("job%x", args))...))
		if last := lastLine(out); !strings.HasPrefix(last, "repro-scale: ") || !strings.Contains(last, want.says) {
			t.Errorf("%s: it says %s, want %s", args, last, want.says)
		}
	}
	c := scale(t, dir, "count", "--text", "s3://bucket/corpus.txt", "--out", "job")
	c.Env = append(os.Environ(), "AWS_PROFILE=nobody")
	if last := lastLine(exits(t, cli.ExitData, c)); !strings.Contains(last, "nobody") {
		t.Errorf("with a profile that is not there it says %s", last)
	}
}
