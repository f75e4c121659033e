package diff

import (
	"context"
	"math"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// labeller computes the label of each node: a hash of its operator, its attributes and the small
// constants that it reads. The label of a node with a body includes the content of the body. The
// label of a call includes the content of the function if only one model has that function.
type labeller struct {
	model     *graphops.Model
	heads     *heads
	shared    map[graphops.FunctionKey]bool // functions that both models have under the same key
	functions map[graphops.FunctionKey]*graphops.Function
	known     map[graphops.FunctionKey]hash
	bodies    map[*graphops.Graph]hash
	versions  map[*graphops.Function]map[string]int64 // imported by functions; nil stands for the model
	depth     int                                     // of nested functions
	types     *shape.Result                           // inferred on first use
}

// maxDepth is the maximum nesting of function calls that is followed.
const maxDepth = 64

func newLabeller(m, other *graphops.Model, r *heads) *labeller {
	l := &labeller{
		model: m, heads: r,
		shared:    map[graphops.FunctionKey]bool{},
		functions: map[graphops.FunctionKey]*graphops.Function{},
		known:     map[graphops.FunctionKey]hash{},
		bodies:    map[*graphops.Graph]hash{},
		versions:  map[*graphops.Function]map[string]int64{},
	}
	for _, f := range m.Functions() {
		l.functions[f.Key()] = f
	}
	for _, f := range other.Functions() {
		l.shared[f.Key()] = l.functions[f.Key()] != nil
	}
	return l
}

// label computes the labels of all nodes of s.
func (l *labeller) label(s *side) {
	nodes := s.graph.Nodes()
	s.ops, s.base, s.label = make([]hash, len(nodes)), make([]hash, len(nodes)), make([]hash, len(nodes))
	for i, n := range nodes {
		if !s.isNode(i) {
			continue
		}
		s.ops[i] = l.operator(n.Calls())
		s.base[i] = mixAll(s.ops[i], hash(len(s.outputs[i])), l.attributes(s, i))
		s.label[i] = mix(s.base[i], hash(len(s.inputs[i])))
		for j, v := range s.inputs[i] {
			switch {
			case v < 0:
				s.label[i] = mix(s.label[i], markAbsent+hash(j))
			case s.constants[s.behind(v)] != nil:
				s.label[i] = mixAll(s.label[i], hash(j), s.constants[s.behind(v)].form)
			}
		}
	}
}

// operator returns the hash of an operator. If it is a function whose key does not occur in the
// other model, the hash depends on the content of the function instead of its name.
func (l *labeller) operator(key graphops.FunctionKey) hash {
	if l.functions[key] != nil && !l.shared[key] {
		return l.function(key)
	}
	return mixAll(hashText(key.Domain), hashText(key.Name), hashText(key.Overload))
}

// function returns the hash of a function's content, which does not depend on its name.
func (l *labeller) function(key graphops.FunctionKey) hash {
	if h, ok := l.known[key]; ok {
		return h
	}
	if l.depth == maxDepth {
		return markFunction
	}
	l.depth++
	defer func() { l.depth-- }()
	l.known[key] = markCycle // a function that calls itself is not valid
	h := mix(markFunction, l.body(&graphops.Place{Kind: graphops.FunctionBody, Graph: l.functions[key].Graph(), Function: l.functions[key]}))
	l.known[key] = h
	return h
}

// body returns the hash of what a body or function computes from its inputs. What a captured value
// is computed from does not count here, because it is an input of the node.
func (l *labeller) body(p *graphops.Place) hash {
	if h, ok := l.bodies[p.Graph]; ok {
		return h
	}
	s := newSide(p, l.heads)
	l.label(s)
	s.number(nil, nil)
	s.hashDown()
	h := markBody
	for _, v := range p.Graph.Outputs() {
		h = mix(h, s.downOf(s.numberOf(v.Name()), s.down, false))
	}
	l.bodies[p.Graph] = h
	return h
}

// attributes returns the hash of a node's attributes, whatever their order. An attribute that
// states its default, or that isImplied, does not count.
func (l *labeller) attributes(s *side, i int) hash {
	sum := hash(0)
	p, n := s.place, s.graph.Nodes()[i]
	schema := l.schemaOf(p, n)
	for _, a := range n.Attributes() {
		if isDefault(schema, a) || s.isImplied(i, a) {
			continue
		}
		h := mixAll(markAttribute, hashText(a.Name()), hash(a.Kind()), hashAttribute(a))
		for _, g := range a.Graphs() {
			h = mix(h, l.body(&graphops.Place{Kind: graphops.BodyGraph, Graph: g, Function: p.Function, Parent: p}))
		}
		sum += h // any order
	}
	return sum
}

// hashAttribute returns a hash of an attribute's value. Of long lists it covers the first items, of
// large tensors the type and shape, and of graphs nothing.
func hashAttribute(a *graphops.Attribute) hash {
	switch {
	case a.Kind() == graphops.AttrInt && a.RefName() == "":
		return hash(a.Int())
	case a.Kind() == graphops.AttrFloat && a.RefName() == "":
		return hash(math.Float32bits(a.Float()))
	default:
		return hashText(a.String())
	}
}

// schemaOf returns the schema of a node's operator in the version that the place imports; nil if it
// is unknown.
func (l *labeller) schemaOf(p *graphops.Place, n *graphops.Node) *opschema.Schema {
	version, ok := l.versionsOf(p.Function)[n.Domain()]
	if !ok {
		return nil
	}
	s, _ := opschema.Find(n.Domain(), n.OpType(), version)
	return s
}

// firstInput returns the inferred type of a node's first input; the zero Type if the node has no
// input.
func (l *labeller) firstInput(ctx context.Context, p *graphops.Place, n *graphops.Node) shape.Type {
	if l.types == nil {
		found, err := shape.Infer(ctx, l.model, shape.Options{})
		if err != nil {
			found = &shape.Result{}
		}
		l.types = found
	}
	if len(n.Inputs()) == 0 {
		return shape.Type{}
	}
	v, ok := p.Graph.Index().Value(n.Input(0))
	if !ok {
		return shape.Type{}
	}
	return l.types.Value(p, v).Type
}

// versionsOf returns the opset versions, by domain, that the function f imports. If f is nil, it
// returns those of the model.
func (l *labeller) versionsOf(f *graphops.Function) map[string]int64 {
	known, ok := l.versions[f]
	if !ok {
		known = l.model.OpsetVersions()
		if f != nil {
			known = f.OpsetVersions()
		}
		l.versions[f] = known
	}
	return known
}

// isDefault reports whether an attribute equals its default in a schema.
func isDefault(s *opschema.Schema, a *graphops.Attribute) bool {
	if s == nil || a.RefName() != "" {
		return false
	}
	d, ok := s.Attribute(a.Name())
	return ok && d.HasDefault() && d.Kind == a.Kind() && a.SameValue(attributeOf(d))
}

// attributeOf returns the default of an attribute in a schema as an attribute.
func attributeOf(d opschema.Attribute) *graphops.Attribute {
	switch d.Kind {
	case graphops.AttrInt:
		return graphops.IntAttribute(d.Name, d.Int())
	case graphops.AttrFloat:
		return graphops.FloatAttribute(d.Name, d.Float())
	case graphops.AttrString:
		return graphops.TextAttribute(d.Name, d.Text())
	case graphops.AttrInts:
		return graphops.IntsAttribute(d.Name, d.Ints())
	case graphops.AttrFloats:
		return graphops.FloatsAttribute(d.Name, d.Floats())
	default:
		return graphops.TextsAttribute(d.Name, d.Texts())
	}
}
