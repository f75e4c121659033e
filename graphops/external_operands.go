package graphops

import "slices"

// operandsRead are the inputs of operators that ONNX Runtime reads, if they are
// constants, while it loads a model: shape inference does, and whoever picks the
// branch of an If. Each list is read together: where one of them is given and no
// constant, the others are not looked at. None of it reads data files, and all of
// it fails on a constant that lies in one. (Seen by moving each input of every
// operator's own tests outside, with 1.24.1, 1.30.0 and 1.31.1, which agree.)
var operandsRead = map[string][][]int{
	"AffineGrid":      {{1}},
	"BlackmanWindow":  {{0}},
	"CenterCropPad":   {{1}},
	"Col2Im":          {{1}, {2}},
	"ConstantOfShape": {{0}},
	"DFT":             {{1, 2}, {2}},
	"Expand":          {{1}},
	"HammingWindow":   {{0}},
	"HannWindow":      {{0}},
	"If":              {{0}},
	"MelWeightMatrix": {{0, 1}},
	"OneHot":          {{1}},
	"Pad":             {{1, 3}, {3}},
	"Range":           {{0, 1, 2}},
	"ReduceL1":        {{1}},
	"ReduceL2":        {{1}},
	"ReduceLogSum":    {{1}},
	"ReduceLogSumExp": {{1}},
	"ReduceMax":       {{1}},
	"ReduceMean":      {{1}},
	"ReduceMin":       {{1}},
	"ReduceProd":      {{1}},
	"ReduceSum":       {{1}},
	"ReduceSumSquare": {{1}},
	"Reshape":         {{1}},
	"Resize":          {{2}, {3}},
	"STFT":            {{1}, {1, 3}},
	"Slice":           {{1, 2, 3, 4}},
	"Split":           {{1}},
	"SplitToSequence": {{1}},
	"Squeeze":         {{1}},
	"Tile":            {{1}},
	"TopK":            {{1}},
	"Unsqueeze":       {{1}},
	"Upsample":        {{1}},
}

// operand is an external constant that shape inference reads.
type operand struct {
	tensor string
	node   *Node
	input  int
}

// inferenceOperands finds them in the main graph, in bodies and in functions. What
// a function is given as an input is not followed into it, nor a constant through
// nodes that compute a shape from it.
func inferenceOperands(m *Model) []operand {
	var out []operand
	for _, p := range m.Places() {
		for _, n := range p.Graph.nodes {
			if n.Domain() != DefaultDomain {
				continue
			}
			for _, together := range operandsRead[n.opType] {
				out = append(out, externalOperands(p, n, together)...)
			}
		}
	}
	return out
}

// externalOperands are those of a list that lie outside, if all are constants.
func externalOperands(p *Place, n *Node, together []int) []operand {
	var out []operand
	for _, i := range together {
		if i >= len(n.inputs) || n.inputs[i] == "" {
			continue
		}
		t, constant := constantOf(p, n.inputs[i])
		if !constant {
			return nil
		}
		found := operand{n.inputs[i], n, i}
		if t != nil && t.IsExternal() && !slices.Contains(out, found) {
			out = append(out, found)
		}
	}
	return out
}

// constantOf reports whether a name in a place always stands for the same values:
// of an initializer that is no input as well, or of a Constant node, there or
// around it. The tensor is nil where they are not stored as one.
func constantOf(p *Place, name string) (t *Tensor, constant bool) {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		v, ok := x.Value(name)
		if !ok || !x.IsDefined(v) {
			continue
		}
		if i := x.Producer(v); i >= 0 {
			n := p.Graph.nodes[i]
			if a, ok := n.Attribute("value"); ok && n.isConstant() {
				t = a.Tensor()
			}
			return t, n.isConstant()
		}
		return x.Initializer(v), x.IsInitializer(v) && !x.IsInput(v)
	}
	return nil, false
}
