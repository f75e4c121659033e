package summary

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// mark is a node by which a part is recognized.
type mark struct {
	node int32
	what what
	kind string // the kind of a part that has only this mark, such as "convolution"

	linear    linear
	attention attention
	conv      conv
	recurrent recurrent
	experts   int64
	// residual is set if the node adds a residual. fork is the node that makes the value that is
	// added, or -1 if that is an input.
	residual bool
	fork     int32
}

// what says what a mark is.
type what uint8

const (
	isLinear what = iota
	isAttention
	isConv
	isRecurrent
	isResidual
	isExperts
	isNamed
)

// likeness is a text that is equal for marks with the same sizes.
func (m *mark) likeness() string {
	return fmt.Sprint(m.what, m.kind, m.linear.in, m.linear.out, m.attention.heads, m.attention.size, m.conv.kernel, m.conv.channels, m.recurrent.state, m.experts)
}

// recurrent are the sizes of a recurrent layer.
type recurrent struct {
	state         int64
	bidirectional bool
}

// recurrents are the operators of recurrent layers, and the kind of part that each is.
var recurrents = map[graphops.Op]string{
	{Name: "RNN"}:  "RNN layer",
	{Name: "GRU"}:  "GRU layer",
	{Name: "LSTM"}: "LSTM layer",
	{Domain: graphops.MicrosoftDomain, Name: "DynamicQuantizeLSTM"}: "LSTM layer",
	{Domain: graphops.MicrosoftDomain, Name: "AttnLSTM"}:            "LSTM layer",
}

// expertOps are operators of mixtures of experts. Their third input has the weights of all experts,
// one after the other.
var expertOps = and(nil, "MoE", "QMoE")

// expertWeights is the position of that input.
const expertWeights = 2

// named are operators that are a part of their own.
var named = map[graphops.Op]string{
	{Domain: "ai.onnx.ml", Name: "LinearClassifier"}:              "linear classifier",
	{Domain: "ai.onnx.ml", Name: "LinearRegressor"}:               "linear regressor",
	{Domain: "ai.onnx.ml", Name: "SVMClassifier"}:                 "support vector machine",
	{Domain: "ai.onnx.ml", Name: "SVMRegressor"}:                  "support vector machine",
	{Domain: "ai.onnx.ml", Name: "TreeEnsemble"}:                  "tree ensemble",
	{Domain: "ai.onnx.ml", Name: "TreeEnsembleClassifier"}:        "tree ensemble",
	{Domain: "ai.onnx.ml", Name: "TreeEnsembleRegressor"}:         "tree ensemble",
	{Domain: graphops.MicrosoftDomain, Name: "BeamSearch"}:        "beam search",
	{Domain: graphops.MicrosoftDomain, Name: "EPContext"}:         "compiled part",
	{Domain: graphops.MicrosoftDomain, Name: "GreedySearch"}:      "greedy search",
	{Domain: graphops.MicrosoftDomain, Name: "Sampling"}:          "sampling",
	{Domain: graphops.MicrosoftDomain, Name: "WhisperBeamSearch"}: "beam search",
}

// findMarks finds the marks of the place. Those that several nodes make are found from the marks of
// single nodes.
func (v *view) findMarks() {
	marking := v.operatorsWhere(canMark)
	for i, n := range v.nodes {
		if !marking[v.x.Operator(i)] {
			continue
		}
		if m := v.markOf(n); m != nil {
			m.node = int32(i)
			v.at[i] = m
		}
	}
	v.findAttention()
	v.findResiduals()
	v.findMLPs()
	for _, i := range v.order {
		if m := v.at[i]; m != nil {
			v.marks = append(v.marks, m)
		}
	}
}

// canMark reports whether a node of an operator can be a mark by itself.
func canMark(op graphops.Op) bool {
	_, isLinear := linears[op]
	_, attends := attentions[op]
	_, convolves := convs[op]
	_, repeats := recurrents[op]
	_, hasName := named[op]
	return isLinear || attends || convolves || repeats || hasName || expertOps[op]
}

// operatorsWhere returns for which operators of the graph, by their number, something is the case.
func (v *view) operatorsWhere(is func(graphops.Op) bool) []bool {
	out := make([]bool, len(v.x.Operators()))
	for i, op := range v.x.Operators() {
		out[i] = is(graphops.Op{Domain: op.Domain, Name: op.Name})
	}
	return out
}

// markOf returns the mark that a single node is, or nil.
func (v *view) markOf(n *graphops.Node) *mark {
	op := n.Op()
	if form, ok := linears[op]; ok {
		return v.linearMark(n, form)
	}
	if form, ok := attentions[op]; ok {
		return v.attentionMark(n, form)
	}
	if weight, ok := convs[op]; ok {
		return v.convMark(n, weight)
	}
	if kind, ok := recurrents[op]; ok {
		m := &mark{what: isRecurrent, kind: kind, recurrent: recurrent{state: max(0, number(n, "hidden_size", 0))}}
		if a, ok := n.Attribute("direction"); ok {
			m.recurrent.bidirectional = a.Text() == "bidirectional"
		}
		return m
	}
	if expertOps[op] {
		return &mark{what: isExperts, kind: "mixture of experts", experts: v.size(v.in(n, expertWeights), 0)}
	}
	if kind, ok := named[op]; ok {
		return &mark{what: isNamed, kind: kind}
	}
	return nil
}

// conv are the sizes of a convolution.
type conv struct {
	kernel    string // such as 3×3
	channels  int64  // of the result
	depthwise bool   // each channel is convolved alone
}

