package graph

import (
	"context"
	"slices"
	"sync"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/scope"
)

// Finder evaluates filters in every place of a model. It keeps the facts about places between
// filters. Several filters may run at the same time.
type Finder struct {
	Model *graphops.Model
	Types *Inferred // nil for the declared types
	kept  *keptFacts
}

type keptFacts struct {
	mu    sync.Mutex
	facts map[*graphops.Place]*filter.Facts
	trees map[*graphops.Place]*scope.Tree // modules that the workbench has read
}

// NewFinder returns a finder for a model and its inferred types.
func NewFinder(m *graphops.Model, types *Inferred) Finder {
	return Finder{m, types, &keptFacts{facts: map[*graphops.Place]*filter.Facts{}, trees: map[*graphops.Place]*scope.Tree{}}}
}

// Knows stores the modules of a place so that filters need not compute them. t may be nil.
func (f Finder) Knows(p *graphops.Place, t *scope.Tree) {
	f.kept.mu.Lock()
	defer f.kept.mu.Unlock()
	f.kept.trees[p] = t
}

// Of returns the facts about a place.
func (f Finder) of(p *graphops.Place) *filter.Facts {
	p.Graph.Index() // slow for a large graph, so not under the lock
	f.kept.mu.Lock()
	defer f.kept.mu.Unlock()
	if f.kept.facts[p] == nil {
		f.kept.facts[p] = filter.NewFacts(p, filter.Options{Scopes: f.kept.trees[p], TypeOf: func(v graphops.ValueID) graphops.Type {
			return f.Types.of(p, v)
		}})
	}
	return f.kept.facts[p]
}

// maxFilter is the largest length of an expression, and therefore of a name in it.
const maxFilter = 16 << 10

// Complete returns completions at a byte position of an expression. It leaves out completions that
// are already written there.
func (f Finder) Complete(ctx context.Context, p *graphops.Place, expr string, at int) []filter.Completion {
	list := f.of(p).Complete(ctx, expr, at)
	return slices.DeleteFunc(list, func(c filter.Completion) bool {
		return len(expr)+len(c.Text) > maxFilter || expr[c.From:c.To] == c.Text
	})
}

// Find returns the matching rows of every place. If a filter names a node or value that does not
// exist in a place, nothing there matches. If no place has that name, find returns an error.
func (f Finder) Find(ctx context.Context, query string) ([][]int32, error) {
	e, err := filter.Parse(query)
	if err != nil {
		return nil, err
	}
	places := f.Model.Places()
	out := make([][]int32, len(places))
	var failed error
	bound := false
	for i, p := range places {
		m, err := f.of(p).Bind(e)
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		bound = true
		if out[i], err = rowsOf(ctx, m, p); err != nil {
			return nil, err
		}
	}
	if !bound {
		return nil, failed
	}
	return out, nil
}

// rowsOf returns the matching rows of a place: the nodes, and those inputs and outputs whose values
// match.
func rowsOf(ctx context.Context, m *filter.Matcher, p *graphops.Place) ([]int32, error) {
	nodes, err := m.All(ctx)
	if err != nil {
		return nil, err
	}
	x := p.Graph.Index()
	holds := func(name string) bool {
		id, ok := x.Value(name)
		return ok && m.ValueAlone(id)
	}
	o := NewOutline(nil, p)
	var out []int32
	for i, in := range o.Inputs {
		if holds(in.Name) {
			out = append(out, int32(i))
		}
	}
	for _, i := range nodes {
		out = append(out, int32(o.NodeRow(int(i))))
	}
	for i, v := range o.Outputs {
		if holds(v.Name) {
			out = append(out, int32(o.OutputRow(i)))
		}
	}
	return out, nil
}
