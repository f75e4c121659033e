package opset

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// opsetConstantList is the first whose Constant can be a list of integers.
const opsetConstantList = 12

// moved makes inputs of attributes: lists of integers, or one, and then numbers of the
// type of the first input. What the node does not have is left out.
func moved(integers, numbers []string) adapter {
	return func(s *step, n *graphops.Node) ([]*graphops.Node, error) {
		if len(n.Inputs()) != 1 || n.Inputs()[0] == "" {
			return nil, fmt.Errorf("it has %d inputs, expected one", len(n.Inputs()))
		}
		inputs := n.Inputs()[:1:1]
		var was []string
		for i, name := range slices.Concat(integers, numbers) {
			a, ok := n.Attribute(name)
			input, err := "", error(nil)
			switch {
			case !ok:
			case i < len(integers):
				input, err = s.list(n, a)
			default:
				input, err = s.number(n, a)
			}
			if err != nil {
				return nil, err
			}
			if ok {
				was = append(was, name)
			}
			inputs = append(inputs, input)
		}
		for inputs[len(inputs)-1] == "" {
			inputs = inputs[:len(inputs)-1]
		}
		next := without(n, slices.Concat(integers, numbers, []string{"consumed_inputs"})...)
		if len(was) == 0 {
			return []*graphops.Node{next}, nil
		}
		return s.one(next.WithInputs(inputs), becameInputs(was))
	}
}

func becameInputs(names []string) string {
	if len(names) == 1 {
		return names[0] + " is an input"
	}
	return strings.Join(names, ", ") + " are inputs"
}

// list is the name of a constant for an attribute of integers. In a function, an attribute
// of the call is a Constant of it.
func (s *step) list(n *graphops.Node, a *graphops.Attribute) (string, error) {
	if a.RefName() == "" {
		list := a.Ints()
		if a.Kind() == graphops.AttrInt {
			list = []int64{a.Int()}
		}
		return s.keep(n, a.Name(), tensor.FromSlice(list, int64(len(list)))), nil
	}
	switch {
	case s.p.Function == nil || a.Kind() != graphops.AttrInts || s.after.Since < opsetConstantList:
		return "", fmt.Errorf("attribute %q is that of the function's calls, and becomes an input", a.Name())
	case !s.certain(a.RefName()):
		return "", fmt.Errorf("attribute %q is one that calls of the function may leave out, and becomes an input", a.Name())
	}
	name := s.c.names.Value(n.Outputs()[0] + "_" + a.Name())
	s.ahead = append(s.ahead, graphops.NewNode(graphops.NodeSpec{
		Op: "Constant", Outputs: []string{name}, Attributes: []*graphops.Attribute{graphops.RefAttribute("value_ints", a.RefName(), graphops.AttrInts)},
	}))
	return name, nil
}

// certain reports whether every call of the function has an attribute.
func (s *step) certain(name string) bool {
	f := s.p.Function
	if slices.ContainsFunc(f.DefaultAttributes(), func(a *graphops.Attribute) bool { return a.Name() == name }) {
		return true
	}
	for n := range s.c.model.AllNodes() {
		if n.Calls() != f.Key() {
			continue
		}
		if _, ok := n.Attribute(name); !ok {
			return false
		}
	}
	return slices.Contains(f.AttributeNames(), name)
}

// number is the name of a scalar for an attribute, of the type of the first input.
func (s *step) number(n *graphops.Node, a *graphops.Attribute) (string, error) {
	if a.RefName() != "" {
		return "", fmt.Errorf("attribute %q is that of the function's calls, and becomes an input", a.Name())
	}
	d, err := s.element(n.Inputs()[0])
	if err != nil {
		return "", fmt.Errorf("%w, which %s becomes one of", err, a.Name())
	}
	x, err := tensor.FromFloat64s(d, []float64{float64(a.Float())})
	if err != nil {
		return "", err
	}
	return s.keep(n, a.Name(), x), nil
}

// sliced makes inputs of a Slice's attributes. Which axes are meant is stated: it was the
// first ones where the node did not say.
func sliced(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	starts, ok, err := told(n, "starts")
	if err != nil {
		return nil, err
	}
	if _, has := n.Attribute("axes"); ok && !has {
		if rank, err := s.rank(n.Inputs()[0]); err != nil || rank != len(starts.Ints()) {
			axes := make([]int64, len(starts.Ints()))
			for i := range axes {
				axes[i] = int64(i)
			}
			n = with(n, graphops.IntsAttribute("axes", axes))
		}
	}
	return moved([]string{"starts", "ends", "axes"}, nil)(s, n)
}

