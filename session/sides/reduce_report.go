package sides

import (
	"strings"

	"lathe/graphops"
	"lathe/session/layers"
	"lathe/session/reduce"
	"lathe/session/reporting"
	"lathe/session/text"
)

// reducedReport describes the smallest submodel that still shows a problem.
type reducedReport struct {
	Side     string            `json:"side"` // the side whose part it is
	Case     string            `json:"case"` // the case that shows the problem; "" for a load error
	Symptom  symptomReport     `json:"symptom"`
	Original symptomReport     `json:"original"` // the symptom of the whole model
	Before   int               `json:"nodes_before"`
	After    int               `json:"nodes_after"`
	Nodes    []reducedNode     `json:"nodes"` // the nodes of the main graph
	Inputs   []reporting.Value `json:"inputs"`
	Outputs  []reporting.Value `json:"outputs"`
	Tried    int               `json:"tried"`
	Seconds  float64           `json:"seconds"`
	// Minimal reports that no node can be removed. Stopped is why the search ended early: "time" or
	// "interrupted". It is "" if the search was complete.
	Minimal bool   `json:"minimal"`
	Stopped string `json:"stopped"`
	// Path, SoundPath and Data are the files that were written, and Again is the command that shows
	// the problem. They are "" if nothing was written.
	Path      string `json:"path"`
	SoundPath string `json:"a_path"`
	Data      string `json:"data"`
	Again     string `json:"again"`
	// Verified is true if the written files were read again and run, and show the problem.
	Verified bool     `json:"verified"`
	Notes    []string `json:"notes"`

	files   []string
	loading bool // the model does not load
	more    int  // nodes that are not listed
}

type symptomReport struct {
	Kind  string `json:"kind"`
	Class string `json:"class"` // class of a difference
	Fault string `json:"fault"` // kind of a runtime error
	Text  string `json:"text"`
}

type reducedNode struct {
	Node   string `json:"node"` // or #position
	Op     string `json:"op"`
	Domain string `json:"domain"`
}

// maxReducedNodes is the largest number of nodes in a report; the others are only counted.
const maxReducedNodes = 64

func reducedOf(found *reduce.Result, side string) *reducedReport {
	r := &reducedReport{
		Side: side, Symptom: symptomOf(found.Symptom), Original: symptomOf(found.Original),
		Before: found.From, After: found.Nodes, Nodes: []reducedNode{},
		Inputs: reporting.ValuesOf(found.B.Graph().FeedInputs()), Outputs: reporting.ValuesOf(found.B.Graph().Outputs()),
		Tried: found.Tried, Seconds: found.Took.Seconds(), Minimal: found.Minimal, Stopped: string(found.Stopped),
		Notes: reporting.OrEmpty(found.Notes), loading: found.Feeds == nil,
	}
	for i, n := range found.B.Graph().Nodes() {
		if i == maxReducedNodes {
			r.more = len(found.B.Graph().Nodes()) - i
			break
		}
		r.Nodes = append(r.Nodes, reducedNode{layers.Label(found.B, i), n.OpType(), n.Domain()})
	}
	return r
}

func symptomOf(s reduce.Symptom) symptomReport {
	return symptomReport{string(s.Kind), s.Class, string(s.Fault), s.Text}
}

// write writes the size of the submodel, what it shows, and where it was written.
func (r *reducedReport) write(p *text.Printer) {
	if r == nil {
		return
	}
	p.Line("")
	shows := "show"
	if r.After == 1 {
		shows = "shows"
	}
	p.Line("reduced: %s of %d of %s still %s it, %d tried", text.Plural(r.After, "node"), r.Before, r.Side, shows, r.Tried)
	p.Line("  %s", text.CleanLine(r.Symptom.Text))
	for i, n := range r.Nodes {
		if i == maxShownNodes {
			p.Line("  … and %d more", r.more+len(r.Nodes)-i)
			break
		}
		p.Line("  node \"%s\" (%s)", text.Clean(n.Node), text.Clean(n.Op))
	}
	p.Line("  inputs %s", namesIn(r.Inputs))
	switch {
	case r.Minimal:
		p.Line("  no node of it can be removed")
	case r.Stopped != "":
		p.Line("  it may not be the smallest: stopped by %s", map[string]string{"time": "--reduce-time", "interrupted": "an interrupt"}[r.Stopped])
	}
	if r.Path != "" {
		p.Line("wrote %s", text.Clean(strings.Join(nonEmpty(r.Path, r.SoundPath, r.Data), ", ")))
		p.Line("again: %s", text.CleanLine(r.Again))
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
}

// maxShownNodes is the largest number of nodes that the text of a report lists.
const maxShownNodes = 8

func namesIn(list []reporting.Value) string {
	var names []string
	for _, v := range list {
		names = append(names, v.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return text.Clean(graphops.QuoteNames(names))
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
