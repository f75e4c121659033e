package timing

import (
	"fmt"
	"io"
	"slices"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/text"
)

// Report is the report of a measurement.
type Report struct {
	Schema string `json:"schema"`
	*bench.Report
	Runs  []benchRun `json:"runs"` // the runs of Report, with further facts
	Notes []string   `json:"notes"`
	// Torch has the comparison of each model's results with PyTorch's. It is nil if PyTorch is not
	// measured too.
	Torch []torchVerdict `json:"torch,omitempty"`
	// Baseline is the comparison with an earlier measurement. It is nil without --baseline.
	Baseline *store.Baseline `json:"baseline,omitempty"`
	Saved    string          `json:"saved,omitempty"` // the file that --save names
	// seconds is how long each model was measured at most; 0 with a fixed number of runs.
	seconds float64
	reporting.Kept
}

// benchRun is a run, with the requested providers that did not attach.
type benchRun struct {
	bench.Run
	Refused []ort.Refusal `json:"ep_refused,omitempty"`
}

func newBenchReport(r *bench.Report, targets []*Subject) *Report {
	out := &Report{Schema: "lathe.bench/1", Report: r, Notes: notesOf(targets)}
	for i, t := range targets {
		out.Runs = append(out.Runs, benchRun{r.Runs[i], t.Session.Facts().Refused})
	}
	return out
}

// Measurement implements reporting.Measured.
func (r *Report) Measurement() *bench.Report { return r.Report }

// Retry implements session.Suggesting. If a longer measurement may be more certain, it returns a
// longer --seconds.
func (r *Report) Retry() []session.Setting {
	if !r.WantsLonger() || r.seconds <= 0 {
		return nil
	}
	return []session.Setting{{Name: "seconds", Values: []string{fmt.Sprintf("%g", longerBy*r.seconds)}}}
}

// longerBy is how much longer the suggested measurement is.
const longerBy = 4

// Wrong implements session.Suggesting. The step did not fail.
func (r *Report) Wrong() (why, remedy string) { return "", "" }

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	if r.Baseline != nil {
		if err := r.Baseline.WriteText(w); err != nil {
			return err
		}
	}
	p := text.NewPrinter(w)
	switch {
	case len(r.Torch) > 0:
		r.writeTorch(p)
	case r.Decodes():
		r.writeDecoded(p)
	default:
		for _, line := range r.Headlines() {
			p.Line("%s", line)
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	if err := r.writeDetails(w); err != nil {
		return err
	}
	for _, line := range r.refusals() {
		p.Line("%s", line)
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	if r.Saved != "" {
		p.Line("wrote %s", text.Clean(r.Saved))
	}
	r.Kept.Print(p)
	return p.Err()
}

// writeDecoded writes how fast each model generates, and how models compare.
func (r *Report) writeDecoded(p *text.Printer) {
	for _, line := range r.DecodeHeadlines() {
		p.Line("%s", line)
	}
	for _, c := range r.Comparisons {
		p.Line("%s", r.ComparisonHeadline(c))
	}
}

func (r *Report) writeDetails(w io.Writer) error {
	if r.Decodes() {
		return r.WriteDecode(w)
	}
	return r.WriteDetails(w, r.earlier()...)
}

// earlier returns the figures of the baseline, for the table.
func (r *Report) earlier() (was []bench.Run) {
	if r.Baseline == nil {
		return nil
	}
	for _, c := range r.Baseline.Comparisons {
		run := c.Was()
		if len(r.Baseline.Comparisons) > 1 {
			run.Name += ": " + c.Baseline
		}
		was = append(was, run)
	}
	return was
}

// refusals returns a line for each execution provider that did not attach, with the reason.
func (r *Report) refusals() []string {
	var out []string
	for _, run := range r.Runs {
		for _, f := range run.Refused {
			line := text.Clean(run.Model) + ": " + reporting.DidNotAttach(f)
			if !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// notesOf returns what was assumed about the inputs of the targets, each note once.
func notesOf(targets []*Subject) []string {
	notes := []string{}
	for _, t := range targets {
		for _, n := range t.notes {
			n = t.Path + ": " + n
			if !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	return notes
}
