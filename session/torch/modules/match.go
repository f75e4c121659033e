package modules

import (
	"bytes"
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Made is the result of a call of a module.
type Made struct {
	Path string
	// Passes is set if it returned its argument.
	Passes bool
	// Trained is set if it has parameters.
	Trained bool
	// Results are the tensors that it returned, and Given those it was called with.
	Results, Given []tensor.Tensor
}

// Compare compares a result with a value of the model of the same type and shape. It returns
// whether they differ, and by how much at most.
type Compare func(want, got tensor.Tensor) (differs bool, off float64, err error)

// Graph has the values of an ONNX model, in which the outputs of PyTorch modules are looked up.
type Graph struct {
	Model *graphops.Model
	// Values are the values listed by Names and the inputs, for the compared case.
	Values  map[string]tensor.Tensor
	Compare Compare
	scopes  map[string]Scope
}

// GraphOf finds the nodes of these modules in a model.
func GraphOf(m *graphops.Model, paths []string) *Graph {
	return &Graph{Model: m, scopes: Scopes(m, paths)}
}

// Names returns the values that nodes compute and that can be results or arguments of modules.
func (g *Graph) Names() []string {
	x := g.Model.Graph().Index()
	wanted := map[string]bool{}
	for _, s := range g.scopes {
		for _, v := range slices.Concat(s.Takes, s.Gives) {
			if x.Producer(v) >= 0 {
				wanted[x.Name(v)] = true
			}
		}
	}
	for _, o := range g.Model.Graph().Outputs() {
		wanted[o.Name()] = true
	}
	return slices.Sorted(maps.Keys(wanted))
}

// Judge searches for the results of n calls, which read returns in the order in which they
// finished. If a result is not in the model, but a value has its type and shape and is not the
// result of another call, the result differs from that value.
func (g *Graph) Judge(n int, read func(int) (Made, error)) ([]Call, error) {
	calls, taken := make([]Call, n), map[graphops.ValueID]bool{}
	for i := range calls {
		m, err := read(i)
		if err != nil {
			return nil, err
		}
		if calls[i], err = g.find(m); err != nil {
			return nil, err
		}
		for _, v := range calls[i].Same {
			taken[v] = true
		}
	}
	for i := range calls {
		if calls[i].Verdict == Passing {
			continue
		}
		m, err := read(i)
		if err != nil {
			return nil, err
		}
		if err := g.differ(&calls[i], m, taken); err != nil {
			return nil, err
		}
		if calls[i].Verdict != Wrong {
			continue
		}
		if err := g.enter(calls, i, m, taken, read); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// find searches the graph for values that equal the results of a call.
func (g *Graph) find(m Made) (Call, error) {
	c := Call{Path: m.Path, Verdict: Unknown, Other: NoValue, Skipped: -1}
	if m.Passes {
		c.Verdict = Passing
		return c, nil
	}
	c.gives, c.nodes = g.gives(m.Path)
	for _, want := range m.Results {
		v, err := g.nearest(want, c.gives)
		if err != nil {
			return c, err
		}
		if v.id != NoValue && !v.differs {
			c.Verdict, c.Same = Right, append(c.Same, v.id)
		}
	}
	return c, nil
}

// differ searches for a value that probably is a wrong result of the call: it has the type and
// shape of a result that is not in the model. taken are the values that are right results of some
// call; they are not considered.
func (g *Graph) differ(c *Call, m Made, taken map[graphops.ValueID]bool) error {
	if !c.nodes {
		return nil
	}
	free := slices.DeleteFunc(slices.Clone(c.gives), func(v graphops.ValueID) bool { return taken[v] })
	for _, want := range m.Results {
		v, err := g.nearest(want, c.gives)
		if err != nil {
			return err
		}
		if !v.differs {
			continue
		}
		if v, err = g.nearest(want, free); err != nil {
			return err
		}
		if v.id != NoValue {
			c.Verdict, c.Other, c.Off = Wrong, v.id, v.off
			return nil
		}
	}
	return nil
}

// enter finds out whether the nodes of a call read its arguments.
func (g *Graph) enter(calls []Call, at int, m Made, taken map[graphops.ValueID]bool, read func(int) (Made, error)) error {
	c := &calls[at]
	if m.Path == "" || len(m.Given) == 0 {
		c.Entry = Right
		return nil
	}
	right, wrong := false, false
	for _, want := range m.Given {
		entry, err := g.reads(want, c.Path, taken)
		if err != nil {
			return err
		}
		if entry != Right {
			through, skipped, err := g.through(calls, at, want, read)
			if err != nil {
				return err
			}
			if c.Skipped = skipped; through != Unknown {
				entry = through
			}
		}
		right, wrong = right || entry == Right, wrong || entry == Wrong
	}
	// One of several arguments may be a constant in the model, which is not among its values.
	switch {
	case right == wrong:
		c.Entry = Unknown
	case wrong:
		c.Entry = Wrong
	default:
		c.Entry = Right
	}
	return nil
}

// reads reports whether the nodes of a module read a tensor. If they read nothing of its type and
// shape, it is enough that an input, or a result of another call, equals the tensor.
func (g *Graph) reads(want tensor.Tensor, path string, taken map[graphops.ValueID]bool) (Verdict, error) {
	v, err := g.nearest(want, g.scopes[path].Takes)
	switch {
	case err != nil:
		return Unknown, err
	case v.id == NoValue:
	case v.differs:
		return Wrong, nil
	default:
		return Right, nil
	}
	x := g.Model.Graph().Index()
	right := slices.Collect(maps.Keys(taken))
	for _, in := range g.Model.Graph().FeedInputs() {
		if id, ok := x.Value(in.Name()); ok {
			right = append(right, id)
		}
	}
	slices.Sort(right)
	if v, err = g.nearest(want, right); err != nil || v.id == NoValue || v.differs {
		return Unknown, err
	}
	return Right, nil
}

// nearBy is how many earlier calls are examined to find a module that an exporter merged into a
// later one.
const nearBy = 4

// through handles an argument that an earlier module returned, if the model has no nodes for that
// module. Then the nodes of this call may read the argument of the earlier module instead.
//
// If the earlier module has parameters or changes the shape, the nodes of this call compute both
// modules. Otherwise the earlier module was left out of the model, and skipped is its index;
// skipped is -1 in all other cases. The verdict is Unknown if there is no such module.
func (g *Graph) through(calls []Call, at int, want tensor.Tensor, read func(int) (Made, error)) (entry Verdict, skipped int, err error) {
	for i := at - 1; i >= max(at-nearBy, 0); i-- {
		if calls[i].nodes || calls[i].Verdict == Passing {
			continue
		}
		m, err := read(i)
		if err != nil {
			return Unknown, -1, err
		}
		if len(m.Results) != 1 || !sameTensor(m.Results[0], want) {
			continue
		}
		for _, given := range m.Given {
			v, err := g.nearest(given, g.scopes[calls[at].Path].Takes)
			if err != nil {
				return Unknown, -1, err
			}
			both := m.Trained || !slices.Equal(given.Shape, want.Shape)
			switch {
			case v.id == NoValue:
			case both && v.differs:
				calls[i].within = true
				return Wrong, -1, nil
			case both:
				calls[i].within = true
				return Right, -1, nil
			case !v.differs:
				return Right, i, nil
			}
		}
	}
	return Unknown, -1, nil
}

func sameTensor(a, b tensor.Tensor) bool {
	return a.DType == b.DType && slices.Equal(a.Shape, b.Shape) && bytes.Equal(a.Data, b.Data)
}

// gives returns the values that can be results of a module: those that leave its nodes; for the
// whole model its outputs; for a module without nodes any value that another module takes or gives.
func (g *Graph) gives(path string) (list []graphops.ValueID, own bool) {
	if s, ok := g.scopes[path]; ok {
		return s.Gives, true
	}
	x := g.Model.Graph().Index()
	if path == "" {
		for _, o := range g.Model.Graph().Outputs() {
			if v, ok := x.Value(o.Name()); ok {
				list = append(list, v)
			}
		}
		return list, true
	}
	for _, s := range g.scopes {
		list = slices.Concat(list, s.Gives, s.Takes)
	}
	slices.Sort(list)
	return slices.Compact(list), false
}

// near is the value nearest to a result.
type near struct {
	id      graphops.ValueID
	differs bool
	off     float64
}

// nearest returns the value among some that has the type and shape of a result and is nearest to
// it.
func (g *Graph) nearest(want tensor.Tensor, among []graphops.ValueID) (near, error) {
	x := g.Model.Graph().Index()
	best := near{id: NoValue, off: math.Inf(1)}
	for _, v := range among {
		got, ok := g.Values[x.Name(v)]
		if !ok || want.DType != got.DType || !slices.Equal(want.Shape, got.Shape) {
			continue
		}
		differs, off, err := g.Compare(want, got)
		if err != nil {
			return best, err
		}
		if best.id == NoValue || !differs && best.differs || differs == best.differs && off < best.off {
			best = near{v, differs, off}
		}
	}
	return best, nil
}
