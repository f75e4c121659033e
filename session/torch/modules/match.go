package modules

import (
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Made is what a call of a module gave.
type Made struct {
	Path string
	// Passes tells that it gave what it was given.
	Passes bool
	// Results are the tensors that it gave, and Given those that it was called with, of a module
	// with no others inside.
	Results, Given []tensor.Tensor
}

// Compare compares a result with a value of the model of the same type and shape: whether they
// differ, and by how much at most.
type Compare func(want, got tensor.Tensor) (differs bool, off float64, err error)

// Graph are the values of a model that results of modules are looked for among.
type Graph struct {
	Model *graphops.Model
	// Values are those that Names names, and the inputs, in the case that is compared.
	Values  map[string]tensor.Tensor
	Compare Compare
	scopes  map[string]Scope
}

// GraphOf is a model with the nodes of these modules found in it.
func GraphOf(m *graphops.Model, paths []string) *Graph {
	return &Graph{Model: m, scopes: Scopes(m, paths)}
}

// Names are the values that nodes make and that a result can be, or a module is given.
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

// Judge looks for the results of a call. One that is nowhere, where there is a value of its type
// and shape that is the result of no other, differs from that value, by off at most.
func (g *Graph) Judge(m Made) (call Call, off float64, err error) {
	call = Call{Path: m.Path, Verdict: Unknown, Other: NoValue}
	if m.Passes {
		call.Verdict = Passing
		return call, 0, nil
	}
	left, own := g.gives(m.Path)
	var lost []tensor.Tensor
	for _, want := range m.Results {
		v, err := g.nearest(want, left)
		switch {
		case err != nil:
			return call, 0, err
		case v.differs && own:
			lost = append(lost, want)
		case !v.differs && v.id != NoValue:
			call.Verdict, call.Same = Right, append(call.Same, v.id)
		}
	}
	left = slices.DeleteFunc(slices.Clone(left), func(v graphops.ValueID) bool { return slices.Contains(call.Same, v) })
	for _, want := range lost {
		v, err := g.nearest(want, left)
		if err != nil {
			return call, 0, err
		}
		if v.id != NoValue {
			call.Verdict, call.Other = Wrong, v.id
			return call, v.off, nil
		}
	}
	return call, 0, nil
}

// Skips reports whether the model has no node of a module, and hands what the module is given to
// the nodes of the one behind it.
func (g *Graph) Skips(m Made, behind Call) (bool, error) {
	if _, has := g.scopes[m.Path]; has {
		return false, nil
	}
	for _, want := range m.Given {
		v, err := g.nearest(want, g.scopes[behind.Path].Takes)
		if err != nil || v.id != NoValue && !v.differs {
			return err == nil, err
		}
	}
	return false, nil
}

// gives are the values that can be results of a module: those that leave its nodes, of the whole
// model its outputs, and of a module without nodes any that another one gives.
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
		list = append(list, s.Gives...)
	}
	slices.Sort(list)
	return slices.Compact(list), false
}

// near is the value that is nearest to a result.
type near struct {
	id      graphops.ValueID
	differs bool
	off     float64
}

// nearest is the one of some values of the type and shape of a result that is nearest to it.
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
