package folders

import (
	"fmt"
	"io"
	"strings"

	"lathe/bench"
	"lathe/session/reporting"
	"lathe/session/text"
)

// WriteText implements session.Report. It begins with a line for each model, because the reports of
// all models fill several screens.
func (r *BenchReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Table(r.summary())
	for _, line := range r.advice() {
		p.Line("%s", line)
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	for _, m := range r.Members {
		p.Line("")
		p.Line("-- %s", text.Clean(m.Name))
		if m.Report == nil {
			p.Line("not measured: %s", text.CleanLine(m.Error))
			continue
		}
		if err := m.Report.WriteText(w); err != nil {
			return err
		}
	}
	return p.Err()
}

// measurement returns the runs of a model, or nil if it was not measured.
func (m *BenchMember) measurement() *bench.Report {
	if r, ok := m.Report.(reporting.Measured); ok {
		return r.Measurement()
	}
	return nil
}

// summary has a row for each run of each model. A column that says nothing is left out.
func (r *BenchReport) summary() text.Table {
	t := text.Table{Titles: []string{"model", "folder", "run", ">p50", ">95 % interval", ">against the first", ""}}
	for _, m := range r.Members {
		of := m.measurement()
		if of == nil {
			t.Add(text.Clean(m.Name), "", "", "-", "-", "", "not measured")
			continue
		}
		for _, run := range of.Runs {
			interval := bench.IntervalText(run.P50, run.CI95)
			t.Add(text.Clean(m.Name), r.folderOf(run.Model), runOf(&run), bench.Latency(run.P50), interval, ratioOf(of, run.Name), of.Noise(run.Name))
		}
		for _, file := range m.Identical {
			t.Add(text.Clean(m.Name), r.folderOf(file), "", "-", "-", "", "the same model as before, not measured again")
		}
	}
	t.DropEmpty()
	return t
}

// folderOf returns the folder of a file, if there are several.
func (r *BenchReport) folderOf(file string) string {
	if len(r.Paths) == 1 {
		return ""
	}
	for _, path := range r.Paths {
		if rest, ok := strings.CutPrefix(file, strings.TrimRight(path, "/")); ok && strings.HasPrefix(rest, "/") {
			return text.Clean(path)
		}
	}
	return ""
}

// runOf says what a run did, if a model has runs of several kinds.
func runOf(run *bench.Run) string {
	if run.Decode == nil {
		return ""
	}
	of := "token of "
	if run.Decode.IsPrompt() {
		of = "prompt of "
	}
	return of + text.Clean(run.Decode.Name())
}

// ratioOf returns how many times as long a run takes as the one that it is compared with, or "".
func ratioOf(r *bench.Report, name string) string {
	for _, c := range r.Comparisons {
		if c.B != name {
			continue
		}
		if !c.Significant {
			return "no difference shown"
		}
		return fmt.Sprintf("%.3g × the time", c.Centre())
	}
	return ""
}

// advice returns what makes the times more certain, each line once.
func (r *BenchReport) advice() (lines []string) {
	seen := map[string]bool{"": true}
	for _, m := range r.Members {
		if of := m.measurement(); of != nil {
			// What a comparison of settings needs is about single models.
			line, _, _ := strings.Cut(of.Advice(), ";")
			if !seen[line] {
				seen[line] = true
				lines = append(lines, line)
			}
		}
	}
	return lines
}
