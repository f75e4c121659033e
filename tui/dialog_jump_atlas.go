package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/fuzzy"
)

// atlas is everything in a model that bears a name, in every place: nodes, inputs,
// outputs, constants and modules. It never changes.
type atlas struct {
	model    *graphops.Model
	outlines []*outline // by the number of the place
	entries  []atlasEntry
	finder   *fuzzy.Finder
}

// atlasEntry is a name. Texts are made when they are shown, from what the model
// holds already.
type atlasEntry struct {
	place, row int32
	kind       atlasKind
	at         int32 // position of a constant; nodes of a module
	module     string
}

type atlasKind uint8

const (
	atlasRow atlasKind = iota
	atlasConstant
	atlasModule
)

// landmark is a name that can be jumped to, as it is shown: safe to print.
type landmark struct {
	spot              spot
	op, name, typ, in string
	at                []int // characters that match, of op, name and in with blanks between
}

// atlasMsg brings the names of a model.
type atlasMsg struct{ atlas *atlas }

// readNames reads the names of a model.
func readNames(ctx context.Context, m *graphops.Model) tea.Cmd {
	return guarded("reading names", func() tea.Msg {
		a, err := newAtlas(ctx, m)
		if err != nil {
			return nil // nobody waits any more
		}
		return atlasMsg{a}
	})
}

// take implements answer.
func (m atlasMsg) take(a *App) tea.Cmd {
	if m.atlas.model != a.ws.model() {
		return nil
	}
	a.ws.atlas = m.atlas
	for _, d := range a.dialogs {
		if d, ok := d.(*jumpDialog); ok {
			return d.ask()
		}
	}
	return nil
}

func newAtlas(ctx context.Context, m *graphops.Model) (*atlas, error) {
	a := &atlas{model: m}
	for _, p := range m.Places() {
		a.outlines = append(a.outlines, newOutline(m, p))
		if err := a.addPlace(ctx, p); err != nil {
			return nil, err
		}
	}
	var all strings.Builder
	ends := make([]int, 0, len(a.entries))
	for i := range a.entries {
		if i%namesAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all.WriteString(a.landmark(i).searched())
		ends = append(ends, all.Len())
	}
	texts := all.String()
	a.finder = fuzzy.NewFinder(fuzzy.NewCorpus(len(ends), func(i int) string {
		if i == 0 {
			return texts[:ends[0]]
		}
		return texts[ends[i-1]:ends[i]]
	}))
	return a, nil
}

// namesAtOnce is how many names are read between two looks at the context.
const namesAtOnce = 4096

// addPlace adds the modules of a place, its rows and its constants.
func (a *atlas) addPlace(ctx context.Context, p *graphops.Place) error {
	id, o, tree := int32(p.ID), a.outlines[p.ID], scope.BuildPlace(p)
	for s := range tree.Scopes {
		if s := scope.ID(s); s != scope.Root && tree.Scopes[s].First >= 0 {
			sc := &tree.Scopes[s]
			a.entries = append(a.entries, atlasEntry{id, int32(o.nodeRow(sc.First)), atlasModule, int32(sc.Nodes), tree.Path(s)})
		}
	}
	for row := range o.len() {
		a.entries = append(a.entries, atlasEntry{place: id, row: int32(row)})
	}
	x := p.Graph.Index()
	for i, t := range p.Graph.Initializers() {
		v, ok := x.Value(t.Name())
		if !ok || len(x.Readers(v)) == 0 {
			continue
		}
		a.entries = append(a.entries, atlasEntry{place: id, row: int32(o.nodeRow(int(x.Readers(v)[0]))), kind: atlasConstant, at: int32(i)})
	}
	return ctx.Err()
}

// landmark is a name as it is shown, without its type.
func (a *atlas) landmark(i int) landmark {
	e := &a.entries[i]
	o := a.outlines[e.place]
	m := landmark{spot: spot{o.place, int(e.row)}, in: wayTo(o.place)}
	switch e.kind {
	case atlasModule:
		m.op, m.name = "module", cells.Label(e.module)
	case atlasConstant:
		m.op, m.name = "constant", cells.Label(o.place.Graph.Initializers()[e.at].Name())
	default:
		m.op, m.name = o.op(int(e.row)), o.name(int(e.row))
	}
	return m
}

// wayTo is the way to a place, "" for the main graph.
func wayTo(p *graphops.Place) string {
	if p.Kind == graphops.MainGraph {
		return ""
	}
	return cells.Label(p.String())
}

// searched is the text in which letters are looked for.
func (m landmark) searched() string {
	if m.in == "" {
		return m.op + " " + m.name
	}
	return m.op + " " + m.name + " " + m.in
}

// typeOf is what is told of a name beside it: the type, or how large a module is.
func (a *atlas) typeOf(i int) string {
	e := &a.entries[i]
	o := a.outlines[e.place]
	x := o.place.Graph.Index()
	name := o.value(int(e.row))
	switch e.kind {
	case atlasModule:
		return text.Plural(int(e.at), "node")
	case atlasConstant:
		name = o.place.Graph.Initializers()[e.at].Name()
	}
	if v, ok := x.Value(name); ok {
		return typeText(o.place.Type(v))
	}
	return ""
}

// find ranks the names that some letters match, and tells how many do.
func (a *atlas) find(ctx context.Context, typed string, limit int) ([]landmark, int, error) {
	r, err := a.finder.Find(ctx, typed, limit)
	if err != nil {
		return nil, 0, err
	}
	out := make([]landmark, len(r.Matches))
	for i, m := range r.Matches {
		out[i] = a.landmark(m.Index)
		out[i].typ, out[i].at = a.typeOf(m.Index), m.Positions
	}
	return out, r.Total, nil
}