// ratioInput makes an input of a Dropout's ratio. Without training_mode it drops nothing,
// as versions 7 to 11 did.
func ratioInput(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Outputs()) > 1 && s.wanted(n.Outputs()[1]) {
		s.c.report.Warnings = append(s.c.report.Warnings, fmt.Sprintf("mask %q of a Dropout that drops nothing is true from opset 12 on; before, it was not defined", n.Outputs()[1]))
	}
	a, ok, err := told(n, "ratio")
	if err != nil || !ok {
		return []*graphops.Node{n}, err
	}
	x, err := tensor.FromFloat64s(tensor.F32, []float64{float64(a.Float())})
	if err != nil {
		return nil, err
	}
	return s.one(without(n, "ratio").WithInputs([]string{n.Inputs()[0], s.keep(n, "ratio", x)}), "ratio is an input")
}

// maskCast has what reads the mask of a Dropout read it as numbers, which it was.
func maskCast(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Outputs()) < 2 || n.Outputs()[1] == "" {
		return []*graphops.Node{n}, nil
	}
	if !s.wanted(n.Outputs()[1]) {
		return s.one(n.WithOutputs(n.Outputs()[:1]), "a mask that nothing reads is gone")
	}
	d, err := s.element(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	t := s.typ(n.Outputs()[1])
	t.Elem = tensor.Bool
	mask := s.fresh(n.Outputs()[1]+"_bool", t)
	s.said = "the mask is of booleans, and cast"
	return []*graphops.Node{
		n.WithOutputs([]string{n.Outputs()[0], mask}),
		s.follow(n, "Cast", []string{mask}, n.Outputs()[1:2], graphops.IntAttribute("to", int64(d))),
	}, nil
}

// axisInput makes an input of the axis of a DFT, which is stated because what it means to
// leave it out changed.
func axisInput(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	axis, err := intOr(n, "axis", 1)
	if err != nil {
		return nil, err
	}
	inputs := slices.Clone(n.Inputs())
	for len(inputs) < 2 {
		inputs = append(inputs, "")
	}
	inputs = append(inputs[:2], s.keep(n, "axis", tensor.FromSlice([]int64{axis})))
	return s.one(without(n, "axis").WithInputs(inputs), "axis is an input")
}

// splitSizes makes an attribute of the sizes of a Split of version 1.
func splitSizes(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) < 2 || n.Inputs()[1] == "" {
		return []*graphops.Node{n.WithInputs(n.Inputs()[:min(len(n.Inputs()), 1)])}, nil
	}
	sizes, ok := s.integers(n.Inputs()[1])
	if !ok {
		return nil, fmt.Errorf("the sizes %q are no constant, and an attribute from version 2 on", n.Inputs()[1])
	}
	return s.one(with(n, graphops.IntsAttribute("split", sizes)).WithInputs(n.Inputs()[:1]), "split is an attribute")
}

// tiled makes the repeats of all axes of the one that a Tile of version 1 repeats.
func tiled(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) != 3 {
		return nil, fmt.Errorf("it has %d inputs, expected 3", len(n.Inputs()))
	}
	tiles, known := s.integers(n.Inputs()[1])
	axis, same := s.integers(n.Inputs()[2])
	if !known || !same || len(tiles) != 1 || len(axis) != 1 {
		return nil, fmt.Errorf("the number of tiles and the axis, %q and %q, must be constants", n.Inputs()[1], n.Inputs()[2])
	}
	rank, err := s.rank(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	if axis[0] < 0 || axis[0] >= int64(rank) {
		return nil, fmt.Errorf("axis %d, and the input has %d", axis[0], rank)
	}
	repeats := make([]int64, rank)
	for i := range repeats {
		repeats[i] = 1
	}
	repeats[axis[0]] = tiles[0]
	return s.one(n.WithInputs([]string{n.Inputs()[0], s.keep(n, "repeats", tensor.FromSlice(repeats, int64(rank)))}), "repeats of all axes")
}
