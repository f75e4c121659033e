package filter

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// reached returns a test that is true for the nodes and values of r. A constant also passes if one
// of the nodes that read it does.
func (b *binder) reached(r graphops.Reach) holds {
	node := func(i int32) bool { return r.Nodes[i] }
	return func(it item) bool {
		if it.value >= 0 && (r.Values[it.value] || !b.index.IsInitializer(it.value)) {
			return r.Values[it.value]
		}
		return b.anyNode(it, node)
	}
}

func (b *binder) after(t *test) (holds, error)  { return b.beyond(t, b.index.Descendants) }
func (b *binder) before(t *test) (holds, error) { return b.beyond(t, b.index.Ancestors) }

func (b *binder) beyond(t *test, reach func(...graphops.Point) graphops.Reach) (holds, error) {
	points, err := b.named(t)
	if err != nil {
		return nil, err
	}
	r := reach(points...)
	for _, p := range points {
		if i, ok := p.Node(); ok {
			r.Nodes[i] = false
		} else if v, ok := p.Value(); ok {
			r.Values[v] = false
		}
	}
	return b.reached(r), nil
}

func (b *binder) between(t *test) (holds, error) {
	var tests []holds
	for _, item := range t.items {
		from, to, ok := item.cutRange()
		if !ok || from.s == "" || to.s == "" {
			return nil, b.fault(item, "expected %s", t.field.wants)
		}
		starts, err := b.points(from)
		if err != nil {
			return nil, err
		}
		ends, err := b.points(to)
		if err != nil {
			return nil, err
		}
		tests = append(tests, b.reached(b.index.Between(starts, ends)))
	}
	return func(it item) bool {
		return slices.ContainsFunc(tests, func(h holds) bool { return h(it) })
	}, nil
}

// reads returns a test for the nodes that read the named values, or outputs of the named nodes.
func (b *binder) reads(t *test) (holds, error) {
	return b.neighbours(t, b.index.Makes, b.index.Readers)
}

// makes returns a test for the nodes that produce the named values, or inputs of the named nodes.
func (b *binder) makes(t *test) (holds, error) {
	return b.neighbours(t, b.index.Reads, func(v graphops.ValueID) []int32 {
		if p := b.index.Producer(v); p >= 0 {
			return []int32{int32(p)}
		}
		return nil
	})
}

func (b *binder) neighbours(t *test, values func(int) []graphops.ValueID, nodes func(graphops.ValueID) []int32) (holds, error) {
	points, err := b.named(t)
	if err != nil {
		return nil, err
	}
	hit := make([]bool, len(b.graph.Nodes()))
	for _, p := range points {
		v, ok := p.Value()
		list := []graphops.ValueID{v}
		if !ok {
			i, _ := p.Node()
			list = values(i)
		}
		for _, v := range list {
			for _, n := range nodes(v) {
				hit[n] = true
			}
		}
	}
	return b.nodes(t, func(i int32) bool { return hit[i] }), nil
}

// named returns what the items of a test name, as points.
func (b *binder) named(t *test) ([]graphops.Point, error) {
	var out []graphops.Point
	for _, item := range t.items {
		points, err := b.points(item)
		if err != nil {
			return nil, err
		}
		out = append(out, points...)
	}
	return out, nil
}

// points returns the nodes and values that a text names. The first of these that exists counts:
// nodes and values with exactly that name; the node at a position, such as #12; the nodes of a
// scope; the nodes and values whose names match a pattern. A point is a node or a value.
func (b *binder) points(t text) ([]graphops.Point, error) {
	if b.isKnown(t.s) {
		return b.matching(func(s string) bool { return s == t.s }), nil
	}
	if s, ok := strings.CutPrefix(t.s, "#"); ok && t.isPlain(0) {
		if i, err := strconv.Atoi(s); err == nil && i >= 0 && i < len(b.graph.Nodes()) {
			return []graphops.Point{graphops.NodePoint(i)}, nil
		}
	}
	if out, ok := b.scoped(t); ok {
		return out, nil
	}
	if t.isWild() {
		p := compile(t, false)
		if out := b.matching(p.matches); len(out) > 0 {
			return out, nil
		}
	}
	return nil, b.unknown(t, "node, value or scope", b.names)
}

func (b *binder) scoped(t text) ([]graphops.Point, bool) {
	in, err := b.scopes().Under(t.s)
	if err != nil {
		return nil, false
	}
	var out []graphops.Point
	for i, is := range in {
		if is {
			out = append(out, graphops.NodePoint(i))
		}
	}
	return out, true
}

// matching returns the nodes and values for whose names matches is true.
func (b *binder) matching(matches func(string) bool) []graphops.Point {
	var out []graphops.Point
	for i, n := range b.graph.Nodes() {
		if n.Name() != "" && matches(n.Name()) {
			out = append(out, graphops.NodePoint(i))
		}
	}
	for v := range b.index.Values() {
		if matches(b.index.Name(graphops.ValueID(v))) {
			out = append(out, graphops.ValuePoint(graphops.ValueID(v)))
		}
	}
	return out
}

// isKnown reports whether a node or value has exactly the name.
func (b *binder) isKnown(name string) bool {
	if _, ok := b.index.Value(name); ok {
		return true
	}
	return name != "" && slices.ContainsFunc(b.graph.Nodes(), func(n *graphops.Node) bool { return n.Name() == name })
}

// unknown returns the error that nothing has the name t. what says what was expected, and names are
// the existing names. The error lists similar ones.
func (b *binder) unknown(t text, what string, names iter.Seq[string]) error {
	e := fault(b.expr, t.from, t.to, "no %s has that name", what)
	e.Missing = true
	e.Unfinished = e.Unfinished && begins(names, t.s)
	e.near = func() []string { return graphops.NearestNames(t.s, names) }
	return e
}

// begins reports whether a name starts with s.
func begins(names iter.Seq[string], s string) bool {
	for name := range names {
		if strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// names yields the names of all nodes and values.
func (f *Facts) names(yield func(string) bool) {
	for _, n := range f.graph.Nodes() {
		if !yield(n.Name()) {
			return
		}
	}
	for v := range f.index.Values() {
		if !yield(f.index.Name(graphops.ValueID(v))) {
			return
		}
	}
}

// scopeNames yields the paths of all scopes of the module tree.
func (f *Facts) scopeNames(yield func(string) bool) {
	t := f.scopes()
	for s := range t.Scopes {
		if !yield(t.Path(scope.ID(s))) {
			return
		}
	}
}

// in returns a test for the nodes of the named scopes, including the scopes below them.
func (b *binder) in(t *test) (holds, error) {
	hit := make([]bool, len(b.graph.Nodes()))
	for _, item := range t.items {
		in, err := b.scopes().Under(item.s)
		if err != nil {
			return nil, b.unknown(item, "scope", b.scopeNames)
		}
		for i, is := range in {
			hit[i] = hit[i] || is
		}
	}
	return b.nodes(t, func(i int32) bool { return hit[i] }), nil
}
