package values

import (
	"fmt"

	"lathe/session/inputs"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// FactWidth is the width of a name, including the gap after it.
const FactWidth = 13

// maxFed is the maximum number of inputs, notes or warnings of a run that are listed.
const maxFed = 30

// RanOn returns lines about a run: what its inputs were, on which execution provider it ran, and
// what was refused or noted.
func RanOn(p *reporting.Probe) []graph.Fact {
	out := []graph.Fact{{Name: "made from", What: cells.Prose(p.Case)}}
	out = append(out, some(p.Fed, func(f inputs.Fed) graph.Fact { return graph.Fact{Name: "input", What: fedText(f)} })...)
	out = append(out, some(p.Notes, func(s string) graph.Fact { return graph.Fact{Name: "note", What: cells.Prose(s)} })...)
	if !p.IsHeld() {
		return out
	}
	out = append(out, graph.Fact{Name: "provider", What: cells.Prose(p.Facts.Provider + ", ONNX Runtime " + p.Facts.LibraryVersion)})
	if p.On != "" {
		out = append(out, graph.Fact{Name: "behind", What: cells.Prose(p.On)})
	}
	for _, r := range p.Facts.Refused {
		out = append(out, graph.Fact{Name: "refused", What: cells.Prose(r.Provider + ": " + r.Reason)})
	}
	level := cells.Prose(p.Opt)
	if p.IsProbing {
		level += ": fused nodes hide the values inside"
	}
	out = append(out, graph.Fact{Name: "optimized", What: level}, graph.Fact{Name: "loaded in", What: text.Elapsed(p.Facts.LoadTime)})
	return append(out, some(p.Facts.Warnings, func(s string) graph.Fact { return graph.Fact{Name: "warning", What: cells.Prose(s)} })...)
}

// fedText describes an input of a run: its type, where its data came from, and why that was chosen.
func fedText(f inputs.Fed) string {
	s := f.Name + "  " + f.Type
	if f.Shape != nil {
		s += " " + f.Shape.String()
	}
	s += ": "
	if f.Source != "" {
		s += f.Source + " "
	}
	s += f.What
	if f.Why != "" {
		s += "; " + f.Why
	}
	return cells.Prose(s)
}

func some[T any](list []T, tell func(T) graph.Fact) []graph.Fact {
	var out []graph.Fact
	for i, x := range list {
		if i == maxFed {
			return append(out, graph.Fact{Name: "", What: fmt.Sprintf("and %s more", text.Count(int64(len(list)-i)))})
		}
		out = append(out, tell(x))
	}
	return out
}
