package opschema

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Schema is an operator as defined by a version of its domain. Schemas are shared and must not be
// changed.
type Schema struct {
	Domain, Name string
	Since        int64 // the version of the domain
	// Deprecated is set if this version of the domain removed the operator from the standard. A
	// runtime may still support it.
	Deprecated bool
	// Function is set if the standard defines the operator by a graph of other operators, always or
	// for some inputs and attributes. It is not known for operators with Runtime set.
	Function bool
	// Runtime is set if ONNX Runtime defines the operator and the standard does not. The operator
	// may still be in a domain of the standard.
	Runtime bool

	Inputs, Outputs []Param
	// The smallest and largest number of inputs and outputs that a node may have. Omitted inputs at
	// the end do not count. If the last one is variadic, the maximum is math.MaxInt.
	MinInputs, MaxInputs, MinOutputs, MaxOutputs int

	Attributes  []Attribute // sorted by name
	Constraints []Constraint
}

// Option says whether an input or output is required, optional or variadic.
type Option uint8

// The options of an input or output.
const (
	Single Option = iota
	Optional
	Variadic
)

// String returns the name of the option in lower case.
func (o Option) String() string {
	switch o {
	case Single:
		return "single"
	case Optional:
		return "optional"
	default:
		return "variadic"
	}
}

// Param is an input or output of an operator.
type Param struct {
	Name string
	// Type is the name of a type variable, such as "T", or a type as ONNX writes it, such as
	// "tensor(int64)".
	Type   string
	Option Option
	// Homogeneous is false if the values of a variadic parameter may have different types, each of
	// which the type variable allows. Otherwise all of them have the same type. It is true for
	// parameters that are not variadic.
	Homogeneous bool
	MinArity    int // the minimum number of variadic parameters; otherwise 1

	types []graphops.Type
}

// Types returns the types that the parameter allows, without shapes.
func (p Param) Types() []graphops.Type { return p.types }

// Allows reports whether the parameter accepts a value of a type. The shape does not matter.
// Unknown parts of the type are assumed to match.
func (p Param) Allows(t graphops.Type) bool {
	return slices.ContainsFunc(p.types, func(allowed graphops.Type) bool { return fits(allowed, t) })
}

func fits(allowed, t graphops.Type) bool {
	switch {
	case t.Kind == graphops.TypeUnknown:
		return true
	case t.Kind != allowed.Kind, t.Elem != tensor.Undefined && t.Elem != allowed.Elem:
		return false
	default:
		return t.Of == nil || fits(*allowed.Of, *t.Of)
	}
}

// Constraint is a type variable. All inputs and outputs with this variable have the same type,
// which is one of Types.
type Constraint struct {
	Name  string
	Types []graphops.Type // without shapes
}

// Input returns the input at position i. For positions after the last input, it returns the last
// one if that is variadic.
func (s *Schema) Input(i int) (Param, bool) { return at(s.Inputs, i) }

// Output returns the output at position i. For positions after the last output, it returns the last
// one if that is variadic.
func (s *Schema) Output(i int) (Param, bool) { return at(s.Outputs, i) }

func at(params []Param, i int) (Param, bool) {
	if last := len(params) - 1; i > last && last >= 0 && params[last].Option == Variadic {
		i = last
	}
	if i < 0 || i >= len(params) {
		return Param{}, false
	}
	return params[i], true
}

// AttributeNames returns the names of the declared attributes.
func (s *Schema) AttributeNames() []string {
	names := make([]string, len(s.Attributes))
	for i, a := range s.Attributes {
		names[i] = a.Name
	}
	return names
}

// Attribute returns the attribute with a name.
func (s *Schema) Attribute(name string) (Attribute, bool) {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return s.Attributes[i], true
		}
	}
	return Attribute{}, false
}

// Constraint returns the type variable with a name.
func (s *Schema) Constraint(name string) (Constraint, bool) {
	for _, c := range s.Constraints {
		if c.Name == name {
			return c, true
		}
	}
	return Constraint{}, false
}
