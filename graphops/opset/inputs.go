package opset

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// opsetConstantList is the first opset in which a Constant can have a list of integers as its
// attribute.
const opsetConstantList = 12

// moved returns an adapter that turns attributes into inputs. The first inputs come from the
// attributes in integers, each a list or a single integer, and the next ones from those in numbers,
// which get the type of the node's first input. An attribute that the node does not have becomes an
// omitted input.
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

// list returns the name of a constant with the integers of an attribute. In a function, the
// attribute may have the value of an attribute of the call; it then becomes a Constant with such an
// attribute.
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
		return "", fmt.Errorf("attribute %q depends on the call of the function, but becomes an input", a.Name())
	case !s.certain(a.RefName()):
		return "", fmt.Errorf("attribute %q can be left out in calls of the function, but becomes an input", a.Name())
	}
	name := s.c.names.Value(n.Outputs()[0] + "_" + a.Name())
	s.ahead = append(s.ahead, graphops.NewNode(graphops.NodeSpec{
		Op: "Constant", Outputs: []string{name}, Attributes: []*graphops.Attribute{graphops.RefAttribute("value_ints", a.RefName(), graphops.AttrInts)},
	}))
	return name, nil
}

// certain reports whether the function's attribute has a value in each call, given by the call or
// as a default.
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

// number returns the name of a scalar constant with the value of an attribute. It has the type of
// the node's first input.
func (s *step) number(n *graphops.Node, a *graphops.Attribute) (string, error) {
	if a.RefName() != "" {
		return "", fmt.Errorf("attribute %q depends on the call of the function, but becomes an input", a.Name())
	}
	d, err := s.element(n.Inputs()[0])
	if err != nil {
		return "", fmt.Errorf("%w, but attribute %s becomes an input of that type", err, a.Name())
	}
	x, err := tensor.FromFloat64s(d, []float64{float64(a.Float())})
	if err != nil {
		return "", err
	}
	return s.keep(n, a.Name(), x), nil
}

// sliced turns the attributes of a Slice into inputs. It always adds the axes.
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

// ratioInput turns the attribute ratio of a Dropout into an input. Without the input training_mode,
// the later Dropout drops nothing, like that of versions 7 to 11.
func ratioInput(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Outputs()) > 1 && s.wanted(n.Outputs()[1]) {
		s.c.report.Warnings = append(s.c.report.Warnings, fmt.Sprintf("mask %q of a Dropout that drops nothing is true from opset 12 on; before, it was undefined", n.Outputs()[1]))
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

// maskCast adds a Cast after the mask of a Dropout, because the mask was a tensor of numbers and is
// now boolean.
func maskCast(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Outputs()) < 2 || n.Outputs()[1] == "" {
		return []*graphops.Node{n}, nil
	}
	if !s.wanted(n.Outputs()[1]) {
		return s.one(n.WithOutputs(n.Outputs()[:1]), "the unread mask removed")
	}
	d, err := s.element(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	t := s.typ(n.Outputs()[1])
	t.Elem = tensor.Bool
	mask := s.fresh(n.Outputs()[1]+"_bool", t)
	s.said = "the mask is boolean and is cast"
	return []*graphops.Node{
		n.WithOutputs([]string{n.Outputs()[0], mask}),
		s.follow(n, "Cast", []string{mask}, n.Outputs()[1:2], graphops.IntAttribute("to", int64(d))),
	}, nil
}

// axisInput turns the attribute axis of a DFT into an input. The input is always added, because the
// default changed.
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

// splitSizes turns the second input of a Split of version 1, the sizes, into an attribute.
func splitSizes(s *step, n *graphops.Node) ([]*graphops.Node, error) {
	if len(n.Inputs()) < 2 || n.Inputs()[1] == "" {
		return []*graphops.Node{n.WithInputs(n.Inputs()[:min(len(n.Inputs()), 1)])}, nil
	}
	sizes, ok := s.integers(n.Inputs()[1])
	if !ok {
		return nil, fmt.Errorf("the sizes %q are not constant, but must be an attribute from version 2 on", n.Inputs()[1])
	}
	return s.one(with(n, graphops.IntsAttribute("split", sizes)).WithInputs(n.Inputs()[:1]), "split is an attribute")
}

// tiled converts a Tile of version 1, which repeats the input along one axis. Its second and third
// input are replaced by the number of repeats of each axis.
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
		return nil, fmt.Errorf("axis %d is not valid for an input of rank %d", axis[0], rank)
	}
	repeats := make([]int64, rank)
	for i := range repeats {
		repeats[i] = 1
	}
	repeats[axis[0]] = tiles[0]
	return s.one(n.WithInputs([]string{n.Inputs()[0], s.keep(n, "repeats", tensor.FromSlice(repeats, int64(rank)))}), "repeats of all axes")
}
