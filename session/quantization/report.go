package quantization

import (
	"fmt"
	"io"
	"strings"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/reporting"
	"lathe/session/text"
)

// quantizedNode is a node that was quantized, in the list of the report.
type quantizedNode struct {
	Place       string `json:"place,omitempty"`
	Node        string `json:"node"`
	Op          string `json:"op"`
	Weight      string `json:"weight"`
	BytesBefore int64  `json:"bytes_before"`
	BytesAfter  int64  `json:"bytes_after"`
}

// skippedNode is a node that was not quantized, with the reason, in the list of the report.
type skippedNode struct {
	Place  string `json:"place,omitempty"`
	Node   string `json:"node"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

// Report is the report of a quantization.
type Report struct {
	Schema    string           `json:"schema"`
	Before    reporting.Extent `json:"before"`
	After     reporting.Extent `json:"after"`
	Quantized []quantizedNode  `json:"quantized"`
	Skipped   []skippedNode    `json:"skipped"`
	// Notes are remarks about settings that have no effect.
	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`
	// Prepared says what was simplified first. It is nil except in mode static, or if that was
	// turned off.
	Prepared *prepared `json:"preprocessed,omitempty"`
	// Ranges says where the ranges of activations come from. It is nil except in mode static.
	Ranges     *calibrated `json:"ranges,omitempty"`
	*halved                // nil except in modes float16 and bfloat16
	*blockwise             // nil except in mode nbits
	// Elsewhere says why the result can run only on another machine. It is "" if it can run here.
	Elsewhere string `json:"elsewhere,omitempty"`
	// Here says what the result does on the provider that runs it. It is nil if it was not run.
	Here *Here `json:"here,omitempty"`
	// Trial is nil if the trial was turned off.
	Trial *trialReport         `json:"trial"`
	File  *reporting.SavedFile `json:"file,omitempty"`
	reporting.Kept
}

// placed returns the name of a node after the path to its body or function.
func placed(place, node string) string {
	if place == "" {
		return text.Clean(node)
	}
	return text.Clean(place) + " › " + text.Clean(node)
}

// IsDoubtful reports whether the user's data shows that the result is not good enough, or the
// trial could not decide whether it is. A difference on generated inputs shows neither.
func (r *Report) IsDoubtful() bool {
	if r.Trial == nil || r.Trial.Validation == nil {
		return false
	}
	v := r.Trial.Validation.Verdict
	return v == compare.Undecided || v == compare.Fail && r.Trial.OnData
}

// Passed reports whether the result was compared with the original and passed, or was not compared.
func (r *Report) Passed() bool {
	return r.Trial == nil || r.Trial.Validation == nil || r.Trial.Validation.Verdict == compare.Pass
}

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	r.writeHead(w)
	if err := r.writeNodes(w); err != nil {
		return err
	}
	if err := r.halved.writeText(w); err != nil {
		return err
	}
	if err := r.blockwise.writeText(w); err != nil {
		return err
	}
	r.Prepared.writeText(w)
	r.Ranges.writeText(w)
	p := text.NewPrinter(w)
	r.Kept.Print(p)
	return p.Err()
}

// WriteBrief writes the report without the lists of nodes, for a report on several models.
func (r *Report) WriteBrief(w io.Writer) error {
	r.writeHead(w)
	r.Ranges.writeText(w)
	_, err := fmt.Fprintf(w, "quantized %s, %s left as they are\n", text.Plural(len(r.Quantized), "node"), text.Count(int64(len(r.Skipped))))
	return err
}

// writeHead writes the sizes, the trial, the files and the notes.
func (r *Report) writeHead(w io.Writer) {
	fmt.Fprintf(w, "%s → %s (%.0f %%), %s → %s\n", text.Bytes(r.Before.Bytes), text.Bytes(r.After.Bytes),
		100*float64(r.After.Bytes)/float64(max(r.Before.Bytes, 1)), text.Plural(r.Before.Nodes, "node"), text.Count(int64(r.After.Nodes)))
	if worse := r.Trial.worse(); len(worse) > 0 {
		fmt.Fprintf(w, "%s\n", text.CleanLine(strings.Join(worse, "; ")))
	}
	for _, line := range r.Trial.lines() {
		fmt.Fprintf(w, "%s\n", line)
	}
	r.File.WriteText(w)
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", text.CleanLine(n))
	}
	reporting.WriteWarnings(w, r.Warnings)
}

// writeNodes writes the lists of the nodes that changed and of those that did not.
func (r *Report) writeNodes(w io.Writer) error {
	t := text.Table{}
	for i, q := range r.Quantized {
		if i == reporting.FewRows {
			t.Add(fmt.Sprintf("and %d more", len(r.Quantized)-reporting.FewRows))
			break
		}
		sizes := "" // "" for a node without a weight, or with one that was listed before
		if q.BytesBefore > 0 {
			sizes = text.Bytes(q.BytesBefore) + " → " + text.Bytes(q.BytesAfter)
		}
		t.Add(placed(q.Place, q.Node), q.Op, text.Clean(q.Weight), sizes)
	}
	fmt.Fprintf(w, "quantized %s\n", text.Plural(len(r.Quantized), "node"))
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(w, "left as they are\n")
	}
	t = text.Table{}
	for i, x := range r.Skipped {
		if i == reporting.FewRows {
			t.Add(fmt.Sprintf("and %d more", len(r.Skipped)-reporting.FewRows))
			break
		}
		t.Add(placed(x.Place, x.Node), x.Op, text.CleanLine(x.Reason))
	}
	return t.WriteText(w, "  ")
}

// Retry implements session.Suggesting. It returns --reduce-range if that was tried and is better.
func (r *Report) Retry() []session.Setting {
	if r.Trial == nil || r.Trial.saturates() == "" {
		return nil
	}
	return []session.Setting{{Name: "reduce-range", Values: []string{"true"}}}
}

// Wrong implements session.Suggesting. The step did not fail.
func (r *Report) Wrong() (why, remedy string) { return "", "" }
