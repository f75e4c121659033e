package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/sizing"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// fitting says which sizes the symbols of a model may have so that the model can run. It is
// immutable.
type fitting struct {
	of map[string]*symbolFit // the key is the raw name of a symbol
	// most is the largest number of demands on one symbol.
	most int
}

// symbolFit says which sizes of one symbol are possible and which nodes demand that. It is safe to
// print.
type symbolFit struct {
	fits    string    // as "fits: a multiple of 32"
	chosen  string    // as "check 32 · measurement 224"
	demands []finding // those that restrict the sizes come first
}

// describeSizes finds out which sizes are valid for the model that is shown, unless that is known
// or already being done. It waits until the types are inferred.
func describeSizes(ws *workspace) tea.Cmd {
	t := ws.types
	if t.inferred.Load() == nil || t.fitting != nil || ws.fitted == t {
		return nil
	}
	ws.fitted = t
	shapes := t.result()
	describe := func(ctx context.Context) *fitting {
		s := sizing.OfInferred(t.model, graphops.NamedTypes(t.model.Graph().FeedInputs()), shapes)
		return newFitting(t.model, s.Describe(ctx, nil))
	}
	return ask(ws, &ws.fitting, "finding out which sizes fit", describe, func(f *fitting) tea.Cmd {
		t.fitting = f
		return nil
	})
}

func newFitting(m *graphops.Model, list []sizing.Description) *fitting {
	f := &fitting{of: map[string]*symbolFit{}}
	outlines := map[*graphops.Place]*outline{}
	for _, d := range list {
		s := &symbolFit{fits: "fits: " + cells.Prose(d.Allowed()), chosen: chosenText(d)}
		for _, demand := range d.Demands {
			if demand.IsAssumed() {
				continue
			}
			p := demand.Place
			if p != nil && outlines[p] == nil {
				outlines[p] = newOutline(m, p)
			}
			s.demands = append(s.demands, demandLine(demand, outlines[p]))
		}
		f.of[d.Symbol] = s
		f.most = max(f.most, len(s.demands))
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
func demandLine(d sizing.Demand, o *outline) finding {
	f := finding{where: cells.Label(d.By), text: cells.Prose(d.Explained())}
	if o != nil {
		row := o.nodeRow(d.Node)
		f.spot, f.where = spot{d.Place, row}, o.called(row)
	}
	var notes []string
	if d.Nodes > 1 {
		notes = append(notes, "needed by "+text.Plural(d.Nodes-1, "more node"))
	}
	switch {
	case d.Follows:
		f.looks, notes = theme.Faint, append(notes, "holds at every size that the other demands allow")
	case !d.Sure:
		f.looks, notes = theme.Faint, append(notes, "not always needed")
	}
	f.note = strings.Join(notes, "; ")
	return f
}
