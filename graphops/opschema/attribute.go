package opschema

import "lathe/graphops"

// Attribute is an attribute of an operator. The method for its kind, such as Int, returns its
// default. All other methods return the zero value, and so do all methods if there is no default.
type Attribute struct {
	Name     string
	Kind     graphops.AttributeKind
	Required bool

	value *value // nil without a default
}

// value is a default. It is in the field for the attribute's kind.
type value struct {
	number   int64
	float    float32
	text     string
	integers []int64
	floats   []float32
	texts    []string
}

var none value

// HasDefault reports whether the attribute has a value if a node leaves it out. If an optional
// attribute has no default, the operator's description says what applies.
func (a Attribute) HasDefault() bool { return a.value != nil }

func (a Attribute) byDefault() *value {
	if a.value == nil {
		return &none
	}
	return a.value
}

// Int returns the default of an INT attribute.
func (a Attribute) Int() int64 { return a.byDefault().number }

// Float returns the default of a FLOAT attribute.
func (a Attribute) Float() float32 { return a.byDefault().float }

// Text returns the default of a STRING attribute.
func (a Attribute) Text() string { return a.byDefault().text }

// Ints returns the default of an INTS attribute.
func (a Attribute) Ints() []int64 { return a.byDefault().integers }

// Floats returns the default of a FLOATS attribute.
func (a Attribute) Floats() []float32 { return a.byDefault().floats }

// Texts returns the default of a STRINGS attribute.
func (a Attribute) Texts() []string { return a.byDefault().texts }
