package filter

import (
	"slices"

	"lathe/graphops"
)

// holds reports whether an item passes a test, or a whole expression, that has been bound to a
// graph.
type holds func(it item) bool

// binder binds the tests of one expression to a graph. Binding looks up names and compiles patterns
// once, so that applying a test is fast.
type binder struct {
	*Facts
	expr string
}

// Compile parses an expression and binds it to the graph. The error is an *Error.
func (f *Facts) Compile(expr string) (*Matcher, error) {
	e, err := Parse(expr)
	if err != nil {
		return nil, err
	}
	return f.Bind(e)
}

// Bind binds a parsed expression to the graph. If the expression names nodes or values, it finds
// what depends on them, which takes some milliseconds for a graph with 200,000 nodes. The error is
// an *Error.
func (f *Facts) Bind(e *Expr) (*Matcher, error) {
	b := &binder{f, e.source}
	h, err := b.clause(e.root)
	if err != nil {
		return nil, err
	}
	return &Matcher{facts: f, holds: h}, nil
}

func (b *binder) fault(t text, format string, args ...any) error {
	return fault(b.expr, t.from, t.to, format, args...)
}

func (b *binder) clause(c clause) (holds, error) {
	if c.kind == clauseTest {
		return b.test(c.test)
	}
	parts := make([]holds, len(c.of))
	for i, p := range c.of {
		var err error
		if parts[i], err = b.clause(p); err != nil {
			return nil, err
		}
	}
	switch {
	case c.kind == clauseNot:
		return func(it item) bool { return !parts[0](it) }, nil
	case len(parts) == 1:
		return parts[0], nil
	case c.kind == clauseAny:
		return func(it item) bool {
			for _, p := range parts {
				if p(it) {
					return true
				}
			}
			return false
		}, nil
	}
	return func(it item) bool {
		for _, p := range parts {
			if !p(it) {
				return false
			}
		}
		return true
	}, nil
}

func (b *binder) test(t *test) (holds, error) {
	if t.field == nil {
		return b.word(t.items[0]), nil
	}
	return t.field.bind(b, t)
}

// opposite returns the opposite of h if the operator of t is "!="; otherwise h.
func opposite(t *test, h holds) holds {
	if t.op != opIsNot {
		return h
	}
	return func(it item) bool { return !h(it) }
}

// nodes returns a test that applies of to the node that an item is or belongs to; see
// Facts.anyNode.
func (b *binder) nodes(t *test, of func(i int32) bool) holds {
	return opposite(t, func(it item) bool { return b.anyNode(it, of) })
}

// patterns returns the items of a test as patterns. part allows that a pattern matches a part of a
// text if the operator is ":".
func patterns(t *test, part bool) []pattern {
	out := make([]pattern, len(t.items))
	for i, item := range t.items {
		out[i] = compile(item, part && t.op == opHas)
	}
	return out
}

func anyPattern(list []pattern, s string) bool {
	for i := range list {
		if list[i].matches(s) {
			return true
		}
	}
	return false
}

// word returns the test for a text without a field.
func (b *binder) word(t text) holds {
	p := compile(t, true)
	return func(it item) bool {
		if !it.isNode() {
			return p.matches(b.nameOf(it))
		}
		n := b.graph.Nodes()[it.node]
		return p.matches(n.OpType()) || p.matches(n.Name()) || p.matchesAny(n.Outputs()) || b.givenAny(p, n.Inputs()) || b.givenAny(p, n.Captured())
	}
}

// givenAny reports whether a pattern matches a value that no node of the graph computes, such as a
// weight. The other values belong to the nodes that compute them.
func (b *binder) givenAny(p pattern, names []string) bool {
	for _, name := range names {
		if !p.matches(name) {
			continue
		}
		if id, ok := b.index.Value(name); !ok || b.index.Producer(id) < 0 {
			return true
		}
	}
	return false
}

func (b *binder) nameOf(it item) string {
	switch {
	case it.tensor != nil:
		return it.tensor.Name()
	case it.value >= 0:
		return b.index.Name(it.value)
	default:
		return b.graph.Nodes()[it.node].Name()
	}
}

func (b *binder) name(t *test) (holds, error) {
	list := patterns(t, true)
	return opposite(t, func(it item) bool { return anyPattern(list, b.nameOf(it)) }), nil
}

func (b *binder) operator(t *test) (holds, error) {
	list := patterns(t, false)
	return b.nodes(t, func(i int32) bool { return anyPattern(list, b.graph.Nodes()[i].OpType()) }), nil
}

// defaultDomain stands in expressions for the default domain, whose name in the file is "".
const defaultDomain = "ai.onnx"

func domainOf(n *graphops.Node) string {
	if d := n.Domain(); d != graphops.DefaultDomain {
		return d
	}
	return defaultDomain
}

func (b *binder) domain(t *test) (holds, error) {
	list := patterns(t, false)
	return b.nodes(t, func(i int32) bool { return anyPattern(list, domainOf(b.graph.Nodes()[i])) }), nil
}

func (b *binder) input(t *test) (holds, error) {
	list := patterns(t, true)
	return b.nodes(t, func(i int32) bool {
		n := b.graph.Nodes()[i]
		return anyNamed(list, n.Inputs()) || anyNamed(list, n.Captured())
	}), nil
}

func (b *binder) output(t *test) (holds, error) {
	list := patterns(t, true)
	return b.nodes(t, func(i int32) bool { return anyNamed(list, b.graph.Nodes()[i].Outputs()) }), nil
}

// anyNamed reports whether a pattern matches one of the names. Empty names are those of omitted
// inputs and outputs, and are ignored.
func anyNamed(list []pattern, names []string) bool {
	return slices.ContainsFunc(names, func(s string) bool { return s != "" && anyPattern(list, s) })
}

func (b *binder) position(t *test) (holds, error) {
	spans, err := b.spans(t)
	if err != nil {
		return nil, err
	}
	return b.nodes(t, func(i int32) bool { return anySpan(spans, float64(i)) }), nil
}
