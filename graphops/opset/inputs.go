package opset

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
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
	return func(s *step) string {
		in := s.n.Inputs()
		if len(in) != 1 || in[0] == nil {
			return s.fail("it has %d inputs, expected one", len(in))
		}
		names := slices.Concat(integers, numbers)
		var was []string
		for i, name := range names {
			a, ok := s.n.Attribute(name)
			switch {
			case !ok:
				in = append(in, nil)
				continue
			case i < len(integers):
				in = append(in, s.asList(a))
			default:
				in = append(in, s.asNumber(a))
			}
			was = append(was, name)
		}
		s.n.DropAttributes(append(names, "consumed_inputs")...)
		s.n.SetInputs(in...)
		return becameInputs(was)
	}
}

func becameInputs(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is an input"
	}
	return strings.Join(names, ", ") + " are inputs"
}

// asList creates a constant with the integers of an attribute. In a function, the attribute may
// have the value of an attribute of the call; it then becomes a Constant with such an attribute.
func (s *step) asList(a *graphops.Attribute) *rewrite.Value {
	f := s.n.Graph().Place().Function
	switch {
	case a.RefName() == "" && a.Kind() == graphops.AttrInt:
		return s.list(a.Name(), a.Int())
	case a.RefName() == "":
		return s.list(a.Name(), a.Ints()...)
	case f == nil || a.Kind() != graphops.AttrInts || s.after.Since < opsetConstantList:
		s.fail("attribute %q depends on the call of the function, but becomes an input", a.Name())
	case !s.isCertain(f, a.RefName()):
		s.fail("attribute %q can be left out in calls of the function, but becomes an input", a.Name())
	}
	v := s.n.Graph().NewValue(s.n.Out(0).Name()+"_"+a.Name(), shape.Type{})
	s.ahead("Constant", v, nil, graphops.RefAttribute("value_ints", a.RefName(), graphops.AttrInts))
	return v
}

// isCertain reports whether the function's attribute has a value in each call, given by the call or
// as a default.
func (s *step) isCertain(f *graphops.Function, name string) bool {
	if slices.ContainsFunc(f.DefaultAttributes(), func(a *graphops.Attribute) bool { return a.Name() == name }) {
		return true
	}
	for n := range s.m.Source().AllNodes() {
		if n.Calls() != f.Key() {
			continue
		}
		if _, ok := n.Attribute(name); !ok {
			return false
		}
	}
	return slices.Contains(f.AttributeNames(), name)
}

// asNumber creates a scalar constant with the value of an attribute. It has the type of the node's
// first input.
func (s *step) asNumber(a *graphops.Attribute) *rewrite.Value {
	x := s.n.In(0)
	t := s.typ(x)
	switch {
	case a.RefName() != "":
		s.fail("attribute %q depends on the call of the function, but becomes an input", a.Name())
	case t.Kind != graphops.TypeTensor || t.Elem == tensor.Undefined:
		s.fail("the type of %q is not known, but attribute %s becomes an input of that type", x.Name(), a.Name())
	}
	return s.number(a.Name(), t.Elem, []float64{float64(a.Float())})
}

// sliced turns the attributes of a Slice into inputs. It adds the axes, unless all axes are sliced.
func sliced(s *step) string {
	starts, ok := s.attribute("starts")
	_, has := s.n.Attribute("axes")
	if dims := s.typ(s.n.In(0)).Dims; ok && !has && (dims == nil || len(dims) != len(starts.Ints())) {
		axes := make([]int64, len(starts.Ints()))
		for i := range axes {
			axes[i] = int64(i)
		}
		s.n.SetAttribute(graphops.IntsAttribute("axes", axes))
	}
	return moved([]string{"starts", "ends", "axes"}, nil)(s)
}

// ratioInput turns the attribute ratio of a Dropout into an input. Without the input training_mode,
// the later Dropout drops nothing, like that of versions 7 to 11.
func ratioInput(s *step) string {
	if s.n.Out(1).IsUsed() {
		mask := s.n.Origin().Spec().Output(1) // the name that the file has, from before maskCast
		s.report.Warnings = append(s.report.Warnings, fmt.Sprintf("mask %q of a Dropout that drops nothing is true from opset 12 on; before, it was undefined", mask))
	}
	a, ok := s.attribute("ratio")
	if !ok {
		return ""
	}
	s.n.DropAttributes("ratio")
	s.n.SetInputs(s.n.In(0), s.number("ratio", tensor.F32, []float64{float64(a.Float())}))
	return "ratio is an input"
}

// maskCast adds a Cast after the mask of a Dropout, because the mask was a tensor of numbers and is
// now boolean.
func maskCast(s *step) string {
	mask := s.n.Out(1)
	if mask == nil {
		return ""
	}
	if !mask.IsUsed() {
		s.n.LeaveOut(1)
		return "the unread mask removed"
	}
	to := graphops.IntAttribute("to", int64(s.element(s.n.In(0))))
	t := s.typ(mask)
	t.Elem = tensor.Bool
	boolean := s.n.Graph().NewValue(mask.Name()+"_bool", t)
	s.n.SetOutput(1, boolean)
	s.behind("Cast", mask, values{boolean}, to)
	return "the mask is boolean and is cast"
}

// axisInput turns the attribute axis of a DFT into an input. The input is always added, because the
// default changed.
func axisInput(s *step) string {
	axis := s.int("axis", 1)
	s.n.DropAttributes("axis")
	s.n.SetInputs(s.n.In(0), s.n.In(1), s.keep("axis", tensor.FromSlice([]int64{axis})))
	return "axis is an input"
}

// splitSizes turns the second input of a Split of version 1, the sizes, into an attribute.
func splitSizes(s *step) string {
	sizes := s.n.In(1)
	s.n.SetInputs(s.n.In(0))
	if sizes == nil {
		return ""
	}
	list, ok := s.integers(sizes)
	if !ok {
		return s.fail("the sizes %q are not constant, but must be an attribute from version 2 on", sizes.Name())
	}
	s.n.SetAttribute(graphops.IntsAttribute("split", list))
	return "split is an attribute"
}

// tiled converts a Tile of version 1, which repeats the input along one axis. Its second and third
// input are replaced by the number of repeats of each axis.
func tiled(s *step) string {
	in := s.n.Inputs()
	if len(in) != 3 {
		return s.fail("it has %d inputs, expected 3", len(in))
	}
	tiles, known := s.integers(in[1])
	axis, same := s.integers(in[2])
	if !known || !same || len(tiles) != 1 || len(axis) != 1 {
		return s.fail("the number of tiles and the axis, %q and %q, must be constants", in[1].Name(), in[2].Name())
	}
	rank := s.rank(in[0])
	if axis[0] < 0 || axis[0] >= int64(rank) {
		return s.fail("axis %d is not valid for an input of rank %d", axis[0], rank)
	}
	repeats := slices.Repeat([]int64{1}, rank)
	repeats[axis[0]] = tiles[0]
	s.n.SetInputs(in[0], s.list("repeats", repeats...))
	return "repeats of all axes"
}
