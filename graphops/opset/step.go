package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// maxElements is the maximum number of elements of a constant that adapters read.
const maxElements = 1024

// step is one change of an operator, as it is applied to one node.
type step struct {
	*carrier
	*transition
	n   *rewrite.Node
	err error // the first reason why the node cannot be converted
}

// adapter rewrites the node of a step and returns what it did, or "" if the node stays unchanged. If
// the node cannot be converted, the adapter records the reason with fail. Then there is no result,
// so it does not matter in which state it leaves the node.
type adapter func(s *step) string

// values are inputs of a node; nil for an omitted one.
type values = []*rewrite.Value

// fail records why the node cannot be converted, unless an earlier reason is known.
func (s *step) fail(format string, args ...any) string {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
	return ""
}

// apply does what steps.txt says for the step, and returns what was done.
func (s *step) apply() string {
	switch s.row.verdict {
	case same:
		return ""
	case adapted:
		return adapters()[change{s.n.Op(), s.after.Since}](s)
	case none:
		return s.fail("version %d: %s", s.after.Since, s.row.why)
	}
	return s.fail("version %d of the operator is not known", s.after.Since)
}

// valid checks that the later version of the operator accepts the node: its number of inputs and
// outputs, its attributes, and the types of its values.
func (s *step) valid() {
	n, after := s.n, s.after
	if n.Op() != s.before.Name {
		after, _ = opschema.Find(graphops.DefaultDomain, n.Op(), s.after.Since)
	}
	switch in, out := len(n.Inputs()), len(n.Outputs()); {
	case after.Deprecated:
		s.fail("version %d removed the operator", s.after.Since)
	case in < after.MinInputs || in > after.MaxInputs:
		s.fail("it has %d inputs, but from version %d on the operator accepts %d to %d", in, after.Since, after.MinInputs, after.MaxInputs)
	case out > after.MaxOutputs:
		s.fail("it has %d outputs, but from version %d on the operator has at most %d", out, after.Since, after.MaxOutputs)
	}
	for _, a := range n.Attributes() {
		if _, has := after.Attribute(a.Name()); !has && everHad(n.Op(), a.Name()) {
			s.fail("attribute %q was removed in version %d", a.Name(), after.Since)
		}
	}
	if s.narrows && after == s.after {
		s.accepts(n.Inputs(), s.before.Input, after.Input)
		s.accepts(n.Outputs(), s.before.Output, after.Output)
	}
}

// everHad reports whether any version of an operator has an attribute. If none has, the attribute
// has no effect in any version.
func everHad(op, attribute string) bool {
	return slices.ContainsFunc(opschema.Versions(graphops.DefaultDomain, op), func(s *opschema.Schema) bool {
		_, has := s.Attribute(attribute)
		return has
	})
}

// accepts checks that the later version of the operator accepts the types of the values. A type may
// be unknown only where it accepts all types that the earlier one accepts. before and after return
// the input or output at a position in the two versions.
func (s *step) accepts(list values, before, after func(int) (opschema.Param, bool)) {
	for i, v := range list {
		if v == nil || !narrower(before, after, i) {
			continue
		}
		param, _ := after(i)
		switch t := s.typ(v); {
		case t.Kind == graphops.TypeUnknown || t.Kind == graphops.TypeTensor && t.Elem == tensor.Undefined:
			s.fail("version %d accepts fewer types, and the type of %q is not known", s.after.Since, v.Name())
		case !param.Allows(t.ForFile()):
			s.fail("version %d does not accept %s, the type of %q", s.after.Since, t.ForFile(), v.Name())
		}
	}
}

// rank returns the number of axes of a value. It fails if that is unknown.
func (s *step) rank(v *rewrite.Value) int {
	t := s.typ(v)
	if t.Kind != graphops.TypeTensor || t.Dims == nil {
		s.fail("the rank of %q is not known", v.Name())
	}
	return len(t.Dims)
}

