package bounds

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// passing says which inputs of an operator appear in its outputs with unchanged elements.
type passing struct {
	inputs  []int // nil means all
	outputs bool  // to every output, not just the first
	whole   bool  // the same number of elements, in the same order
}

var passes = map[string]passing{
	"Identity":              {inputs: []int{0}, whole: true},
	"Cast":                  {inputs: []int{0}, whole: true},
	"CastLike":              {inputs: []int{0}, whole: true},
	"Reshape":               {inputs: []int{0}, whole: true},
	"Flatten":               {inputs: []int{0}, whole: true},
	"Squeeze":               {inputs: []int{0}, whole: true},
	"Unsqueeze":             {inputs: []int{0}, whole: true},
	"Dropout":               {inputs: []int{0}, whole: true},
	"Optional":              {inputs: []int{0}, whole: true},
	"OptionalGetElement":    {inputs: []int{0}, whole: true},
	"Transpose":             {inputs: []int{0}},
	"Slice":                 {inputs: []int{0}},
	"Gather":                {inputs: []int{0}},
	"GatherElements":        {inputs: []int{0}},
	"GatherND":              {inputs: []int{0}},
	"Expand":                {inputs: []int{0}},
	"Tile":                  {inputs: []int{0}},
	"Trilu":                 {inputs: []int{0}},
	"Compress":              {inputs: []int{0}},
	"DepthToSpace":          {inputs: []int{0}},
	"SpaceToDepth":          {inputs: []int{0}},
	"ReverseSequence":       {inputs: []int{0}},
	"ReduceMax":             {inputs: []int{0}},
	"ReduceMin":             {inputs: []int{0}},
	"TopK":                  {inputs: []int{0}},
	"Unique":                {inputs: []int{0}},
	"Pad":                   {inputs: []int{0, 2}},
	"Where":                 {inputs: []int{1, 2}},
	"ScatterElements":       {inputs: []int{0, 2}},
	"ScatterND":             {inputs: []int{0, 2}},
	"Split":                 {inputs: []int{0}, outputs: true},
	"Concat":                {},
	"SequenceConstruct":     {},
	"SequenceAt":            {inputs: []int{0}},
	"SequenceInsert":        {inputs: []int{0, 1}},
	"SplitToSequence":       {inputs: []int{0}},
	"ConcatFromSequence":    {inputs: []int{0}},
	"StringNormalizer":      {inputs: []int{0}},
	"ai.onnx.ml::ZipMap":    {inputs: []int{0}},
	"ai.onnx.ml::CastMap":   {inputs: []int{0}},
	"com.microsoft::Unique": {inputs: []int{0}},
}

// pass follows the input's elements to the outputs of the node that contain them.
func (u use) pass() {
	outputs := u.node.Outputs()
	p, ok := passes[operator(u.node)]
	switch {
	case len(outputs) == 0 || u.selectColumns():
	case ok && (p.inputs == nil || slices.Contains(p.inputs, u.at)) && !u.endsNumbers():
		to := u.point
		to.ordered = to.ordered && p.isOrdered(u.node)
		for i, name := range outputs {
			if name != "" && (i == 0 || p.outputs) {
				u.reach(to, name)
			}
		}
	case u.node.Domain() == graphops.DefaultDomain:
		u.arithmetic(outputs[0])
	}
}

// endsNumbers reports whether the node is a Cast to bool or to text. The elements are not followed
// beyond it.
func (u use) endsNumbers() bool {
	if !u.node.Is("Cast") {
		return false
	}
	kind := tensor.DType(u.int("to", 0)).Kind()
	return kind == tensor.KindBool || kind == tensor.KindString
}

// maxShift limits the scale and the offset that are followed, so that converting a bound back
// cannot overflow.
const maxShift = 1 << 30

// arithmetic follows the elements through a negation, or through an addition, subtraction,
// multiplication or division by a constant.
func (u use) arithmetic(output string) {
	if output == "" {
		return
	}
	to, ok := u.point.after(u)
	if ok && math.Abs(to.scale) <= maxShift && math.Abs(to.offset) <= maxShift {
		u.reach(to, output)
	}
}

// after returns the point for the node's output, with its new scale and offset.
func (p point) after(u use) (_ point, ok bool) {
	op := u.node.OpType()
	switch {
	case positive[op] && u.at == 0:
		p.summed, p.ordered = true, false
		return p, true
	case op == "Neg":
		p.scale, p.offset = -p.scale, -p.offset
		return p, true
	case len(u.node.Inputs()) != 2:
		return p, false
	}
	c, ok := u.frame().scalar(u.input(1 - u.at))
	if !ok {
		return p, false
	}
	switch {
	case op == "Add":
		p.offset += c
	case op == "Sub" && u.at == 0:
		p.offset -= c
	case op == "Sub":
		p.scale, p.offset = -p.scale, c-p.offset
	case op == "Mul" && c != 0:
		p.scale, p.offset = p.scale*c, p.offset*c
	case op == "Div" && u.at == 0 && c != 0 && u.elem.Kind() == tensor.KindFloat:
		p.scale, p.offset = p.scale/c, p.offset/c
	default:
		return p, false
	}
	return p, true
}

// positive are operators whose result is not negative if their first input is not negative. For
// these, only the sign of the result is followed.
var positive = map[string]bool{
	"ReduceSum": true, "ReduceMean": true, "CumSum": true, "Relu": true,
	"AveragePool": true, "GlobalAveragePool": true, "MaxPool": true, "GlobalMaxPool": true,
}

// intoBodies follows the elements into the bodies of a node, such as a Loop.
func (u use) intoBodies() {
	switch operator(u.node) {
	case "Loop":
		if u.at < 2 { // the trip count and the condition
			return
		}
	case "Scan", "SequenceMap":
	case "com.microsoft::BeamSearch", "com.microsoft::GreedySearch", "com.microsoft::Sampling":
		if u.at > 0 {
			return
		}
		u.point.ordered = false
	default:
		return
	}
	for _, body := range u.node.Graphs() {
		if inputs := body.Inputs(); u.at < len(inputs) {
			u.enter(u.point, u.node, body, nil, true, inputs[u.at].Name())
		}
	}
}
