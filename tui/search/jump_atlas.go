package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"lathe/graphops"
	"lathe/graphops/scope"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/fuzzy"
	"lathe/tui/graph"
)

// atlas lists everything in a model that has a name, in all places: nodes, inputs, outputs,
// initializers and modules. It is immutable.
type atlas struct {
	model    *graphops.Model
	types    *graph.Typing
	outlines []*graph.Outline // by the number of the place
	entries  []atlasEntry
	rows     nameList // rows and constants
	modules  nameList
	dotted   nameList // modules with dots, as in PyTorch
}

// nameList is a part of an atlas with an index for fuzzy search. entries has the positions in the
// atlas.
type nameList struct {
	entries []int32
	finder  *fuzzy.Finder
}

// atlasEntry is a name. Its text is made when it is shown, from the model.
type atlasEntry struct {
	place, row int32
	kind       atlasKind
	at         int32 // position of a constant, or number of nodes of a module
	module     string
}

type atlasKind uint8

const (
	atlasRow atlasKind = iota
	atlasConstant
	atlasModule
)

// landmark is a name as the dialog shows it: with its operator, type and place, all safe to print.
type landmark struct {
	spot              graph.Spot
	op, Name, typ, in string
	At                []int // matching characters in op, name and in, joined by spaces
	readers           int   // of a constant: how many nodes read it; the spot is the first
}

