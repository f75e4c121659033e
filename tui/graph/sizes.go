package graph

import (
	"strings"

	"lathe/graphops"
	"lathe/session/sizing"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// Fitting says which sizes the symbols of a model may have so that the model can run. It is
// immutable.
type Fitting struct {
	Of map[string]*SymbolFit // the key is the raw name of a symbol
	// Most is the largest number of demands on one symbol.
	Most int
}

// SymbolFit says which sizes of one symbol are possible and which nodes demand that. It is safe to
// print.
type SymbolFit struct {
	Fits    string    // as "fits: a multiple of 32"
	Chosen  string    // as "check 32 · measurement 224"
	Demands []Finding // those that restrict the sizes come first
}

// NewFitting describes the possible sizes of the symbols of a model.
func NewFitting(m *graphops.Model, list []sizing.Description) *Fitting {
	f := &Fitting{Of: map[string]*SymbolFit{}}
	outlines := map[*graphops.Place]*Outline{}
	for _, d := range list {
		s := &SymbolFit{Fits: "fits: " + cells.Prose(d.Allowed()), Chosen: chosenText(d)}
		for _, demand := range d.Demands {
			if demand.IsAssumed() {
				continue
			}
			p := demand.Place
			if p != nil && outlines[p] == nil {
				outlines[p] = NewOutline(m, p)
			}
			s.Demands = append(s.Demands, demandLine(demand, outlines[p]))
		}
		f.Of[d.Symbol] = s
		f.Most = max(f.Most, len(s.Demands))
	}
	return f
}

// chosenText returns the sizes of a symbol that a check and a measurement use when the person gives
// none.
func chosenText(d sizing.Description) string {
	size := func(n *int64) string {
		if n == nil {
			return "none"
		}
		return text.Count(*n)
	}
	return "check " + size(d.Check) + " · measurement " + size(d.Measure)
}

// demandLine returns a demand as a finding at the row of its node. o is the outline of the place of
// that node.
func demandLine(d sizing.Demand, o *Outline) Finding {
	f := Finding{Where: cells.Label(d.By), Text: cells.Prose(d.Explained())}
	if o != nil {
		row := o.NodeRow(d.Node)
		f.Spot, f.Where = Spot{d.Place, row}, o.Called(row)
	}
	var notes []string
	if d.Nodes > 1 {
		notes = append(notes, "needed by "+text.Plural(d.Nodes-1, "more node"))
	}
	switch {
	case d.Follows:
		f.Looks, notes = theme.Faint, append(notes, "holds at every size that the other demands allow")
	case !d.Sure:
		f.Looks, notes = theme.Faint, append(notes, "not always needed")
	}
	f.Note = strings.Join(notes, "; ")
	return f
}
