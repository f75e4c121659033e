package fault

import (
	"fmt"
	"strconv"
)

func (e *explainer) typeMismatch() string {
	f := e.Fault
	switch {
	case f.Value != "" && f.Node.known():
		return fmt.Sprintf("%s is declared as %s, but the operator computes %s", e.value(), f.Found, f.Wanted) + e.inputs()
	case f.Value != "":
		return fmt.Sprintf("%s is %s, but is declared as %s", e.value(), f.Found, f.Wanted)
	case f.Wanted != "":
		return fmt.Sprintf("two types that must be equal are %s and %s", f.Found, f.Wanted) + e.inputs()
	}
	return fmt.Sprintf("type %s is not compatible with the other types", f.Found) + e.inputs()
}

func (e *explainer) typeRefused() string {
	what := "the operator"
	if e.madeOfPairs() {
		what = e.Fault.Node.Op
	}
	return fmt.Sprintf("%s does not accept %s as the type of %s", what, e.Fault.Found, e.value()) + e.inputs()
}

func (e *explainer) shapeMismatch() string {
	f := e.Fault
	text := "shapes do not fit"
	if f.HasAxis {
		text += " on axis " + strconv.Itoa(f.Axis)
	}
	if f.Value != "" {
		text += " for " + e.value()
	}
	switch {
	case f.Found != "" && f.Wanted != "":
		text += fmt.Sprintf(" (%s against %s)", f.Found, f.Wanted)
	case f.Detail != "":
		text += fmt.Sprintf(" (%s)", f.Detail)
	}
	return text + e.inputs()
}

func (e *explainer) operandCount() string {
	f := e.Fault
	many := "s"
	if f.Found == "1" {
		many = ""
	}
	return fmt.Sprintf("it has %s %s%s, the operator takes %s", f.Found, f.Side, many, f.Wanted)
}

func (e *explainer) operandMissing() string {
	return fmt.Sprintf("%s %d is left out and is not optional", e.Fault.Side, e.Fault.Position)
}

func (e *explainer) attributeInvalid() string {
	f := e.Fault
	if f.Attribute == "" || f.Found == "" {
		return "an attribute is not valid" + e.attribute() + " (" + f.Detail + ")"
	}
	text := fmt.Sprintf("attribute %q is %s", f.Attribute, f.Found)
	if f.Wanted != "" {
		return text + ", expected " + f.Wanted
	}
	return text + " (" + f.Detail + ")"
}

func (e *explainer) duplicate() string {
	if e.Fault.Value == "" {
		return fmt.Sprintf("several nodes have the name %q", e.Fault.Node.Name)
	}
	return e.value() + " is defined more than once"
}

func (e *explainer) opset() string {
	f := e.Fault
	return fmt.Sprintf("the model needs opset %s of domain %q, the runtime has up to %s", f.Found, f.Domain, f.Wanted)
}

func (e *explainer) irVersion() string {
	if e.Fault.Found == "" {
		return "the model states no IR version"
	}
	return fmt.Sprintf("the model is of IR version %s, the runtime reads up to %s", e.Fault.Found, e.Fault.Wanted)
}

func (e *explainer) externalData() string {
	f := e.Fault
	text := "external data of " + e.value() + " cannot be read"
	if f.File != "" && f.Stage != Checking {
		return text + " from " + e.file()
	}
	return text + " (" + f.Detail + ")"
}

func (e *explainer) constant() string {
	f := e.Fault
	text := "the stored data of " + e.value() + " is not valid"
	if f.Found != "" && f.Wanted != "" {
		return text + fmt.Sprintf(" (%s bytes, its shape and type need %s)", f.Found, f.Wanted)
	}
	return text + " (" + f.Detail + ")"
}

func (e *explainer) axis() string {
	f := e.Fault
	text := "an axis is out of range"
	if f.HasAxis {
		text = fmt.Sprintf("axis %d is out of range", f.Axis)
	}
	if f.Wanted != "" {
		text += ", expected " + f.Wanted
	}
	return text + e.inputs()
}

func (e *explainer) memory() string {
	if e.Fault.Wanted == "" {
		return "memory ran out"
	}
	return fmt.Sprintf("memory ran out: %s bytes requested at once", e.Fault.Wanted)
}

func (e *explainer) feedShape() string {
	f := e.Fault
	if f.HasAxis {
		return fmt.Sprintf("input %q was given %s on axis %d, expected %s", f.Value, f.Found, f.Axis, f.Wanted)
	}
	return fmt.Sprintf("input %q was given rank %s, expected %s", f.Value, f.Found, f.Wanted)
}
