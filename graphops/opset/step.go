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

// maxElements is the maximum number of elements of a constant that adapters read.
const maxElements = 1024

// step is one change of an operator, as it is applied to one node.
type step struct {
	c             *carrier
	p             *graphops.Place
	before, after *opschema.Schema
	said          string           // what was done, "" if nothing was
	ahead         []*graphops.Node // constants that a function needs
}

// adapter rewrites a node and returns the nodes that replace it. The error says why it cannot.
type adapter func(s *step, n *graphops.Node) ([]*graphops.Node, error)

// apply does what steps.txt says for the step, and returns the nodes that replace n.
func (s *step) apply(n *graphops.Node) ([]*graphops.Node, error) {
	at := change{n.OpType(), s.after.Since}
	switch r, ok := table()[at]; {
	case !ok:
		return nil, fmt.Errorf("version %d of the operator is not known", at.since)
	case r.verdict == none:
		return nil, fmt.Errorf("version %d: %s", at.since, r.why)
	case r.verdict == same:
		return []*graphops.Node{n}, nil
	}
	return adapters[at](s, n)
}

// valid returns an error if the later version of the operator does not accept the node: its number
// of inputs or outputs, its attributes, or the types of its values.
func (s *step) valid(n *graphops.Node) error {
	after, ok := opschema.Find(graphops.DefaultDomain, n.OpType(), s.after.Since)
	if !ok || after.Deprecated {
		return fmt.Errorf("version %d removed the operator", s.after.Since)
	}
	if count := len(n.Inputs()); count < after.MinInputs || count > after.MaxInputs {
		return fmt.Errorf("it has %d inputs, but from version %d on the operator accepts %d to %d", count, after.Since, after.MinInputs, after.MaxInputs)
	}
	if count := len(n.Outputs()); count > after.MaxOutputs {
		return fmt.Errorf("it has %d outputs, but from version %d on the operator has at most %d", count, after.Since, after.MaxOutputs)
	}
	for _, a := range n.Attributes() {
		if _, has := after.Attribute(a.Name()); !has && everHad(n.OpType(), a.Name()) {
			return fmt.Errorf("attribute %q was removed in version %d", a.Name(), after.Since)
		}
	}
	if n.OpType() != s.before.Name {
		return nil
	}
	return cmp.Or(s.takes(n.Inputs(), s.before.Input, after.Input), s.takes(n.Outputs(), s.before.Output, after.Output))
}

// everHad reports whether any version of an operator has an attribute. If none has, the attribute
// has no effect in any version.
func everHad(op, attribute string) bool {
	return slices.ContainsFunc(opschema.Versions(graphops.DefaultDomain, op), func(s *opschema.Schema) bool {
		_, has := s.Attribute(attribute)
		return has
	})
}

// takes returns an error if the later version of the operator does not accept the type of a value,
// or if it accepts fewer types and the type is unknown. before and after return the input or output
// at a position in the two versions.
func (s *step) takes(names []string, before, after func(int) (opschema.Param, bool)) error {
	for i, name := range names {
		old, had := before(i)
		param, ok := after(i)
		if name == "" || !had || !ok || allowsAll(param, old) {
			continue
		}
		t := s.typ(name)
		if t.Kind == graphops.TypeUnknown || t.Kind == graphops.TypeTensor && t.Elem == tensor.Undefined {
			return fmt.Errorf("version %d accepts fewer types, and the type of %q is not known", s.after.Since, name)
		}
		if !param.Allows(t.ForFile()) {
			return fmt.Errorf("version %d does not accept %s, the type of %q", s.after.Since, t.ForFile(), name)
		}
	}
	return nil
}

func allowsAll(p, old opschema.Param) bool {
	return !slices.ContainsFunc(old.Types(), func(t graphops.Type) bool { return !p.Allows(t) })
}

// one returns a single node as the result of an adapter, and records what the adapter did.
func (s *step) one(n *graphops.Node, what string) ([]*graphops.Node, error) {
	s.said = what
	return []*graphops.Node{n}, nil
}

// wanted reports whether a node reads the value or the graph has it as an output.
func (s *step) wanted(name string) bool {
	x := s.p.Graph.Index()
	id, ok := x.Value(name)
	return name != "" && ok && (x.IsOutput(id) || len(x.Readers(id)) > 0)
}

// typ returns the type of a value, as far as it is known.
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

// value returns what is inferred about a value of this place or of one around it.
func (s *step) value(name string) (shape.Value, bool) {
	for p := s.p; p != nil; p = p.Parent {
		if id, ok := p.Graph.Index().Value(name); ok && p.Graph.Index().IsDefined(id) {
			return s.c.inferred().Value(p, id), true
		}
	}
	return shape.Value{}, false
}

// rank returns the number of axes of a value, or an error if it is unknown.
func (s *step) rank(name string) (int, error) {
	t := s.typ(name)
	if t.Kind != graphops.TypeTensor || t.Dims == nil {
		return 0, fmt.Errorf("the rank of %q is not known", name)
	}
	return len(t.Dims), nil
}

// size returns the size of an axis of a value. ok is false if it is not known.
func (s *step) size(name string, axis int) (int64, bool) {
	t := s.typ(name)
	if axis >= len(t.Dims) {
		return 0, false
	}
	return t.Dims[axis].Number()
}

// element returns the element type of a tensor, or an error if it is unknown.
func (s *step) element(name string) (tensor.DType, error) {
	if t := s.typ(name); t.Kind == graphops.TypeTensor && t.Elem != tensor.Undefined {
		return t.Elem, nil
	}
	return tensor.Undefined, fmt.Errorf("the type of %q is not known", name)
}

// constant returns the elements of a constant. ok is false if the value is not a constant or has
// more than maxElements elements.
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

// floats returns the elements of a constant as floats; see constant.
func (s *step) floats(name string) ([]float64, bool) {
	x, ok := s.constant(name)
	if !ok {
		return nil, false
	}
	found, err := x.Float64s()
	return found, err == nil
}

// integers returns the elements of a constant if they are whole numbers; see constant.
func (s *step) integers(name string) ([]int64, bool) {
	found, ok := s.floats(name)
	out := make([]int64, len(found))
	for i, x := range found {
		out[i] = int64(x)
		ok = ok && float64(out[i]) == x
	}
	return out, ok
}

// fresh returns an unused name for a new value, and records the type of the value.
func (s *step) fresh(base string, t shape.Type) string {
	name := s.c.names.Value(base)
	s.c.made[name] = t
	return name
}

// keep adds a constant and returns its name, which consists of the node's output and what, the role
// of the constant. The constant is an initializer. In a function, which has no initializers, it is
// a Constant node.
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

// follow creates a node that is one of several nodes that replace n. Its name and metadata are
// derived from n.
func (s *step) follow(n *graphops.Node, op string, inputs, outputs []string, attributes ...*graphops.Attribute) *graphops.Node {
	name := ""
	if n.Name() != "" {
		name = s.c.names.Node(n.Name() + "_" + op)
	}
	return graphops.NewNode(graphops.NodeSpec{Op: op, Name: name, Inputs: inputs, Outputs: outputs, Attributes: attributes}).WithMetadata(n.Metadata())
}

// become returns a node with another operator in place of n. It has the same name, outputs and
// metadata.
func become(n *graphops.Node, op string, inputs []string, attributes []*graphops.Attribute) *graphops.Node {
	return graphops.NewNode(graphops.NodeSpec{
		Op: op, Name: n.Name(), Inputs: inputs, Outputs: n.Outputs(), Attributes: attributes,
	}).WithDoc(n.Doc()).WithMetadata(n.Metadata())
}
