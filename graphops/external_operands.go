package graphops

import (
	"fmt"
	"iter"
)

// operandsRead are the inputs of operators that must not be external constants. ONNX Runtime reads
// these inputs while it loads a model, to infer shapes and to choose the branch of an If. The code
// that does so cannot read data files, so loading fails. Each operator has one or more lists of
// input positions. The inputs in a list are read together: if one of them is given but is not a
// constant, ONNX Runtime reads none of them.
//
// (Measured with 1.24.1, 1.30.0 and 1.31.1, which agree, by making each input of every operator's
// own tests external.)
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

// ExternalOperand is an external constant that ONNX Runtime reads while it loads a model, which
// fails. Node and Input identify the first input that reads it.
type ExternalOperand struct {
	Name  string
	Place *Place // of the node
	Node  int
	Input int
}

func (o ExternalOperand) why() string {
	n := o.Place.Graph.nodes[o.Node]
	return fmt.Sprintf("input %d of %s %q is read while a model is loaded, and must be inside the model file", o.Input, n.opType, n.name)
}

// constant identifies a constant by its name and place.
type constant struct {
	place *Place
	name  string
}

// inferenceOperands finds the external constants that prevent ONNX Runtime from loading the model
// (see operandsRead). It searches the main graph, bodies and functions, and returns each constant
// once. It does not find constants that are passed to a function, nor those from which a shape is
// computed by several nodes.
func inferenceOperands(m *Model) []ExternalOperand {
	var out []ExternalOperand
	seen := map[constant]bool{}
	for _, p := range m.Places() {
		for i, n := range p.Graph.nodes {
			if n.Domain() != DefaultDomain {
				continue
			}
			for _, together := range operandsRead[n.opType] {
				for input, c := range externalOperands(p, n, together) {
					if !seen[c] {
						seen[c] = true
						out = append(out, ExternalOperand{c.name, p, i, input})
					}
				}
			}
		}
	}
	return out
}

// externalOperands yields the external constants among the inputs at some positions, with their
// positions. It yields none if one of these inputs is given but is not a constant.
func externalOperands(p *Place, n *Node, together []int) iter.Seq2[int, constant] {
	return func(yield func(int, constant) bool) {
		var outside []int
		var found []constant
		for _, i := range together {
			if i >= len(n.inputs) || n.inputs[i] == "" {
				continue
			}
			t, owner := p.Constant(n.inputs[i])
			if owner == nil {
				return
			}
			if t != nil && t.IsExternal() {
				outside, found = append(outside, i), append(found, constant{owner, n.inputs[i]})
			}
		}
		for k, i := range outside {
			if !yield(i, found[k]) {
				return
			}
		}
	}
}

// Constant finds the constant that a name refers to in the place: an initializer that is not an
// input, or a Constant node, in this place or one around it. It also returns the place that defines
// the constant, which is nil if there is no such constant. The tensor is nil if a constant exists
// but is not stored as a dense tensor.
func (p *Place) Constant(name string) (*Tensor, *Place) {
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
	if !n.IsConstant() {
		return nil, nil
	}
	if a, ok := n.Attribute("value"); ok {
		return a.Tensor(), p
	}
	return nil, p
}
