package opset

import (
	"cmp"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// maxElements bounds the constants whose elements adapters look at.
const maxElements = 1024

// step is one change of an operator on the way of one node.
type step struct {
	c             *carrier
	p             *graphops.Place
	before, after *opschema.Schema
	said          string           // what was done, "" where nothing was
	ahead         []*graphops.Node // constants that a function needs
}

// adapter writes a node anew. The error is the reason why it cannot.
type adapter func(s *step, n *graphops.Node) ([]*graphops.Node, error)

// apply does what the table says of the step.
func (s *step) apply(n *graphops.Node) ([]*graphops.Node, error) {
	at := change{n.OpType(), s.after.Since}
	switch r, ok := table()[at]; {
	case !ok:
		return nil, fmt.Errorf("nothing is known of version %d of the operator", at.since)
	case r.verdict == none:
		return nil, fmt.Errorf("version %d: %s", at.since, r.why)
	case r.verdict == same:
		return []*graphops.Node{n}, nil
	}
	return adapters[at](s, n)
}

// valid is an error where a node has what its operator does not take in the version, or a
// type that it took before and takes no more.
func (s *step) valid(n *graphops.Node) error {
	after, ok := opschema.Find(graphops.DefaultDomain, n.OpType(), s.after.Since)
	if !ok || after.Deprecated {
		return fmt.Errorf("version %d withdrew the operator", s.after.Since)
	}
	if count := len(n.Inputs()); count < after.MinInputs || count > after.MaxInputs {
		return fmt.Errorf("it has %d inputs, and from version %d on the operator takes %d to %d", count, after.Since, after.MinInputs, after.MaxInputs)
	}
	if count := len(n.Outputs()); count > after.MaxOutputs {
		return fmt.Errorf("it has %d outputs, and from version %d on the operator has %d at most", count, after.Since, after.MaxOutputs)
	}
	for _, a := range n.Attributes() {
		if _, has := after.Attribute(a.Name()); !has && everHad(n.OpType(), a.Name()) {
			return fmt.Errorf("attribute %q is gone in version %d", a.Name(), after.Since)
		}
	}
	if n.OpType() != s.before.Name {
		return nil
	}
	return cmp.Or(s.takes(n.Inputs(), s.before.Input, after.Input), s.takes(n.Outputs(), s.before.Output, after.Output))
}

// everHad reports whether any version of an operator has an attribute. One that none has
// means nothing in each of them.
func everHad(op, attribute string) bool {
	return slices.ContainsFunc(opschema.Versions(graphops.DefaultDomain, op), func(s *opschema.Schema) bool {
		_, has := s.Attribute(attribute)
		return has
	})
}

// takes looks whether parameters allow the values that they allowed.
func (s *step) takes(names []string, before, after func(int) (opschema.Param, bool)) error {
	for i, name := range names {
		old, had := before(i)
		param, ok := after(i)
		if name == "" || !had || !ok || allowsAll(param, old) {
			continue
		}
		t := s.typ(name)
		if t.Kind == graphops.TypeUnknown || t.Kind == graphops.TypeTensor && t.Elem == tensor.Undefined {
			return fmt.Errorf("version %d takes fewer types, and the type of %q is not known", s.after.Since, name)
		}
		if !param.Allows(t.ForFile()) {
			return fmt.Errorf("version %d does not take %s, which %q is of", s.after.Since, t.ForFile(), name)
		}
	}
	return nil
}

func allowsAll(p, old opschema.Param) bool {
	return !slices.ContainsFunc(old.Types(), func(t graphops.Type) bool { return !p.Allows(t) })
}

// one is a node that was written anew, and what was done.
func (s *step) one(n *graphops.Node, what string) ([]*graphops.Node, error) {
	s.said = what
	return []*graphops.Node{n}, nil
}

// wanted reports whether anything reads a value.
func (s *step) wanted(name string) bool {
	x := s.p.Graph.Index()
	id, ok := x.Value(name)
	return name != "" && ok && (x.IsOutput(id) || len(x.Readers(id)) > 0)
}

// typ is what is known of the type of a value.
func (s *step) typ(name string) shape.Type {
	if t, ok := s.c.made[name]; ok {
		return t
	}
	v, ok := s.value(name)
	if !ok {
		return shape.Type{}
	}
	return v.Type
}

// value is what is known of a value of the model, of the place or around it.
func (s *step) value(name string) (shape.Value, bool) {
	for p := s.p; p != nil; p = p.Parent {
		if id, ok := p.Graph.Index().Value(name); ok && p.Graph.Index().IsDefined(id) {
			return s.c.inferred().Value(p, id), true
		}
	}
	return shape.Value{}, false
}

// rank is the number of axes of a value. It is an error that it is not known.
func (s *step) rank(name string) (int, error) {
	t := s.typ(name)
	if t.Kind != graphops.TypeTensor || t.Dims == nil {
		return 0, fmt.Errorf("the rank of %q is not known", name)
	}
	return len(t.Dims), nil
}

// size is an axis of a value that is a number.
func (s *step) size(name string, axis int) (int64, bool) {
	t := s.typ(name)
	if axis >= len(t.Dims) {
		return 0, false
	}
	return t.Dims[axis].Number()
}

// element is the type of a tensor's elements. It is an error that it is not known.
func (s *step) element(name string) (tensor.DType, error) {
	if t := s.typ(name); t.Kind == graphops.TypeTensor && t.Elem != tensor.Undefined {
		return t.Elem, nil
	}
	return tensor.Undefined, fmt.Errorf("the type of %q is not known", name)
}

// constant finds the elements of a small constant.
func (s *step) constant(name string) (tensor.Tensor, bool) {
	if x, ok := s.c.constants[name]; ok {
		return x, true
	}
	t, _ := s.p.Constant(name)
	if t != nil {
		if n, err := t.Elements(); err != nil || n > maxElements {
			return tensor.Tensor{}, false
		}
		x, err := t.Read()
		return x, err == nil
	}
	v, ok := s.value(name)
	if !ok {
		return tensor.Tensor{}, false
	}
	return v.Constant()
}

// floats are the elements of a small constant.
func (s *step) floats(name string) ([]float64, bool) {
	x, ok := s.constant(name)
	if !ok {
		return nil, false
	}
	found, err := x.Float64s()
	return found, err == nil
}

// integers are the elements of a small constant that are whole numbers.
func (s *step) integers(name string) ([]int64, bool) {
	found, ok := s.floats(name)
	out := make([]int64, len(found))
	for i, x := range found {
		out[i] = int64(x)
		ok = ok && float64(out[i]) == x
	}
	return out, ok
}

// fresh is a name for a value of a type that an adapter makes.
func (s *step) fresh(base string, t shape.Type) string {
	name := s.c.names.Value(base)
	s.c.made[name] = t
	return name
}

// keep makes a constant, called after what the node makes and what it was before: an
// initializer, or in a function, which has none, a node.
func (s *step) keep(n *graphops.Node, what string, x tensor.Tensor) string {
	name := s.fresh(n.Outputs()[0]+"_"+what, shape.FromFile(graphops.Type{Kind: graphops.TypeTensor, Elem: x.DType, Shape: graphops.FixedShape(x.Shape)}))
	s.c.constants[name] = x
	if s.p.Function == nil {
		s.c.added = append(s.c.added, graphops.NewTensorOf(name, x))
		return name
	}
	s.ahead = append(s.ahead, graphops.NewNode(graphops.NodeSpec{
		Op: "Constant", Outputs: []string{name}, Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", graphops.NewTensorOf("", x))},
	}))
	return name
}

// after is a node that follows another one as part of what that becomes.
func (s *step) follow(n *graphops.Node, op string, inputs, outputs []string, attributes ...*graphops.Attribute) *graphops.Node {
	name := ""
	if n.Name() != "" {
		name = s.c.names.Node(n.Name() + "_" + op)
	}
	return graphops.NewNode(graphops.NodeSpec{Op: op, Name: name, Inputs: inputs, Outputs: outputs, Attributes: attributes}).WithMetadata(n.Metadata())
}

// become is the node as another operator.
func become(n *graphops.Node, op string, inputs []string, attributes []*graphops.Attribute) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{
		Op: op, Name: n.Name(), Inputs: inputs, Outputs: n.Outputs(), Attributes: attributes,
	}).WithDoc(n.Doc()).WithMetadata(n.Metadata())
}
