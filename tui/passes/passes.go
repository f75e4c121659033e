package passes

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/simplify"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// ofPasses is the report of the simplify step.
type ofPasses interface {
	session.Report
	// Found returns what each pass did.
	Found() *simplify.Report
}

// passesFound is what the simplify passes would do to a model. It is immutable.
type passesFound struct {
	*simplify.Report
	By map[string]*passFound
}

// passFound is what one pass would do to a model.
type passFound struct {
	*simplify.PassReport
	spots    []graph.Spot // the nodes of its changes, each once, in order
	missed   []graph.Spot // the nodes of its near misses
	outlines map[*graphops.Place]*graph.Outline
}

// findPasses previews a step that simplifies.
func findPasses(ctx context.Context, s session.Step, env session.Env, m *graphops.Model) (*passesFound, error) {
	p, _, err := workspace.PreviewOf(ctx, s, env, m)
	if err != nil {
		return nil, err
	}
	r, ok := p.Report.(ofPasses)
	if !ok {
		return nil, fmt.Errorf("step %s does not report its passes", s.Name())
	}
	return NewPassesFound(m, r.Found()), nil
}

// NewPassesFound makes the rows of a report about a model.
func NewPassesFound(m *graphops.Model, r *simplify.Report) *passesFound {
	out := &passesFound{r, map[string]*passFound{}}
	outlines := map[*graphops.Place]*graph.Outline{}
	at := func(s SimplifySite) graph.Spot {
		o := outlines[s.Place]
		if o == nil {
			o = graph.NewOutline(m, s.Place)
			outlines[s.Place] = o
		}
		return graph.Spot{Place: s.Place, Row: o.NodeRow(s.Node)}
	}
	for _, p := range r.Passes {
		f := &passFound{PassReport: p, outlines: outlines}
		var changed []*rewrite.Sites
		for _, c := range p.Changes {
			changed = append(changed, c.Sites)
		}
		for _, s := range rewrite.JoinSites(changed...).List() {
			f.spots = append(f.spots, at(s))
		}
		for _, miss := range p.Refused {
			f.missed = append(f.missed, at(miss.Site))
		}
		f.spots, f.missed = inOrder(f.spots), inOrder(f.missed)
		out.By[p.Name] = f
	}
	return out
}

// inOrder returns spots in the order of the model, each once.
func inOrder(list []graph.Spot) []graph.Spot {
	slices.SortFunc(list, func(a, b graph.Spot) int {
		if a.Place != b.Place {
			return a.Place.ID - b.Place.ID
		}
		return a.Row - b.Row
	})
	return slices.Compact(list)
}

// len returns the number of changes and near misses.
func (f *passFound) len() int { return len(f.Changes) + len(f.Refused) }

// isMiss reports whether entry i is a near miss: a node that the pass would change but for one
// condition. Near misses are listed after the changes.
func (f *passFound) isMiss(i int) bool { return i >= len(f.Changes) }

// finding returns a change or a near miss as it is listed.
func (f *passFound) finding(i int) *graph.Finding {
	if f.isMiss(i) {
		miss := f.Refused[i-len(f.Changes)]
		out := f.findingAt([]SimplifySite{miss.Site})
		out.Text, out.Looks = "not changed: "+cells.Prose(miss.Why), theme.Warning
		return out
	}
	c := f.Changes[i]
	out := f.findingAt(c.Sites.List())
	out.Text = cells.Prose(c.Text)
	return out
}

// namedNodes is the maximum number of nodes that are named for one change.
const namedNodes = 30

// findingAt returns a finding about the nodes of one change. Going to it leads to the first node;
// the note names the others.
func (f *passFound) findingAt(sites []SimplifySite) *graph.Finding {
	out := &graph.Finding{}
	for i, s := range sites {
		o := f.outlines[s.Place]
		row := o.NodeRow(s.Node)
		name := o.Called(row)
		if hops := s.Place.String(); hops != "" {
			name += " in " + cells.Label(hops)
		}
		switch {
		case i == 0:
			out.Spot, out.Where = graph.Spot{Place: s.Place, Row: row}, name
		case i == 1:
			out.Where += fmt.Sprintf(" +%d", len(sites)-1)
			out.Note = "with " + name
		case i < namedNodes:
			out.Note += ", " + name
		}
	}
	if n := len(sites) - namedNodes; n > 0 {
		out.Note += fmt.Sprintf(" and %d more", n)
	}
	return out
}
