package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// told returns an attribute whose value is known. In a function, an attribute may have the value of
// an attribute of the call; in that case told returns an error.
func told(n *graphops.Node, name string) (*graphops.Attribute, bool, error) {
	a, ok := n.Attribute(name)
	if ok && a.RefName() != "" {
		return nil, false, fmt.Errorf("attribute %q depends on the call of the function, but its value is needed", name)
	}
	return a, ok, nil
}

// intOr returns the value of an integer attribute, or otherwise if the node leaves it out.
func intOr(n *graphops.Node, name string, otherwise int64) (int64, error) {
	a, ok, err := told(n, name)
	if err != nil || !ok {
		return otherwise, err
	}
	return a.Int(), nil
}

// textOr returns the value of a text attribute, or otherwise if the node leaves it out.
func textOr(n *graphops.Node, name, otherwise string) (string, error) {
	a, ok, err := told(n, name)
	if err != nil || !ok {
		return otherwise, err
	}
	return a.Text(), nil
}

// without returns the node without the named attributes.
func without(n *graphops.Node, names ...string) *graphops.Node {
	attrs := slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return slices.Contains(names, a.Name()) })
	if len(attrs) == len(n.Attributes()) {
		return n
	}
	return n.WithAttributes(attrs)
}

// with returns the node with an attribute added or replaced.
func with(n *graphops.Node, a *graphops.Attribute) *graphops.Node {
	attrs := slices.Clone(n.Attributes())
	if i := slices.IndexFunc(attrs, func(b *graphops.Attribute) bool { return b.Name() == a.Name() }); i >= 0 {
		attrs[i] = a
		return n.WithAttributes(attrs)
	}
	return n.WithAttributes(append(attrs, a))
}

// dropped returns an adapter that removes attributes. They do not affect the result.
func dropped(names ...string) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		next := without(n, names...)
		if next == n {
			return []*graphops.Node{n}, nil
		}
		return s.one(next, "attributes without effect removed")
	}
}

// stated returns an adapter that adds attributes with their old defaults, if a node leaves them
// out. It is for operators whose defaults changed.
func stated(what string, attributes ...*graphops.Attribute) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		next := without(n, "consumed_inputs")
		for _, a := range attributes {
			if _, ok := n.Attribute(a.Name()); !ok {
				next = with(next, a)
			}
		}
		return s.one(next, what)
	}
}

// named returns an adapter that renames an attribute.
func named(from, to string) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		a, ok, err := told(n, from)
		if err != nil || !ok {
			return []*graphops.Node{n}, err
		}
		return s.one(with(without(n, from), graphops.IntsAttribute(to, a.Ints())), fmt.Sprintf("%s renamed to %s", from, to))
	}
}

// castTypes are the names that element types had in the attribute "to" of Cast up to version 5.
var castTypes = []string{
	"UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128",
}

// castNumbered changes the attribute "to" of a Cast from the name of a type to its number.
func castNumbered(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	name, err := textOr(n, "to", "")
	if err != nil {
		return nil, err
	}
	to := slices.Index(castTypes, name)
	if to < 1 {
		return nil, fmt.Errorf("attribute \"to\" is %q, which is not a type", name)
	}
	return s.one(with(n, graphops.IntAttribute("to", int64(to))), "the type is given as a number")
}

// wholeNorm changes the attribute p of a pooling operator, the order of the norm, to an integer.
func wholeNorm(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	a, ok, err := told(n, "p")
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return []*graphops.Node{n}, nil
	case a.Float() != float32(int64(a.Float())):
		return nil, fmt.Errorf("the norm p is %v, but must be an integer from version 2 on", a.Float())
	}
	return s.one(with(n, graphops.IntAttribute("p", int64(a.Float()))), "the norm is an integer")
}

// interpolations maps the modes of a GridSample up to version 19 to their new names.
var interpolations = map[string]string{"bilinear": "linear", "bicubic": "cubic", "nearest": "nearest"}

func gridSample(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	mode, err := textOr(n, "mode", "bilinear")
	if err != nil {
		return nil, err
	}
	to, ok := interpolations[mode]
	if !ok {
		return nil, fmt.Errorf("mode %q is not known", mode)
	}
	return s.one(with(n, graphops.TextAttribute("mode", to)), "the mode renamed")
}

// halves adds the attribute num_outputs to a Split without sizes, which splits into equal parts.
func halves(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) > 1 && n.Inputs()[1] != "" {
		return []*graphops.Node{n}, nil
	}
	return s.one(with(n, graphops.IntAttribute("num_outputs", int64(len(n.Outputs())))), "num_outputs added")
}
