package filter

import (
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// reached is a test of belonging to a part of the graph, to which a constant
// belongs with a node that reads it.
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

// reads holds for the nodes that read the values named, or what the nodes named
// make.
func (b *binder) reads(t *test) (holds, error) {
	return b.neighbours(t, b.index.Makes, b.index.Readers)
}

// makes holds for the nodes that make the values named, or what the nodes named
// read.
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

// named are the points that all items of a test name.
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

// points finds what a text names: nodes and values of exactly that name, a node
// by its position, the nodes of a scope, or what a pattern matches.
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
	return nil, b.unknown(t)
}

func (b *binder) scoped(t text) ([]graphops.Point, bool) {
	if b.o.Under == nil {
		return nil, false
	}
	in, ok := b.o.Under(t.s)
	var out []graphops.Point
	for i, is := range in {
		if is {
			out = append(out, graphops.NodePoint(i))
		}
	}
	return out, ok
}

// matching are the nodes and the values whose names match.
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

// isKnown reports whether a node or value has exactly this name.
func (b *binder) isKnown(name string) bool {
	if _, ok := b.index.Value(name); ok {
		return true
	}
	return name != "" && slices.ContainsFunc(b.graph.Nodes(), func(n *graphops.Node) bool { return n.Name() == name })
}

// unknown is the error about a name that nothing has.
func (b *binder) unknown(t text) error {
	e := fault(b.expr, t.from, t.to, "no node, value or scope has that name%s", nearest(graphops.NearestNames(t.s, b.names)))
	e.Missing = true
	e.Unfinished = e.Unfinished && b.begins(t.s)
	return e
}

// names are all that points can name, scopes left out.
func (b *binder) names(yield func(string) bool) {
	for _, n := range b.graph.Nodes() {
		if !yield(n.Name()) {
			return
		}
	}
	for v := range b.index.Values() {
		if !yield(b.index.Name(graphops.ValueID(v))) {
			return
		}
	}
}

// begins reports whether a name goes on from s.
func (b *binder) begins(s string) bool {
	for name := range b.names {
		if strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// in holds for the nodes of a scope and those below it.
func (b *binder) in(t *test) (holds, error) {
	if b.o.Under == nil {
		return nil, fault(b.expr, t.from, t.to, "scopes are not known here")
	}
	hit := make([]bool, len(b.graph.Nodes()))
	for _, item := range t.items {
		in, ok := b.o.Under(item.s)
		if !ok {
			return nil, b.unknownScope(item)
		}
		for i, is := range in {
			hit[i] = hit[i] || is
		}
	}
	return b.nodes(t, func(i int32) bool { return hit[i] }), nil
}

func (b *binder) unknownScope(t text) error {
	var names []string
	begins := false
	if b.o.Scopes != nil {
		for _, s := range b.o.Scopes("", maxScopes) {
			names = append(names, s.Text)
			begins = begins || strings.HasPrefix(s.Text, t.s)
		}
	}
	e := fault(b.expr, t.from, t.to, "no scope has that name%s", nearest(graphops.NearestNames(t.s, slices.Values(names))))
	e.Missing = true
	e.Unfinished = e.Unfinished && begins
	return e
}

// maxScopes is how many scopes a wrong name is compared with.
const maxScopes = 20_000