// size returns the size of an axis of a value. ok is false if it is not known.
func (s *step) size(v *rewrite.Value, axis int) (size int64, ok bool) {
	t := s.typ(v)
	if axis >= len(t.Dims) {
		return 0, false
	}
	return t.Dims[axis].Number()
}

// element returns the element type of a tensor. It fails if that is unknown.
func (s *step) element(v *rewrite.Value) tensor.DType {
	t := s.typ(v)
	if t.Kind != graphops.TypeTensor || t.Elem == tensor.Undefined {
		s.fail("the type of %q is not known", v.Name())
	}
	return t.Elem
}

// floats returns the elements of a constant. ok is false if the value is not a constant or has more
// than maxElements elements.
func (s *step) floats(v *rewrite.Value) (list []float64, ok bool) {
	t, ok := v.Small(maxElements)
	if !ok {
		s.typ(v) // the elements are inferred with the types
		if t, ok = v.Known().Constant(); !ok {
			return nil, false
		}
	}
	list, err := t.Float64s()
	return list, err == nil
}

// integers returns the elements of a constant if they are whole numbers; see floats.
func (s *step) integers(v *rewrite.Value) (list []int64, ok bool) {
	found, ok := s.floats(v)
	for _, x := range found {
		list = append(list, int64(x))
		ok = ok && float64(int64(x)) == x
	}
	return list, ok
}

// value creates a tensor of unknown shape that nodes of this step are to produce. Its name consists
// of the name of another value and what, its role.
func (s *step) value(of *rewrite.Value, what string, elem tensor.DType) *rewrite.Value {
	return s.n.Graph().NewValue(of.Name()+"_"+what, shape.Type{Kind: graphops.TypeTensor, Elem: elem})
}

// keep creates a constant. Its name consists of the node's output and what, its role. The constant
// is an initializer of the main graph. In a function, which has no initializers, it is a Constant
// node.
func (s *step) keep(what string, x tensor.Tensor) *rewrite.Value {
	name := s.n.Out(0).Name() + "_" + what
	if s.n.Graph().Place().Function == nil {
		s.report.Added = true
		return s.main.NewConstant(name, x)
	}
	t := graphops.Type{Kind: graphops.TypeTensor, Elem: x.DType, Shape: graphops.FixedShape(x.Shape)}
	v := s.n.Graph().NewValue(name, shape.FromFile(t))
	s.ahead("Constant", v, nil, graphops.TensorAttribute("value", graphops.NewTensorOf("", x)))
	return v
}

// number creates a constant from numbers, of the given type and shape; see keep.
func (s *step) number(what string, d tensor.DType, list []float64, sizes ...int64) *rewrite.Value {
	x, err := tensor.FromFloat64s(d, list, sizes...)
	if err != nil {
		s.fail("%w", err)
		return nil
	}
	return s.keep(what, x)
}

// list creates a constant from a list of integers; see keep.
func (s *step) list(what string, list ...int64) *rewrite.Value {
	return s.keep(what, tensor.FromSlice(list, int64(len(list))))
}

// ahead inserts a node that produces out before the node.
func (s *step) ahead(op string, out *rewrite.Value, in values, attributes ...*graphops.Attribute) {
	s.insert(s.n, op, out, in, attributes)
}

// behind inserts a node that produces out after the node. It takes out over if the node produced it.
func (s *step) behind(op string, out *rewrite.Value, in values, attributes ...*graphops.Attribute) {
	s.insert(s.n.Next(), op, out, in, attributes)
}

func (s *step) insert(before *rewrite.Node, op string, out *rewrite.Value, in values, attributes []*graphops.Attribute) {
	name := ""
	if s.n.Name() != "" {
		name = s.n.Name() + "_" + op
	}
	s.n.Graph().Insert(before, rewrite.Spec{Op: op, Name: name, Inputs: in, Outputs: values{out}, Attributes: attributes, For: []*rewrite.Node{s.n}})
}

// become replaces the operator of the node. Its name and outputs stay.
func (s *step) become(op string, in values, attributes ...*graphops.Attribute) {
	s.n.SetOp(op)
	s.n.SetAttributes(attributes...)
	s.n.SetInputs(in...)
}
