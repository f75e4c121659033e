package check

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// site is a node with its place and its index there.
type site struct {
	*graphops.Node
	place *graphops.Place
	index int
}

// subject is the model being checked, with facts that several rules need.
type subject struct {
	Options
	ctx   context.Context
	model *graphops.Model
	found []Problem
	err   error // of reading weights
	*lookups
}

// operator is an operator with a version of its domain.
type operator struct {
	domain, op string
	version    int64
}

func newSubject(ctx context.Context, m *graphops.Model, o Options) *subject {
	s := &subject{Options: o, ctx: ctx, model: m}
	s.lookups = newLookups(s)
	return s
}

// run applies the rules of a table. Rules marked as last come last.
func (s *subject) run(table []rule) error {
	for _, last := range []bool{false, true} {
		for _, r := range table {
			if r.last != last {
				continue
			}
			if err := s.apply(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply runs one rule over the model.
func (s *subject) apply(r rule) error {
	report := func(p Problem) {
		p.Code = r.code
		p.Severity = cmp.Or(p.Severity, r.severity)
		p.Hint = cmp.Or(p.Hint, r.hint)
		if r.kernels {
			p = s.byKernels(p)
		}
		if p.Place != nil && isDroppedUnseen(p.Place, p.Node) {
			p.Severity = max(p.Severity, Warning)
		}
		s.found = append(s.found, p)
	}
	switch {
	case r.model != nil:
		r.model(s, report)
	case r.tensor != nil:
		for _, t := range s.tensors() {
			if s.ctx.Err() != nil {
				break
			}
			r.tensor(s, t, report)
		}
	default:
		for _, p := range s.model.Places() {
			if s.ctx.Err() != nil {
				break
			}
			s.visit(r, p, report)
		}
	}
	return cmp.Or(s.err, s.ctx.Err())
}

func (s *subject) visit(r rule, p *graphops.Place, report reporter) {
	if r.place != nil {
		r.place(s, p, report)
		return
	}
	for i, n := range p.Graph.Nodes() {
		if i%4096 == 0 && s.ctx.Err() != nil {
			return
		}
		r.node(s, site{n, p, i}, report)
	}
}

// function returns the model's function that a node calls, or nil.
func (s *subject) function(n site) *graphops.Function { return s.operatorOf(n).function }

// schema returns the operator of a node, in the version that applies in its place; nil if the
// table has none, or if a function of the model replaces it.
func (s *subject) schema(n site) *opschema.Schema {
	return s.operatorOf(n).schema
}

// called is what a node calls.
type called struct {
	known    bool
	function *graphops.Function // of the model, or nil
	schema   *opschema.Schema   // as subject.schema returns it
	// version is that of its domain, and opset that of the standard operators, where it is called.
	version, opset int64
}

// operatorOf returns what a node calls. It is looked up once for all nodes of a place that call it.
func (s *subject) operatorOf(n site) called {
	x := n.place.Graph.Index()
	if s.operators[n.place.ID] == nil {
		s.operators[n.place.ID] = make([]called, len(x.Operators()))
	}
	c := &s.operators[n.place.ID][x.Operator(n.index)]
	if !c.known {
		*c = s.lookUp(n.place, n.Calls())
	}
	return *c
}

func (s *subject) lookUp(p *graphops.Place, key graphops.FunctionKey) called {
	c := called{known: true, function: s.functions[key]}
	version, ok := s.resolved(p, key.Domain)
	c.version = version
	c.opset, _ = s.resolved(p, graphops.DefaultDomain)
	if ok && c.function == nil {
		c.schema, _ = opschema.Find(key.Domain, key.Name, knownVersion(operator{key.Domain, key.Name, version}))
	}
	return c
}

// bodiesOf returns the bodies of a node.
func (s *subject) bodiesOf(n site) []*graphops.Place {
	// Bodies are in the order of their nodes.
	of := func(node int) int {
		i, _ := slices.BinarySearchFunc(n.place.Bodies, node, func(p *graphops.Place, node int) int { return p.Node - node })
		return i
	}
	return n.place.Bodies[of(n.index):of(n.index+1)]
}
