package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// slowest is how many tests the list of slow ones holds.
const slowest = 10

// event is a line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

type testID struct{ pkg, test string } // test is empty for the package itself

type timing struct {
	testID
	seconds float64
}

// report turns events into text.
type report struct {
	out      io.Writer
	pending  map[testID][]string // output of what has not ended yet
	timings  []timing            // tests, without subtests
	packages []string            // go test's own lines, one per package
	failed   bool
}

func newReport(out io.Writer) *report {
	return &report{out: out, pending: map[testID][]string{}}
}

// read takes events up to the end of the stream. A line that is no event is
// go test's own and passed on.
func (r *report) read(lines *bufio.Reader) error {
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case line == "":
		case json.Unmarshal([]byte(line), &e) == nil:
			r.add(e)
		default:
			fmt.Fprint(r.out, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) add(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.addOutput(id, e.Output)
	case "pass", "fail", "skip":
		r.end(id, e)
	}
}

func (r *report) addOutput(id testID, line string) {
	switch {
	case id.test == "" && isPackageLine(id.pkg, line):
		r.packages = append(r.packages, line)
	case !isMarker(line):
		r.pending[id] = append(r.pending[id], line)
	}
}

func (r *report) end(id testID, e event) {
	if e.Action == "fail" {
		r.failed = true
		r.printPending(id)
	}
	delete(r.pending, id)
	if id.test != "" && e.Action != "skip" && !strings.Contains(id.test, "/") {
		r.timings = append(r.timings, timing{id, e.Elapsed})
	}
}

// printPending prints what a test has said. For a package that is also what
// its unfinished tests have said: a panic or a timeout ends them without an
// event of their own.
func (r *report) printPending(id testID) {
	ids := []testID{id}
	for other := range r.pending {
		if id.test == "" && other.pkg == id.pkg && other.test != "" {
			ids = append(ids, other)
		}
	}
	slices.SortFunc(ids, func(a, b testID) int { return cmp.Compare(a.test, b.test) })
	for _, id := range ids {
		for _, line := range r.pending[id] {
			fmt.Fprint(r.out, line)
		}
		delete(r.pending, id)
	}
}

// summarize prints the slow tests and ends with go test's lines.
func (r *report) summarize() {
	slices.SortStableFunc(r.timings, func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
	if len(r.timings) > 0 {
		fmt.Fprintln(r.out, "slowest tests:")
	}
	for _, t := range r.timings[:min(slowest, len(r.timings))] {
		fmt.Fprintf(r.out, "%7.2fs  %s  %s\n", t.seconds, t.pkg, t.test)
	}
	for _, line := range r.packages {
		fmt.Fprint(r.out, line)
	}
	if r.failed {
		fmt.Fprintln(r.out, "FAIL")
	}
}

// isPackageLine reports whether line is the one with which go test ends a
// package. The last form is that of a package without tests under -cover.
func isPackageLine(pkg, line string) bool {
	for _, verdict := range []string{"ok  ", "FAIL", "?   ", ""} {
		if strings.HasPrefix(line, verdict+"\t"+pkg) {
			return true
		}
	}
	return false
}

// isMarker reports whether the line only exists because -json implies -v, or
// repeats the verdict that a package line gives.
func isMarker(line string) bool {
	return strings.HasPrefix(line, "=== ") || line == "PASS\n" || line == "FAIL\n"
}
