package check

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// isRead reports whether a stored tensor is read by a node, or is an output, in a place that ONNX
// Runtime examines. The tensor of an attribute counts as read by its node.
func (s *subject) isRead(t graphops.StoredTensor) bool {
	name := storedValue(t)
	if name == "" || !s.isCalled(t.Place) {
		return t.Node >= 0 && s.isCalled(t.Place)
	}
	x := t.Place.Graph.Index()
	v, ok := x.Value(name)
	return ok && (x.IsOutput(v) || len(x.Readers(v)) > 0)
}

// isUsed reports whether an output of the model depends on a stored tensor. ONNX Runtime may
// remove parts that no output depends on before it examines elements.
func (s *subject) isUsed(t graphops.StoredTensor) bool {
	if t.Node >= 0 {
		return s.isLive(t.Place, t.Node)
	}
	x := t.Place.Graph.Index()
	v, ok := x.Value(t.Constant)
	return ok && s.isPlaceLive(t.Place) && (x.IsOutput(v) || s.live(t.Place).Values[v])
}

// ifRead returns Error for a tensor that a node reads, and otherwise Warning.
func (s *subject) ifRead(t graphops.StoredTensor) Severity {
	if s.isRead(t) {
		return Error
	}
	return Warning
}

// ifUsed returns Error for a tensor that an output depends on, and otherwise Warning.
func (s *subject) ifUsed(t graphops.StoredTensor) Severity {
	if s.isUsed(t) {
		return Error
	}
	return Warning
}

// ofTensor returns a problem of a stored tensor. For an initializer it is located at the first
// node of its place that reads it.
func ofTensor(t graphops.StoredTensor, format string, args ...any) Problem {
	said := fmt.Sprintf(format, args...)
	if t.Node < 0 {
		p := in(t.Place, "initializer %q: %s", t.Constant, said)
		p.Value = t.Constant
		if x := t.Place.Graph.Index(); t.Constant != "" {
			if v, ok := x.Value(t.Constant); ok && len(x.Readers(v)) > 0 {
				p.Node = int(x.Readers(v)[0])
			}
		}
		return p
	}
	n := t.Place.Graph.Nodes()[t.Node]
	p := of(site{n, t.Place, t.Node}, "the tensor of attribute %q: %s", t.Attribute, said)
	p.Value = storedValue(t)
	return p
}

// storedValue returns the name of the value that a stored tensor defines in its place, or an empty
// string if it defines none.
func storedValue(t graphops.StoredTensor) string {
	if t.Node < 0 {
		return t.Constant
	}
	return weights.Item{Tensor: t.Tensor, Place: t.Place, Node: t.Node, Attribute: t.Attribute}.Value()
}

// withoutName returns an error about a tensor without the tensor's name, which the problem
// already has.
func withoutName(t graphops.StoredTensor, err error) string {
	return strings.TrimPrefix(err.Error(), fmt.Sprintf("tensor %q: ", t.Name()))
}

// constant identifies a constant by its name and place.
type constant struct {
	place *graphops.Place
	name  string
}

// constantInput returns the constant that a node reads at an input. The tensor is nil if there
// is none.
func constantInput(n site, input int) (constant, *graphops.Tensor) {
	if input >= len(n.Inputs()) || n.Inputs()[input] == "" {
		return constant{}, nil
	}
	t, owner := n.place.Constant(n.Inputs()[input])
	return constant{owner, n.Inputs()[input]}, t
}

// scalarBytes is the maximum size of a constant that is read without Options.Weights.
const scalarBytes = 64 << 10

// profile describes the numbers of a constant that a node reads, if it is small or all weights
// are read.
func (s *subject) profile(n site, input int) (tensor.Profile, bool) {
	c, t := constantInput(n, input)
	if t == nil {
		return tensor.Profile{}, false
	}
	if p, ok := s.weighed().of[c]; ok {
		return p, true
	}
	if known, ok := s.small[c]; ok {
		return known.Profile, known.ok
	}
	known := s.profileSmall(t)
	s.small[c] = known
	return known.Profile, known.ok
}

// profiled describes the numbers of a constant; ok is false if they were not read.
type profiled struct {
	tensor.Profile
	ok bool
}

func (s *subject) profileSmall(t *graphops.Tensor) profiled {
	size, ok := s.readableBytes(t)
	if !ok || size > scalarBytes || t.IsExternal() {
		return profiled{}
	}
	p, err := weights.Profile(s.ctx, t, nil)
	return profiled{p, err == nil}
}
