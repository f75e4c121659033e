package opset

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// told finds an attribute whose value the node itself tells: one of a function's call is
// an error.
func told(n *graphops.Node, name string) (*graphops.Attribute, bool, error) {
	a, ok := n.Attribute(name)
	if ok && a.RefName() != "" {
		return nil, false, fmt.Errorf("attribute %q is that of the function's calls, and is needed here", name)
	}
	return a, ok, nil
}

// intOr is an integer that the node tells, or what it means to leave it out.
func intOr(n *graphops.Node, name string, otherwise int64) (int64, error) {
	a, ok, err := told(n, name)
	if err != nil || !ok {
		return otherwise, err
	}
	return a.Int(), nil
}

// textOr is a text that the node tells, or what it means to leave it out.
func textOr(n *graphops.Node, name, otherwise string) (string, error) {
	a, ok, err := told(n, name)
	if err != nil || !ok {
		return otherwise, err
	}
	return a.Text(), nil
}

// without is the node without some attributes.
func without(n *graphops.Node, names ...string) *graphops.Node {
	attrs := slices.DeleteFunc(slices.Clone(n.Attributes()), func(a *graphops.Attribute) bool { return slices.Contains(names, a.Name()) })
	if len(attrs) == len(n.Attributes()) {
		return n
	}
	return n.WithAttributes(attrs)
}

// with is the node with an attribute set.
func with(n *graphops.Node, a *graphops.Attribute) *graphops.Node {
	attrs := slices.Clone(n.Attributes())
	if i := slices.IndexFunc(attrs, func(b *graphops.Attribute) bool { return b.Name() == a.Name() }); i >= 0 {
		attrs[i] = a
		return n.WithAttributes(attrs)
	}
	return n.WithAttributes(append(attrs, a))
}

// dropped leaves out attributes that say nothing about the result.
func dropped(names ...string) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		next := without(n, names...)
		if next == n {
			return []*graphops.Node{n}, nil
		}
		return s.one(next, "attributes that say nothing are gone")
	}
}

// stated states what it meant to leave attributes out, where that changed.
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

// named gives an attribute another name.
func named(from, to string) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		a, ok, err := told(n, from)
		if err != nil || !ok {
			return []*graphops.Node{n}, err
		}
		return s.one(with(without(n, from), graphops.IntsAttribute(to, a.Ints())), fmt.Sprintf("%s is called %s", from, to))
	}
}

// castTypes are the element types as Cast named them up to version 5.
var castTypes = []string{
	"UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128",
}

// castNumbered has a Cast tell its type by number.
func castNumbered(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	name, err := textOr(n, "to", "")
	if err != nil {
		return nil, err
	}
	to := slices.Index(castTypes, name)
	if to < 1 {
		return nil, fmt.Errorf("attribute \"to\" is %q, which is no type", name)
	}
	return s.one(with(n, graphops.IntAttribute("to", int64(to))), "the type is told by number")
}

// wholeNorm has the norm of a pooling be an integer.
func wholeNorm(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	a, ok, err := told(n, "p")
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return []*graphops.Node{n}, nil
	case a.Float() != float32(int64(a.Float())):
		return nil, fmt.Errorf("the norm p is %v, and from version 2 on it is an integer", a.Float())
	}
	return s.one(with(n, graphops.IntAttribute("p", int64(a.Float()))), "the norm is an integer")
}

// interpolations are the modes of a GridSample, by their names up to version 19.
var interpolations = map[string]string{"bilinear": "linear", "bicubic": "cubic", "nearest": "nearest"}

func gridSample(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	mode, err := textOr(n, "mode", "bilinear")
	if err != nil {
		return nil, err
	}
	to, ok := interpolations[mode]
	if !ok {
		return nil, fmt.Errorf("mode %q is none", mode)
	}
	return s.one(with(n, graphops.TextAttribute("mode", to)), "modes have other names")
}

// halves tells a Split without sizes how many parts it makes.
func halves(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) > 1 && n.Inputs()[1] != "" {
		return []*graphops.Node{n}, nil
	}
	return s.one(with(n, graphops.IntAttribute("num_outputs", int64(len(n.Outputs())))), "the number of parts is told")
}