// NewAtlas collects the names of a model.
func NewAtlas(ctx context.Context, m *graphops.Model, types *graph.Typing) (*atlas, error) {
	a := &atlas{model: m, types: types}
	for _, p := range m.Places() {
		a.outlines = append(a.outlines, graph.NewOutline(m, p))
		if err := a.addPlace(ctx, p); err != nil {
			return nil, err
		}
	}
	var rows, modules []int32
	for i := range a.entries {
		if a.entries[i].kind == atlasModule {
			modules = append(modules, int32(i))
		} else {
			rows = append(rows, int32(i))
		}
	}
	var err error
	for _, n := range []struct {
		to      *nameList
		entries []int32
		text    func(landmark) string
	}{
		{&a.rows, rows, landmark.searched},
		{&a.modules, modules, landmark.searched},
		{&a.dotted, modules, func(m landmark) string {
			m.Name = strings.ReplaceAll(m.Name, "/", ".")
			return m.searched()
		}},
	} {
		if *n.to, err = a.nameList(ctx, n.entries, n.text); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// nameList prepares entries for searching. textOf returns the text of an entry.
func (a *atlas) nameList(ctx context.Context, entries []int32, textOf func(landmark) string) (nameList, error) {
	var all strings.Builder
	ends := make([]int, 1, len(entries)+1)
	for k, i := range entries {
		if k%namesAtOnce == 0 && ctx.Err() != nil {
			return nameList{}, ctx.Err()
		}
		all.WriteString(textOf(a.landmark(int(i))))
		ends = append(ends, all.Len())
	}
	texts := all.String()
	return nameList{entries, fuzzy.NewFinder(fuzzy.NewCorpus(len(entries), func(i int) string { return texts[ends[i]:ends[i+1]] }))}, nil
}

// namesAtOnce is how many names are read between two checks of the context.
const namesAtOnce = 4096

// addPlace adds the modules, rows and constants of a place.
func (a *atlas) addPlace(ctx context.Context, p *graphops.Place) error {
	id, o, tree := int32(p.ID), a.outlines[p.ID], scope.BuildPlace(p)
	for s := range tree.Scopes {
		if s := scope.ID(s); s != scope.Root && tree.Scopes[s].First >= 0 {
			sc := &tree.Scopes[s]
			a.entries = append(a.entries, atlasEntry{id, int32(o.NodeRow(sc.First)), atlasModule, int32(sc.Nodes), tree.Path(s)})
		}
	}
	for row := range o.Len() {
		a.entries = append(a.entries, atlasEntry{place: id, row: int32(row)})
	}
	x := p.Graph.Index()
	for i, t := range p.Graph.Initializers() {
		v, ok := x.Value(t.Name())
		if !ok || len(x.Readers(v)) == 0 {
			continue
		}
		a.entries = append(a.entries, atlasEntry{place: id, row: int32(o.NodeRow(int(x.Readers(v)[0]))), kind: atlasConstant, at: int32(i)})
	}
	return ctx.Err()
}

// landmark returns a name as it is shown, without its type.
func (a *atlas) landmark(i int) landmark {
	e := &a.entries[i]
	o := a.outlines[e.place]
	m := landmark{spot: graph.Spot{Place: o.Place, Row: int(e.row)}, in: wayTo(o.Place)}
	switch e.kind {
	case atlasModule:
		m.op, m.Name = "module", cells.Label(e.module)
	case atlasConstant:
		m.op, m.Name = "constant", cells.Label(o.Place.Graph.Initializers()[e.at].Name())
	default:
		m.op, m.Name = o.Op(int(e.row)), o.Name(int(e.row))
	}
	return m
}

// wayTo returns the path to a place, or "" for the main graph.
func wayTo(p *graphops.Place) string {
	if p.Kind == graphops.MainGraph {
		return ""
	}
	return cells.Label(p.String())
}

// searched returns the text that the typed letters are searched in.
func (m landmark) searched() string {
	if m.in == "" {
		return m.op + " " + m.Name
	}
	return m.op + " " + m.Name + " " + m.in
}

// typeOf returns the text beside a name: the type of its value, or for a module the number of its
// nodes.
func (a *atlas) typeOf(i int) string {
	e := &a.entries[i]
	o := a.outlines[e.place]
	x := o.Place.Graph.Index()
	name := o.Value(int(e.row))
	switch e.kind {
	case atlasModule:
		return text.Plural(int(e.at), "node")
	case atlasConstant:
		name = o.Place.Graph.Initializers()[e.at].Name()
	}
	if v, ok := x.Value(name); ok {
		return graph.TypeText(a.types.Of(o.Place, v))
	}
	return ""
}

// readersOf returns how many nodes read a constant, and 0 for another name.
func (a *atlas) readersOf(i int) int {
	e := &a.entries[i]
	g := a.outlines[e.place].Place.Graph
	if e.kind != atlasConstant {
		return 0
	}
	v, ok := g.Index().Value(g.Initializers()[e.at].Name())
	if !ok {
		return 0
	}
	return len(slices.Compact(slices.Clone(g.Index().Readers(v))))
}

// Find returns at most limit names that match what was typed, best first, and the number of all
// matches. Paths of modules match with slashes or, if the typed text has dots, with dots as in
// PyTorch.
func (a *atlas) Find(ctx context.Context, typed string, limit int) ([]landmark, int, error) {
	modules := a.modules
	if strings.Contains(typed, ".") && !strings.Contains(typed, "/") {
		modules = a.dotted
	}
	var all []fuzzy.Match // with indices of entries
	total := 0
	for _, n := range []nameList{modules, a.rows} {
		r, err := n.finder.Find(ctx, typed, limit)
		if err != nil {
			return nil, 0, err
		}
		total += r.Total
		for _, m := range r.Matches {
			m.Index = int(n.entries[m.Index])
			all = append(all, m)
		}
	}
	out := make([]landmark, len(all))
	for k, m := range all {
		out[k] = a.landmark(m.Index)
		out[k].At = m.Positions
	}
	order := ranked(all, out, strings.TrimSpace(typed) == "")
	order = order[:min(len(order), limit)]
	best := make([]landmark, len(order))
	for k, i := range order {
		best[k] = out[i]
		best[k].typ, best[k].readers = a.typeOf(all[i].Index), a.readersOf(all[i].Index)
	}
	return best, total, nil
}

// ranked returns the order of matches that come from several finders: by score, then the shorter
// text, then the order in the model. If inOrder is set, the length does not count.
func ranked(all []fuzzy.Match, marks []landmark, inOrder bool) []int {
	order, length := make([]int, len(all)), make([]int, len(all))
	for i := range all {
		order[i] = i
		if !inOrder {
			length[i] = utf8.RuneCountInString(marks[i].searched())
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(all[j].Score, all[i].Score), cmp.Compare(length[i], length[j]), cmp.Compare(all[i].Index, all[j].Index))
	})
	return order
}
