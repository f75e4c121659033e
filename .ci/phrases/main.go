// Command phrases finds phrases that are hard to read, in the comments and texts of Go files and
// in Markdown, and counts them per folder.
//
// phrases.txt has the phrases and what to write instead. allowance.txt has the number of hits
// that a folder may have; other folders may have none. The numbers only get smaller: a folder
// with fewer hits than its allowance is an error too, until -update lowers the allowance.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
)

func main() {
	update := flag.Bool("update", false, "lower the allowances to the present number of hits")
	flag.Parse()
	if err := run(os.Stdout, *update); err != nil {
		fmt.Fprintln(os.Stderr, "phrases:", err)
		os.Exit(1)
	}
}

const (
	phrasesFile   = ".ci/phrases/phrases.txt"
	allowanceFile = ".ci/phrases/allowance.txt"
)

// run prints what is wrong; it prints nothing if all is well.
func run(w io.Writer, update bool) error {
	listed, err := os.ReadFile(phrasesFile)
	if err != nil {
		return err
	}
	phrases, err := parsePhrases(string(listed))
	if err != nil {
		return err
	}
	files, err := sources()
	if err != nil {
		return err
	}
	hits, err := searchAll(phrases, files)
	if err != nil {
		return err
	}
	allowed, err := readAllowance(allowanceFile)
	if err != nil {
		return err
	}
	if update {
		return allowed.lowered(hits).write(allowanceFile)
	}
	for _, line := range allowed.compare(hits) {
		fmt.Fprintln(w, line)
	}
	return nil
}

// sources lists the files that are committed or would be, but for test data.
func sources() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", "*.go", "*.md").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.Fields(string(out))
	return slices.DeleteFunc(files, func(f string) bool {
		_, err := os.Stat(f)
		return err != nil || slices.Contains(strings.Split(f, "/"), "testdata")
	}), nil
}

// searchAll returns the hits of all files by folder.
func searchAll(phrases *phrases, files []string) (map[string][]hit, error) {
	found := make([][]hit, len(files))
	failed := make([]error, len(files))
	var wg sync.WaitGroup
	limit := make(chan struct{}, 8)
	for i, name := range files {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			content, err := os.ReadFile(name)
			if err != nil {
				failed[i] = err
				return
			}
			found[i] = phrases.search(name, content)
		})
	}
	wg.Wait()
	hits := map[string][]hit{}
	for i, name := range files {
		if failed[i] != nil {
			return nil, failed[i]
		}
		if len(found[i]) > 0 {
			hits[path.Dir(name)] = append(hits[path.Dir(name)], found[i]...)
		}
	}
	return hits, nil
}

// hit is a phrase in a file.
type hit struct {
	file    string
	line    int
	found   string
	instead string
}

func (h hit) String() string {
	return fmt.Sprintf("%s:%d: %q: write %s", h.file, h.line, h.found, h.instead)
}
