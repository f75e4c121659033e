package graphops

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

// operand is an external constant that is read, where it is read first.
type operand struct {
	constant
	node  *Node
	input int
}

// constant is a name in a place that always stands for the same values.
type constant struct {
	place *Place
	name  string
}

// inferenceOperands finds them in the main graph, in bodies and in functions, each
// constant once. What a function is given as an input is not followed into it, nor
// a constant through nodes that compute a shape from it.
func inferenceOperands(m *Model) []operand {
	var out []operand
	seen := map[constant]bool{}
	for _, p := range m.Places() {
		for _, n := range p.Graph.nodes {
			if n.Domain() != DefaultDomain {
				continue
			}
			for _, together := range operandsRead[n.opType] {
				for _, o := range externalOperands(p, n, together) {
					if !seen[o.constant] {
						seen[o.constant] = true
						out = append(out, o)
					}
				}
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
		t, owner := constantOf(p, n.inputs[i])
		if owner == nil {
			return nil
		}
		if t != nil && t.IsExternal() {
			out = append(out, operand{constant{owner, n.inputs[i]}, n, i})
		}
	}
	return out
}

// constantOf finds the constant that a name in a place stands for, there or around
// it: an initializer that is no input as well, or a Constant node. The tensor is
// nil where the values are not stored as one, the place where there is no constant.
func constantOf(p *Place, name string) (*Tensor, *Place) {
	for ; p != nil; p = p.Parent {
		x := p.Graph.Index()
		v, ok := x.Value(name)
		if !ok || !x.IsDefined(v) {
			continue
		}
		if i := x.Producer(v); i >= 0 {
			return constantNode(p, p.Graph.nodes[i])
		}
		if x.IsInput(v) || !x.IsInitializer(v) {
			return nil, nil
		}
		return x.Initializer(v), p
	}
	return nil, nil
}

func constantNode(p *Place, n *Node) (*Tensor, *Place) {
	if !n.isConstant() {
		return nil, nil
	}
	if a, ok := n.Attribute("value"); ok {
		return a.Tensor(), p
	}
	return nil, p
}
