package opschema

import "lathe/graphops"

// Attribute is an attribute that an operator takes. Its default is read by the
// method that fits its kind; the others, and those of an attribute without a
// default, answer as for an empty one.
type Attribute struct {
	Name     string
	Kind     graphops.AttributeKind
	Required bool

	value *value // nil without a default
}

// value is a default, in the field that the kind of the attribute tells.
type value struct {
	number   int64
	float    float32
	text     string
	integers []int64
	floats   []float32
	texts    []string
}

var none value

// HasDefault reports whether a node that leaves the attribute out means a
// certain value. What an optional attribute without one means, the operator's
// description tells in words.
func (a Attribute) HasDefault() bool { return a.value != nil }

func (a Attribute) byDefault() *value {
	if a.value == nil {
		return &none
	}
	return a.value
}

// Int is the default of an INT attribute.
func (a Attribute) Int() int64 { return a.byDefault().number }

// Float is the default of a FLOAT attribute.
func (a Attribute) Float() float32 { return a.byDefault().float }

// Text is the default of a STRING attribute.
func (a Attribute) Text() string { return a.byDefault().text }

// Ints is the default of an INTS attribute.
func (a Attribute) Ints() []int64 { return a.byDefault().integers }

// Floats is the default of a FLOATS attribute.
func (a Attribute) Floats() []float32 { return a.byDefault().floats }

// Texts is the default of a STRINGS attribute.
func (a Attribute) Texts() []string { return a.byDefault().texts }
