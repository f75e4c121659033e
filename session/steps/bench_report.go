package steps

import (
	"fmt"
	"io"
	"slices"

	"lathe/bench"
	"lathe/session/text"
)

// BenchReport is what a measurement found.
type BenchReport struct {
	Schema string `json:"schema"`
	*bench.Report
	Notes []string `json:"notes"`
}

// WriteText implements session.Report.
func (r *BenchReport) WriteText(w io.Writer) error {
	err := r.Report.WriteText(w)
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", text.CleanLine(n))
	}
	return err
}

// notesOf are what was assumed about the inputs of any target, each once.
func notesOf(targets []*benchTarget) []string {
	notes := []string{}
	for _, t := range targets {
		for _, n := range t.notes {
			n = t.path + ": " + n
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}
