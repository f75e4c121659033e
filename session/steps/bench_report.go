package steps

import (
	"io"
	"slices"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session/ort"
	"lathe/session/text"
)

// BenchReport is what a measurement found.
type BenchReport struct {
	Schema string `json:"schema"`
	*bench.Report
	Runs  []benchRun `json:"runs"` // those of the measurement, with what it does not know
	Notes []string   `json:"notes"`
	// Torch is how the results of each model compare with PyTorch's; nil where that is not
	// measured beside them.
	Torch []torchVerdict `json:"torch,omitempty"`
	// Baseline is the comparison with an earlier measurement; nil without one.
	Baseline *store.Baseline `json:"baseline,omitempty"`
	Saved    string          `json:"saved,omitempty"` // the file that --save names
	kept
}

// benchRun is a run and the providers that were to make it and did not attach.
type benchRun struct {
	bench.Run
	Refused []ort.Refusal `json:"ep_refused,omitempty"`
}

func newBenchReport(r *bench.Report, targets []*benchTarget) *BenchReport {
	out := &BenchReport{Schema: "lathe.bench/1", Report: r, Notes: notesOf(targets)}
	for i, t := range targets {
		out.Runs = append(out.Runs, benchRun{r.Runs[i], t.session.Facts().Refused})
	}
	return out
}

// Measurement implements session.Measured.
func (r *BenchReport) Measurement() *bench.Report { return r.Report }

// WriteText implements session.Report.
func (r *BenchReport) WriteText(w io.Writer) error {
	if r.Baseline != nil {
		if err := r.Baseline.WriteText(w); err != nil {
			return err
		}
	}
	p, measured := text.NewPrinter(w), r.Report.WriteText
	if len(r.Torch) > 0 {
		r.writeTorch(p)
		measured = r.WriteDetails
	}
	if err := measured(w); err != nil {
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
	r.kept.writeText(p)
	return p.Err()
}

// refusals tell which providers did not attach, once for a model and reason.
func (r *BenchReport) refusals() []string {
	var out []string
	for _, run := range r.Runs {
		for _, f := range run.Refused {
			line := text.Clean(run.Model) + ": " + didNotAttach(f)
			if !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
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
