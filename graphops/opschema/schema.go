package opschema

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Schema is an operator as a version of its domain defined it. Schemas are
// shared: nothing in one may be changed.
type Schema struct {
	Domain, Name string
	Since        int64 // the version of the domain
	// Deprecated operators are withdrawn by the standard from this version on; a
	// runtime may still take one.
	Deprecated bool
	// Function tells that the standard defines the operator by others, for every
	// node or depending on its inputs and attributes. It is not known of Runtime
	// operators.
	Function bool
	// Runtime tells that ONNX Runtime alone knows the operator, also where it has
	// added it to a domain of the standard.
	Runtime bool

	Inputs, Outputs []Param
	// How many inputs and outputs a node may name: what it leaves out at the end
	// counts as absent. The largest number is math.MaxInt for variadic ones.
	MinInputs, MaxInputs, MinOutputs, MaxOutputs int

	Attributes  []Attribute // by name
	Constraints []Constraint
}

// Option tells how often an input or output occurs.
type Option uint8

// The options of a parameter.
const (
	Single Option = iota
	Optional
	Variadic
)

// String is the name of the option, in lower case.
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
	// Type is the name of a type variable, such as "T", or a type as ONNX writes
	// it, such as "tensor(int64)".
	Type   string
	Option Option
	// Homogeneous variadic parameters are all of one type; of others each may have
	// its own among those that the variable allows. True of what is not variadic.
	Homogeneous bool
	MinArity    int // the least number of variadic parameters; else 1

	types []graphops.Type
}

// Types are the types that the parameter allows, without shapes.
func (p Param) Types() []graphops.Type { return p.types }

// Allows reports whether a value of a type may stand for the parameter, whatever
// its shape. What is not known of the type is taken for what fits.
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

// Constraint is a type variable: parameters that name it have the same type, one
// of those that it allows.
type Constraint struct {
	Name  string
	Types []graphops.Type // without shapes
}

// Input is the input at a position, where a variadic one repeats.
func (s *Schema) Input(i int) (Param, bool) { return at(s.Inputs, i) }

// Output is the output at a position, where a variadic one repeats.
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

// Attribute finds an attribute by its name.
func (s *Schema) Attribute(name string) (Attribute, bool) {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return s.Attributes[i], true
		}
	}
	return Attribute{}, false
}

// Constraint finds a type variable by its name.
func (s *Schema) Constraint(name string) (Constraint, bool) {
	for _, c := range s.Constraints {
		if c.Name == name {
			return c, true
		}
	}
	return Constraint{}, false
}
