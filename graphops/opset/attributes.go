package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// attribute returns an attribute whose value is known. In a function, an attribute may have the
// value of an attribute of the call; in that case attribute fails.
func (s *step) attribute(name string) (*graphops.Attribute, bool) {
	a, ok := s.n.Attribute(name)
	if ok && a.RefName() != "" {
		s.fail("attribute %q depends on the call of the function, but its value is needed", name)
		return nil, false
	}
	return a, ok
}

// int returns the value of an integer attribute, or otherwise if the node leaves it out.
func (s *step) int(name string, otherwise int64) int64 {
	s.attribute(name)
	return s.n.Int(name, otherwise)
}

// text returns the value of a text attribute, or otherwise if the node leaves it out.
func (s *step) text(name, otherwise string) string {
	s.attribute(name)
	return s.n.Text(name, otherwise)
}

// float returns the value of a float attribute, or otherwise if the node leaves it out.
func (s *step) float(name string, otherwise float64) float64 {
	if a, ok := s.attribute(name); ok {
		return float64(a.Float())
	}
	return otherwise
}

// required returns the value of a float attribute that the node must have.
func (s *step) required(name string) float64 {
	if _, ok := s.n.Attribute(name); !ok {
		s.fail("attribute %q is missing", name)
	}
	return s.float(name, 0)
}

// dropped returns an adapter that removes attributes. They do not affect the result.
func dropped(names ...string) adapter {
	return func(s *step) string {
		if !s.n.DropAttributes(names...) {
			return ""
		}
		return "attributes without effect removed"
	}
}

// stated returns an adapter that adds attributes with their old defaults, if a node leaves them
// out. It is for operators whose defaults changed.
func stated(what string, attributes ...*graphops.Attribute) adapter {
	return func(s *step) string {
		s.n.DropAttributes("consumed_inputs")
		for _, a := range attributes {
			if _, ok := s.n.Attribute(a.Name()); !ok {
				s.n.SetAttribute(a)
			}
		}
		return what
	}
}

// named returns an adapter that renames an attribute.
func named(from, to string) adapter {
	return func(s *step) string {
		a, ok := s.attribute(from)
		if !ok {
			return ""
		}
		s.n.DropAttributes(from)
		s.n.SetAttribute(graphops.IntsAttribute(to, a.Ints()))
		return fmt.Sprintf("%s renamed to %s", from, to)
	}
}

// castTypes are the names that element types had in the attribute "to" of Cast up to version 5.
var castTypes = []string{
	"UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128",
}

// castNumbered changes the attribute "to" of a Cast from the name of a type to its number.
func castNumbered(s *step) string {
	name := s.text("to", "")
	to := slices.Index(castTypes, name)
	if to < 1 {
		return s.fail("attribute \"to\" is %q, which is not a type", name)
	}
	s.n.SetAttribute(graphops.IntAttribute("to", int64(to)))
	return "the type is given as a number"
}

// wholeNorm changes the attribute p of a pooling operator, the order of the norm, to an integer.
func wholeNorm(s *step) string {
	a, ok := s.attribute("p")
	switch {
	case !ok:
		return ""
	case a.Float() != float32(int64(a.Float())):
		return s.fail("the norm p is %v, but must be an integer from version 2 on", a.Float())
	}
	s.n.SetAttribute(graphops.IntAttribute("p", int64(a.Float())))
	return "the norm is an integer"
}

// interpolations maps the modes of a GridSample up to version 19 to their new names.
var interpolations = map[string]string{"bilinear": "linear", "bicubic": "cubic", "nearest": "nearest"}

func gridSample(s *step) string {
	mode := s.text("mode", "bilinear")
	to, ok := interpolations[mode]
	if !ok {
		return s.fail("mode %q is not known", mode)
	}
	s.n.SetAttribute(graphops.TextAttribute("mode", to))
	return "the mode renamed"
}

// halves adds the attribute num_outputs to a Split without sizes, which splits into equal parts.
func halves(s *step) string {
	if s.n.In(1) != nil {
		return ""
	}
	s.n.SetAttribute(graphops.IntAttribute("num_outputs", int64(len(s.n.Outputs()))))
	return "num_outputs added"
}
