package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/ort/orttest"
)

// TestDocuments runs the commands that README.md and docs/*.md show and compares what they
// print. A block of code whose first line starts with "$ " is run, in the order of its page,
// in a folder of its own that has testdata in it. If a command shows no output, any is right.
// In the shown output "…" stands for any text, and alone on a line for any number of lines.
//
// Words behind the fence change this. A block that cannot be run here says why, as in
// ```console skip: needs a GPU. The last command of ```console exit 3 ends with exit code 3,
// all others with 0. A block of ```yaml job.yaml is the file of that name.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs models for about a minute")
	}
	library := orttest.Library(t) // the examples run models
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range documents(t) {
		blocks := blocksOf(readPage(t, page))
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Symlink(data, filepath.Join(dir, "testdata")); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				b.run(t, dir, library)
			}
		})
	}
}

// documents are the pages for users and contributors, from the root of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs has no pages: %v", err)
	}
	return append([]string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"}, pages...)
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// run runs a command in dir. It ends the test if the exit code is another one than code,
// because later commands of the page read what this one writes.
func (c shown) run(t *testing.T, dir, library string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", c.line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LATHE_ORT_LIB="+library)
	for _, kind := range []string{"CACHE", "STATE", "DATA"} {
		cmd.Env = append(cmd.Env, "XDG_"+kind+"_HOME="+filepath.Join(dir, "."+strings.ToLower(kind)))
	}
	got, err := cmd.CombinedOutput()
	if is := cmd.ProcessState.ExitCode(); is != code {
		t.Fatalf("%s: exit code %d, expected %d (%v)\n%s", c.line, is, code, err, got)
	}
	printed := strings.Split(strings.TrimRight(string(got), "\n"), "\n")
	if len(c.want) > 0 && !matchLines(c.want, printed) {
		t.Errorf("%s\nthe page shows\n%s\nthe command prints\n%s", c.line, strings.Join(c.want, "\n"), got)
	}
}
