package cut

import (
	"fmt"
	"io"
	"strings"

	"lathe/graphops/axes"
	"lathe/session"
	"lathe/session/proof"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/session/trial"
)

// AxesReport is the report of a change of axes.
type AxesReport struct {
	Schema        string `json:"schema"`
	ValuesChanged int    `json:"values_changed"`
	Pins          []pin  `json:"pins"`
	Repaired      []pin  `json:"repaired"`
	Folded        int    `json:"folded"`
	// Proof is what running the models showed. It is nil if nothing was run.
	Proof *proof.Axes `json:"proof"`
	// NotProved are the reasons why a repaired model is not fully proved.
	NotProved []string             `json:"not_proved"`
	Inputs    []reporting.Value    `json:"inputs"`
	Outputs   []reporting.Value    `json:"outputs"`
	Warnings  []string             `json:"warnings"`
	File      *reporting.SavedFile `json:"file,omitempty"`

	findings []session.Finding
	unproved bool // nothing was run, as in a preview
}

// Findings implements session.Finder. It returns the pins, first those that were not repaired.
func (r *AxesReport) Findings() []session.Finding { return r.findings }

func findingsOf(pins []axes.Pin, mended bool) []session.Finding {
	out := make([]session.Finding, len(pins))
	for i, p := range pinsOf(pins) {
		out[i] = session.Finding{Place: pins[i].Place, Node: p.Index, Text: p.needs(), Remedy: p.Repair, IsMended: mended}
	}
	return out
}

// pin is a constant that fits only one size of a dynamic axis.
type pin struct {
	Node  string `json:"node"`
	Index int    `json:"index"` // position of the node
	Op    string `json:"op"`
	Place string `json:"place,omitempty"` // the place of the node if it is not the main graph
	Value string `json:"value"`           // the constant
	// Axis is the position of the fixed element in the constant, as in a target shape of Reshape.
	// If Stored is set, it is instead the axis of the constant whose size is fixed.
	Axis     int    `json:"axis"`
	Stored   bool   `json:"stored,omitempty"`
	Constant int64  `json:"constant"`
	Needs    string `json:"needs"` // the size that the axis should have
	Repair   string `json:"repair"`
	Mendable bool   `json:"mendable"`
}

func pinsOf(pins []axes.Pin) []pin {
	out := make([]pin, len(pins))
	for i, p := range pins {
		n := p.Place.Graph.Nodes()[p.Node]
		out[i] = pin{n.Name(), p.Node, n.OpType(), p.Place.String(), p.Value, p.Axis, p.Stored, p.Constant, p.Needs, p.Repair, p.Mendable}
	}
	return out
}

// WriteText implements session.Report.
func (r *AxesReport) WriteText(w io.Writer) error {
	r.writeTypes(w)
	for _, p := range r.Repaired {
		fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("repaired: %s; %s", p, p.Repair)))
	}
	for _, p := range r.Pins {
		fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("pin: %s; repair: %s", p, p.Repair)))
	}
	r.writeEnd(w)
	if r.unproved {
		fmt.Fprintln(w, "not proved yet: a preview runs no model")
	}
	return nil
}

// WriteRest implements session.Finder.
func (r *AxesReport) WriteRest(w io.Writer) error {
	r.writeTypes(w)
	r.writeEnd(w)
	return nil
}

func (r *AxesReport) writeTypes(w io.Writer) {
	doubt := ""
	switch {
	case r.isDoubtful() && r.Proof == nil: // a warning gives the reason
		doubt = trial.NotProved
	case r.isDoubtful():
		doubt = trial.NotProved + ": " + strings.Join(r.NotProved, ", ")
	}
	fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("changes the type of %s%s", text.Plural(r.ValuesChanged, "value"), doubt)))
	reporting.WriteValues(w, "inputs", r.Inputs)
	reporting.WriteValues(w, "outputs", r.Outputs)
}

// isDoubtful reports whether a proof was tried and is not complete.
func (r *AxesReport) isDoubtful() bool { return len(r.NotProved) > 0 }

func (r *AxesReport) writeEnd(w io.Writer) {
	if r.Folded > 0 {
		fmt.Fprintf(w, "%s became constant\n", text.Plural(r.Folded, "node"))
	}
	writeProof(w, r.Proof)
	reporting.WriteWarnings(w, r.Warnings)
	r.File.WriteText(w)
}

// String returns a line that names the node and the size that it needs.
func (p pin) String() string {
	node := fmt.Sprintf("node %q (%s)", p.Node, p.Op)
	if p.Node == "" {
		node = fmt.Sprintf("node %d (%s)", p.Index, p.Op)
	}
	return node + " " + p.needs()
}

// needs returns the size that the axis should have, and the number that the constant has instead.
func (p pin) needs() string {
	if p.Value == "" {
		return fmt.Sprintf("needs %s to be %d", p.Needs, p.Constant)
	}
	what := fmt.Sprintf("element %d of %q", p.Axis, p.Value)
	if p.Stored {
		what = fmt.Sprintf("axis %d of %q", p.Axis, p.Value)
	}
	return fmt.Sprintf("needs %s where %s is %d", p.Needs, what, p.Constant)
}
