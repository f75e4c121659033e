package layers

import (
	"fmt"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

// Report is a Result in the form in which `lathe validate --layers --json` writes it.
type Report struct {
	Case string `json:"layers_case"` // the case that the layers were run on
	// Layers are in a topological order of A.
	Layers []LayerReport `json:"layers"`
	// First is nil if nothing fails. It is written not here but in the object that contains this
	// one, under the key first_divergence.
	First *FirstReport `json:"-"`
	// Mapping says how the values were matched.
	Mapping  Mapping  `json:"layers_mapping"`
	Segments int      `json:"layers_segments"`
	Notes    []string `json:"-"`
}

// Mapping counts the pairs by how they were found, and lists the computed values without a
// counterpart.
type Mapping struct {
	Names     bool           `json:"names"` // whether equal names were taken to mean the same value
	By        map[string]int `json:"by"`
	OnlyA     []string       `json:"only_a"`
	OnlyB     []string       `json:"only_b"`
	Judgement map[string]int `json:"judgement"`
	// EqualInputs counts the layers whose local error equals the accumulated one, because their
	// inputs had A's bits.
	EqualInputs int `json:"equal_inputs"`
}

// LayerReport is a Layer as reports contain it.
type LayerReport struct {
	A           string         `json:"a"`
	B           string         `json:"b"`
	How         string         `json:"how"`
	Node        string         `json:"node"`   // name in B, or #position; empty for a constant
	NodeA       string         `json:"node_a"` // the same in A
	Op          string         `json:"op"`     // operator in B, or else in A
	OpA         string         `json:"op_a"`   // the same in A
	Type        string         `json:"type"`
	Shape       graphops.Shape `json:"shape"`
	Judgement   string         `json:"judgement"`
	Quantizes   bool           `json:"quantizes"`
	EqualInputs bool           `json:"equal_inputs"`
	Local       *Error         `json:"local"`
	Accumulated *Error         `json:"accumulated"`
	Reason      string         `json:"reason"` // why there is no local error, or why it counts as one
	// AccumulatedReason says why there is no accumulated error. It is empty if there is one.
	AccumulatedReason string `json:"accumulated_reason"`
}

// Error is how far B's value is from A's.
type Error struct {
	MaxAbs     tensor.Number `json:"max_abs"`
	MaxRel     tensor.Number `json:"max_rel"`
	MeanAbs    tensor.Number `json:"mean_abs"`
	RMS        tensor.Number `json:"rms"`
	Cosine     tensor.Number `json:"cosine"`
	SNR        tensor.Number `json:"snr_db"`
	Mismatched int64         `json:"mismatched"`
	Total      int64         `json:"total"`
	NaN        int64         `json:"nan"`
	Inf        int64         `json:"inf"`
}

// FirstReport is the first divergence as reports contain it.
type FirstReport struct {
	Node      string        `json:"node"`
	NodeA     string        `json:"node_a"`
	Op        string        `json:"op"`
	OpA       string        `json:"op_a"`
	Value     string        `json:"value"` // name in A
	ValueB    string        `json:"value_b"`
	Local     bool          `json:"local"`
	Inputs    []InputReport `json:"inputs"`
	Error     *Error        `json:"error"`
	Judgement string        `json:"judgement"`
	Reason    string        `json:"reason"`
	Tolerance *tolerance    `json:"tolerance"`
	Index     []int64       `json:"index"` // index of the worst element
	WorstA    string        `json:"worst_a"`
	WorstB    string        `json:"worst_b"`
	Source    string        `json:"source"`
	Region    []string      `json:"region"`   // nodes of B
	RegionA   []string      `json:"region_a"` // nodes of A
	// Begins is set if a NaN or an infinity appears here on one side although the inputs are
	// finite.
	Begins bool `json:"begins_nan_or_inf"`

	of Judgement
}

type tolerance struct {
	RTol tensor.Number `json:"rtol"`
	ATol tensor.Number `json:"atol"`
}

// InputReport is a value from which the first divergence is computed.
type InputReport struct {
	A string `json:"a"`
	B string `json:"b"`
	// Op is the operator that computes the value. It is empty for an input of the model.
	Op          string `json:"op"`
	Accumulated *Error `json:"accumulated"` // nil for an input of the model
}

// Report returns the result as a report. name is the name of the case of inputs.
func (r *Result) Report(name string) *Report {
	out := &Report{Case: name, Layers: []LayerReport{}, Segments: r.Segments, Notes: r.Notes}
	out.Mapping = Mapping{Names: r.Map.Names, By: map[string]int{}, Judgement: map[string]int{}, OnlyA: r.OnlyA, OnlyB: r.OnlyB}
	for _, l := range r.Layers {
		out.Layers = append(out.Layers, r.row(l))
		out.Mapping.By[string(l.Pair.How)]++
		out.Mapping.Judgement[string(l.Judgement)]++
		if l.EqualInputs {
			out.Mapping.EqualInputs++
		}
	}
	if r.First != nil {
		out.First = r.first()
	}
	return out
}

func (r *Result) row(l Layer) LayerReport {
	return LayerReport{
		A: l.A, B: l.B, How: string(l.Pair.How), Node: Label(r.B, l.NodeB), NodeA: Label(r.A, l.NodeA), Op: r.op(l), OpA: r.opA(l),
		Type: l.Type.String(), Shape: l.Type.Shape, Judgement: string(l.Judgement), Quantizes: l.Quantizes, EqualInputs: l.EqualInputs,
		Local: errorOf(l.Local), Accumulated: errorOf(l.Accumulated), Reason: l.Reason, AccumulatedReason: l.AccumulatedReason,
	}
}

// op returns the operator that computes a layer in B, or else in A.
func (r *Result) op(l Layer) string {
	switch {
	case l.NodeB >= 0:
		return r.B.Graph().Nodes()[l.NodeB].OpType()
	case l.NodeA >= 0:
		return r.A.Graph().Nodes()[l.NodeA].OpType()
	}
	return ""
}

// opA returns the operator that computes a layer in A, or else in B.
func (r *Result) opA(l Layer) string {
	if l.NodeA >= 0 {
		return r.A.Graph().Nodes()[l.NodeA].OpType()
	}
	return r.op(l)
}

// Operators returns the operator of a layer. If A and B have different ones, it returns both, such as
// "LeakyRelu → Relu".
func (l *LayerReport) Operators() string { return opsText(l.OpA, l.Op) }

// opsText returns the operators of A and B as text that is safe to print.
func opsText(a, b string) string {
	if a == b || a == "" {
		return text.Clean(b)
	}
	return text.Clean(a) + " → " + text.Clean(b)
}

// Label returns a node's name. If the node has none, it returns the position, such as #12. It
// returns "" if node is -1.
func Label(m *graphops.Model, node int) string {
	switch {
	case node < 0:
		return ""
	case m.Graph().Nodes()[node].Name() != "":
		return m.Graph().Nodes()[node].Name()
	}
	return "#" + strconv.Itoa(node)
}

func errorOf(m *tensor.Metrics) *Error {
	if m == nil {
		return nil
	}
	return &Error{
		MaxAbs: tensor.Number(m.MaxAbs), MaxRel: tensor.Number(m.MaxRel), MeanAbs: tensor.Number(m.MeanAbs), RMS: tensor.Number(m.RMS),
		Cosine: tensor.Number(m.Cosine), SNR: tensor.Number(m.SNR), Mismatched: m.Mismatched, Total: m.Total, NaN: m.NaN, Inf: m.Inf,
	}
}

func (r *Result) first() *FirstReport {
	d := r.First
	l := r.Layers[d.Layer]
	f := &FirstReport{
		Node: Label(r.B, l.NodeB), NodeA: Label(r.A, l.NodeA), Op: r.op(l), OpA: r.opA(l), Value: l.A, ValueB: l.B, Local: d.Local, Inputs: []InputReport{},
		Error: errorOf(l.Local), Judgement: string(l.Judgement), Reason: l.Reason, Source: d.Source, Begins: d.Begins, of: l.Judgement,
		Region: labels(r.B, l.RegionB), RegionA: labels(r.A, l.RegionA),
	}
	if l.Local != nil && !l.Quantizes {
		f.Tolerance = &tolerance{tensor.Number(l.Tolerance.RTol), tensor.Number(l.Tolerance.ATol)}
	}
	if l.Local != nil && l.Local.Worst != nil {
		w := l.Local.Worst
		f.Index, f.WorstA, f.WorstB = w.Index, w.TextA, w.TextB
		if w.TextA == w.TextB {
			f.WorstA, f.WorstB = fmt.Sprintf("%.9g", w.A), fmt.Sprintf("%.9g", w.B)
		}
	}
	for _, in := range d.Inputs {
		from := InputReport{A: in.A, B: in.B}
		if in.Layer >= 0 {
			from.Op, from.Accumulated = r.op(r.Layers[in.Layer]), errorOf(r.Layers[in.Layer].Accumulated)
		}
		f.Inputs = append(f.Inputs, from)
	}
	return f
}

func labels(m *graphops.Model, nodes []int) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = Label(m, n)
	}
	return out
}
