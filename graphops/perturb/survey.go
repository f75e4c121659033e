package perturb

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// survey finds the values that must be perturbed.
type survey struct {
	// live are the names of the values in a place that depend on numbers in an input.
	live  map[*graphops.Place]map[string]bool
	found map[*graphops.Place]map[int][]touched // by node
	// quantizes reports that an operator that quantizes reads a live value.
	quantizes bool
}

// touched is an output of a node that must be perturbed.
type touched struct {
	output int
	elem   tensor.DType
}

func newSurvey(m *graphops.Model) *survey {
	s := &survey{live: map[*graphops.Place]map[string]bool{}, found: map[*graphops.Place]map[int][]touched{}}
	for _, p := range m.Places() {
		s.live[p], s.found[p] = map[string]bool{}, map[int][]touched{}
	}
	for _, v := range m.Graph().FeedInputs() {
		s.live[m.Places()[0]][v.Name()] = true
	}
	return s
}

// visit decides for one node which outputs are live and which are perturbed. shape.Infer calls it
// for producers before readers. It may call it several times for a node in a body.
func (s *survey) visit(v shape.Visit) {
	if v.Place.Function != nil || !s.reads(v.Place, v.Index) || standard(v.Node) && sized[v.Node.OpType()] {
		return
	}
	s.quantizes = s.quantizes || slices.ContainsFunc([]string{"Quantize", "QLinear", "NBits"}, func(part string) bool { return strings.Contains(v.Node.OpType(), part) })
	var list []touched
	for i, name := range v.Node.Outputs() {
		if name == "" {
			continue
		}
		s.live[v.Place][name] = true
		if i < len(v.Out) && v.Out[i].Kind == graphops.TypeTensor && units[v.Out[i].Elem] > 0 && s.rounds(v, v.Out[i].Elem) {
			list = append(list, touched{i, v.Out[i].Elem})
		}
	}
	if len(list) > 0 {
		s.found[v.Place][v.Index] = list
	}
}

// types returns the element types of the values that must be perturbed, without duplicates.
func (s *survey) types() []tensor.DType {
	var out []tensor.DType
	for _, nodes := range s.found {
		for _, list := range nodes {
			for _, t := range list {
				if !slices.Contains(out, t.elem) {
					out = append(out, t.elem)
				}
			}
		}
	}
	return out
}

// reads reports whether a node or one of its bodies reads a live value.
func (s *survey) reads(p *graphops.Place, node int) bool {
	for _, name := range p.Graph.Nodes()[node].Inputs() {
		if s.isLive(p, name) {
			return true
		}
	}
	return slices.ContainsFunc(p.Bodies, func(b *graphops.Place) bool {
		return b.Node == node && slices.ContainsFunc(b.Captures(), func(c graphops.Capture) bool {
			return s.isLive(p, b.Graph.Index().Name(c.Value))
		})
	})
}

// isLive reports whether a name in a place, or in one around it, is a live value. An input of a
// body is live if the node with the body reads a live value.
func (s *survey) isLive(p *graphops.Place, name string) bool {
	for ; p != nil; p = p.Parent {
		if s.live[p][name] {
			return true
		}
		if p.Kind == graphops.BodyGraph && slices.ContainsFunc(p.Graph.Inputs(), func(v *graphops.ValueInfo) bool { return v.Name() == name }) {
			return s.reads(p.Parent, p.Node)
		}
	}
	return false
}

// rounds reports whether an operator may round its result. It is also true for a Gather from a
// table of weights: if a model has integer inputs, its floating-point numbers come from such a
// table.
func (s *survey) rounds(v shape.Visit, out tensor.DType) bool {
	op := v.Node.OpType()
	switch {
	case !standard(v.Node):
		return true
	case op == "Cast" || op == "CastLike":
		return len(v.In) > 0 && v.In[0] != nil && units[v.In[0].Elem] > 0 && units[v.In[0].Elem] < units[out]
	case op == "Gather" || op == "GatherElements" || op == "GatherND":
		return !s.isLive(v.Place, v.Node.Input(0))
	}
	return !exact[op]
}

func standard(n *graphops.Node) bool { return graphops.NormalDomain(n.Domain()) == "" }

// sized lists the operators whose result depends on the sizes of their input and not on its
// elements.
var sized = map[string]bool{"Shape": true, "Size": true}

// exact lists the operators that do not round: their results are copied from an input or are
// integers. Operators with bodies are included, because the nodes in their bodies are perturbed
// instead.
var exact = setOf(
	"If", "Loop", "Scan",
	"Identity", "Reshape", "Transpose", "Slice", "Concat", "Split", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile", "Pad",
	"Scatter", "ScatterElements", "Where", "Compress", "ReverseSequence", "Trilu", "DepthToSpace", "SpaceToDepth", "TensorScatter",
	"Max", "Min", "Clip", "Relu", "Abs", "Neg", "Sign", "Floor", "Ceil", "Round", "Shrink",
	"MaxPool", "GlobalMaxPool", "MaxUnpool", "MaxRoiPool", "ReduceMax", "ReduceMin", "TopK", "Hardmax", "Unique",
	"OneHot", "EyeLike", "Range", "ConstantOfShape", "NonZero", "BitCast", "CenterCropPad", "Col2Im",
	"SequenceAt", "ConcatFromSequence", "OptionalGetElement", "Constant", "ThresholdedRelu",
)

func setOf(list ...string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}
