package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

var place = regexp.MustCompile(`\{[a-z]+\}`)

// TestLines holds that every place of every command line is filled, and that a cut has a value.
func TestLines(t *testing.T) {
	b := &bench{models: "m", work: "w", places: map[string]string{"lathe": "l", "python": "p", "bin": "b", "sources": "s", "peer": "p", "hello": "h"}}
	for _, list := range [][]job{jobs, coldJobs} {
		for i := range list {
			for _, r := range list[i].rows() {
				for k, tool := range r.tools {
					line := b.line(tool.line, b.given(r, k))
					if left := place.FindString(strings.Join(line, " ")); left != "" || len(line) == 0 {
						t.Errorf("%s: %s is left in %q", r.name(), left, line)
					}
					if strings.Contains(tool.line, "{cut}") && (r.cut == "" || r.inputs == "") {
						t.Errorf("%s: the model has no cut", r.name())
					}
				}
			}
		}
	}
}

func TestPlanned(t *testing.T) {
	r := row{job: &job{}}
	for _, c := range []struct {
		runs  int
		first outcome
		want  int
	}{
		{0, outcome{time: time.Millisecond}, 5},
		{0, outcome{time: 12 * time.Second}, 3},
		{0, outcome{time: 20 * time.Second}, 3},
		{0, outcome{time: 26 * time.Second}, 1},
		{0, outcome{time: time.Second, failed: "x"}, 1},
		{2, outcome{time: time.Second}, 2},
		{2, outcome{time: 26 * time.Second}, 1},
	} {
		b := &bench{options: options{runs: c.runs}}
		if got := b.planned(r, c.first); got != c.want {
			t.Errorf("-runs %d, first %+v: %d runs, want %d", c.runs, c.first, got, c.want)
		}
	}
}