// convs are the operators of convolutions and the position of the kernel among their inputs. It is
// negative if the kernel's first axis is that of the input.
var convs = map[graphops.Op]int{
	{Name: "Conv"}:          1,
	{Name: "ConvInteger"}:   1,
	{Name: "DeformConv"}:    1,
	{Name: "QLinearConv"}:   3,
	{Name: "ConvTranspose"}: -1,
	{Domain: graphops.MicrosoftDomain, Name: "FusedConv"}:                    1,
	{Domain: graphops.MicrosoftDomain, Name: "NhwcConv"}:                     1,
	{Domain: graphops.MicrosoftDomain, Name: "NhwcFusedConv"}:                1,
	{Domain: graphops.MicrosoftDomain, Name: "QLinearConv"}:                  3,
	{Domain: graphops.MicrosoftDomain, Name: "ConvTransposeWithDynamicPads"}: -1,
	{Domain: "com.microsoft.nchwc", Name: "Conv"}:                            1,
	{Domain: "com.ms.internal.nhwc", Name: "Conv"}:                           1,
	{Domain: "com.ms.internal.nhwc", Name: "QLinearConv"}:                    3,
	{Domain: "com.ms.internal.nhwc", Name: "ConvTranspose"}:                  -1,
}

func (v *view) convMark(n *graphops.Node, weight int) *mark {
	transposed := weight < 0
	weight = max(weight, -weight)
	m := &mark{what: isConv, kind: "convolution"}
	if transposed {
		m.kind = "transposed convolution"
	}
	dims, group := v.dims(v.in(n, weight)), max(1, number(n, "group", 1))
	if len(dims) < 2 {
		return m
	}
	first, ok := dims[0].Number()
	second, also := dims[1].Number()
	if !ok || !also || first <= 0 || second <= 0 {
		return m
	}
	m.conv.channels = first
	if transposed {
		m.conv.channels = second * min(group, first)
	}
	m.conv.depthwise = !transposed && group > 1 && second == 1 && first%group == 0
	for i, d := range dims[2:] {
		k, ok := d.Number()
		if !ok || i == maxAxes {
			m.conv.kernel = ""
			break
		}
		if i > 0 {
			m.conv.kernel += "×"
		}
		m.conv.kernel += fmt.Sprint(k)
	}
	return m
}

// maxAxes is the maximum number of axes of a kernel whose sizes are shown.
const maxAxes = 3

// additions are operators that add two values, and the positions of these among the inputs.
var additions = map[graphops.Op][2]int{
	{Name: "Add"}: {0, 1},
	{Name: "Sum"}: {0, 1},
	{Domain: graphops.MicrosoftDomain, Name: "QLinearAdd"}:    {0, 3},
	{Domain: graphops.MicrosoftDomain, Name: "FusedConv"}:     {0, 3},
	{Domain: graphops.MicrosoftDomain, Name: "NhwcFusedConv"}: {0, 3},
}

// maxBranch is the maximum number of nodes in a branch around which a residual is added.
const maxBranch = 48

// maxVisited is the maximum number of nodes that are visited in all branches.
const maxVisited = 1_000_000

// findResiduals finds the additions of residuals around convolutions. The two values that are added
// must come from the same one, with at most one convolution in the shorter branch and more in the
// longer one.
func (v *view) findResiduals() {
	if !slices.ContainsFunc(v.at, func(m *mark) bool { return m != nil && m.what == isConv }) {
		return
	}
	var a, b branch
	visited := 0
	for i, n := range v.nodes {
		inputs, ok := additions[n.Op()]
		if !ok || len(n.Inputs()) <= inputs[1] {
			continue
		}
		if visited += len(a.values) + len(b.values); visited > maxVisited {
			return
		}
		if x, y := v.in(n, inputs[0]), v.in(n, inputs[1]); x != y && x != none && y != none {
			a.follow(v, x)
			b.follow(v, y)
		} else {
			continue
		}
		m := v.at[i]
		if m != nil {
			a.here(1) // the node is a convolution too, of the first value
		}
		fork, ok := meet(&a, &b)
		if !ok {
			continue
		}
		if m == nil {
			m = &mark{node: int32(i), what: isResidual}
			v.at[i] = m
		}
		m.residual, m.fork = true, int32(v.producer(fork))
	}
}

// branch is a chain of values, from one to that from which it was computed, and so on.
type branch struct {
	values []graphops.ValueID
	convs  []int // the number of convolutions after each value
}

// follow goes back from a value, by the first input of each node that is not constant.
func (b *branch) follow(v *view, from graphops.ValueID) {
	b.values, b.convs = b.values[:0], b.convs[:0]
	convs := 0
	for id := from; id != none && len(b.values) < maxBranch; {
		b.values, b.convs = append(b.values, id), append(b.convs, convs)
		p := v.producer(id)
		if p < 0 {
			return
		}
		if m := v.at[p]; m != nil && m.what == isConv {
			convs++
		}
		id = v.flowing(v.nodes[p])
	}
}

// here adds convolutions at the end of the branch.
func (b *branch) here(n int) {
	for i := range b.convs {
		b.convs[i] += n
	}
}

// flowing returns the first input of a node that is not constant.
func (v *view) flowing(n *graphops.Node) graphops.ValueID {
	for i := range min(len(n.Inputs()), 2) {
		if id := v.in(n, i); id != none && !v.isConstant(id) {
			return id
		}
	}
	return none
}

// meet returns the value from which two branches start, if one of them is a way around convolutions
// of the other.
func meet(a, b *branch) (graphops.ValueID, bool) {
	for i, id := range a.values {
		if j := slices.Index(b.values, id); j >= 0 {
			more, less := max(a.convs[i], b.convs[j]), min(a.convs[i], b.convs[j])
			return id, less <= 1 && more > less
		}
	}
	return none, false
}
