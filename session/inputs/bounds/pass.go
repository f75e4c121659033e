package bounds

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// passing tells which inputs of an operator arrive in its outputs unchanged.
type passing struct {
	inputs  []int // nil for all
	outputs bool  // into every output, not just the first
	whole   bool  // as many elements, in the same order
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

// pass goes on to the outputs that hold the elements that arrived.
func (u use) pass() {
	outputs := u.node.Outputs()
	p, ok := passes[operator(u.node)]
	switch {
	case len(outputs) == 0:
	case ok && (p.inputs == nil || slices.Contains(p.inputs, u.at)) && !u.endsNumbers():
		to := u.point
		to.whole = to.whole && (p.whole || len(u.node.Inputs()) == 1)
		for i, name := range outputs {
			if name != "" && (i == 0 || p.outputs) {
				u.reach(to, name)
			}
		}
	case u.node.Domain() == graphops.DefaultDomain:
		u.arithmetic(outputs[0])
	}
}

// endsNumbers reports a cast to a type that does not keep numbers.
func (u use) endsNumbers() bool {
	if u.node.OpType() != "Cast" {
		return false
	}
	kind := tensor.DType(u.int("to", 0)).Kind()
	return kind == tensor.KindBool || kind == tensor.KindString
}

// maxShift bounds scales and offsets, so that undoing them cannot overflow.
const maxShift = 1 << 30

// arithmetic follows a value through the addition, subtraction or multiplication
// of one constant.
func (u use) arithmetic(output string) {
	if u.at > 1 || len(u.node.Inputs()) != 2 || output == "" {
		return
	}
	c, ok := u.frame().ints(u.input(1-u.at), 0)
	if !ok || len(c) != 1 || c[0] > maxShift || c[0] < -maxShift {
		return
	}
	to := u.point
	switch op := u.node.OpType(); {
	case op == "Add":
		to.offset += c[0]
	case op == "Sub" && u.at == 0:
		to.offset -= c[0]
	case op == "Mul" && c[0] > 0:
		to.scale *= c[0]
		to.offset *= c[0]
	default:
		return
	}
	if to.scale > maxShift || to.offset > maxShift || to.offset < -maxShift {
		return
	}
	u.reach(to, output)
}

// intoBodies follows what a node hands to the inputs of its bodies.
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
		u.point.whole = false
	default:
		return
	}
	for _, body := range u.node.Graphs() {
		if inputs := body.Inputs(); u.at < len(inputs) {
			u.enter(u.point, u.node, body, nil, true, inputs[u.at].Name())
		}
	}
}
