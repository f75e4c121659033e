package inference

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Opsets in which operators changed how they state whether they are in training mode.
const (
	opsetTest  = 7  // earlier, an attribute is_test
	opsetMask  = 10 // earlier, masks are numbers
	opsetMode  = 12 // from here on, Dropout has the input training_mode
	opsetTrain = 14 // from here on, BatchNormalization has the attribute training_mode
)

// Change is a node that was removed or changed.
type Change struct {
	rewrite.Site
	What string
	// Trains reports that the node was in training mode, or that this depends on a value that is
	// only known in a run.
	Trains bool
}

// Report says what was changed in a model.
type Report struct {
	Changes []Change
	// DroppedOutputs are the removed outputs of the model. They were statistics that training
	// updates.
	DroppedOutputs []string
	Warnings       []string
}

// Trains returns how many of the changed nodes were in training mode, or may have been.
func (r *Report) Trains() int {
	count := 0
	for _, c := range r.Changes {
		if c.Trains {
			count++
		}
	}
	return count
}

// Of returns the inference graph of a model. If no node has to change, it returns m itself. If a
// node cannot be part of an inference graph, the error names all such nodes.
func Of(m *graphops.Model) (*graphops.Model, *Report, error) {
	w := &writer{report: &Report{}, dropped: map[string]bool{}}
	if !mayTrain(m) {
		return m, w.report, nil
	}
	graph := rewrite.LoadAsIs(m)
	for _, g := range graph.Graphs() {
		for n := range g.Nodes() {
			w.node(n, g.Opset(graphops.DefaultDomain))
		}
	}
	switch {
	case len(w.unable) > 0:
		return nil, nil, fmt.Errorf("no inference graph can be made: %s", strings.Join(w.unable, "; "))
	case len(w.report.Changes) == 0:
		return m, w.report, nil
	}
	next, err := w.pruned(graph.Store())
	if err != nil {
		return nil, nil, err
	}
	return next, w.report, nil
}

// mayTrain reports whether the model has an operator that differs in training mode.
func mayTrain(m *graphops.Model) bool {
	for n := range m.AllNodes() {
		if n.Is("Dropout") || n.Is("BatchNormalization") {
			return true
		}
	}
	return false
}

// writer is the state of one call of Of.
type writer struct {
	report  *Report
	dropped map[string]bool // outputs of the main graph
	unable  []string
}

// pruned returns the model without the dropped outputs, and without nodes and inputs that no
// remaining output needs.
func (w *writer) pruned(m *graphops.Model) (*graphops.Model, error) {
	var keep []string
	for _, o := range m.Graph().Outputs() {
		if w.dropped[o.Name()] {
			w.report.DroppedOutputs = append(w.report.DroppedOutputs, o.Name())
			w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("output %q is dropped: it was a statistic that training updates", o.Name()))
			continue
		}
		keep = append(keep, o.Name())
	}
	if len(keep) == 0 {
		return nil, fmt.Errorf("no inference graph can be made: all outputs are statistics that training updates")
	}
	next, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: keep})
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, v := range next.Graph().Inputs() {
		left[v.Name()] = true
	}
	for _, v := range m.Graph().Inputs() {
		if id, ok := m.Graph().Index().Value(v.Name()); !left[v.Name()] && ok && !m.Graph().Index().IsInitializer(id) {
			w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("input %q is dropped: nothing reads it for inference", v.Name()))
		}
	}
	return next, nil
}

// node rewrites a node. version is that of the standard operators, 0 if they are not imported.
func (w *writer) node(n *rewrite.Node, version int64) {
	if version == 0 || n.Domain() != graphops.DefaultDomain {
		return
	}
	switch n.Op() {
	case "Dropout":
		w.dropout(n, version)
	case "BatchNormalization":
		w.normalization(n, version)
	}
}

func (w *writer) changed(n *rewrite.Node, trains bool, what string) {
	w.report.Changes = append(w.report.Changes, Change{n.Origin(), what, trains})
}

// cannot records that a node cannot be part of an inference graph, with the reason, which follows
// the node's name in the error.
func (w *writer) cannot(n *rewrite.Node, format string, args ...any) {
	w.unable = append(w.unable, n.Origin().String()+" "+fmt.Sprintf(format, args...))
}

// replace lets all readers of an output of n read another value. If it is an output of the graph,
// an Identity, inserted before the node before, produces it from that value.
func replace(n, before *rewrite.Node, v, with *rewrite.Value) bool {
	switch {
	case !v.IsUsed():
		return true
	case !v.IsOutput():
		return v.ReplaceWith(with)
	}
	insert(n, before, "Identity", v, v.Name(), with)
	return true
}

// insert inserts a node that produces out. Its name consists of base and the operator.
func insert(n, before *rewrite.Node, op string, out *rewrite.Value, base string, in *rewrite.Value, attributes ...*graphops.Attribute) {
	n.Graph().Insert(before, rewrite.Spec{
		Op: op, Name: base + "_" + op, Inputs: []*rewrite.Value{in}, Outputs: []*rewrite.Value{out}, Attributes: attributes, For: []*rewrite.Node{n},
	})
}

func (w *writer) dropout(n *rewrite.Node, version int64) {
	x, mask := n.In(0), n.Out(1)
	switch {
	case x == nil || n.Out(0) == nil && mask == nil:
		return
	case len(n.Outputs()) > 2:
		w.cannot(n, "has %d outputs, expected at most 2", len(n.Outputs()))
		return
	case mask.IsUsed() && version < opsetMask:
		w.cannot(n, "has a mask %q that is read, but masks have a defined meaning only from opset %d on", mask.Name(), opsetMask)
		return
	case !replace(n, n, n.Out(0), x):
		w.cannot(n, "needs its own result")
		return
	}
	what := "is removed"
	if mask.IsUsed() {
		what = "is removed, and its mask is true everywhere"
		allTrue(n, x, mask)
	}
	w.changed(n, drops(n, version), what)
	n.Remove()
}

// allTrue inserts nodes that produce mask, which has the shape of x and is true everywhere.
func allTrue(n *rewrite.Node, x, mask *rewrite.Value) {
	sizes := n.Graph().NewValue(mask.Name()+"_shape", shape.Type{})
	one := graphops.NewTensorOf("", tensor.FromSlice([]bool{true}, 1))
	insert(n, n, "Shape", sizes, mask.Name(), x)
	insert(n, n, "ConstantOfShape", mask, mask.Name(), sizes, graphops.TensorAttribute("value", one))
}

// drops reports whether a Dropout is in training mode, or may be because that is only known in a
// run.
func drops(n *rewrite.Node, version int64) bool {
	switch {
	case version < opsetTest:
		return n.Int("is_test", 0) == 0
	case version < opsetMode || n.In(2) == nil:
		return false
	}
	mode, ok := n.In(2).Ints()
	return !ok || len(mode) != 1 || mode[0] != 0
}

func (w *writer) normalization(n *rewrite.Node, version int64) {
	outputs := n.Outputs()
	more := slices.ContainsFunc(outputs[min(1, len(outputs)):], func(v *rewrite.Value) bool { return v != nil })
	trains := usesBatch(n, version, more)
	if !trains && !more || !w.hasStatistics(n) {
		return
	}
	n.DropAttributes("training_mode", "is_test")
	if version < opsetTest {
		n.SetAttribute(graphops.IntAttribute("is_test", 1))
	}
	after := n.Next()
	for i := 1; i < min(3, len(outputs)); i++ {
		if v := outputs[i]; v.IsUsed() {
			if v.IsOutput() && n.Graph().IsMain() {
				w.dropped[v.Name()] = true
			}
			replace(n, after, v, n.In(i+2)) // the statistic before the update
		}
	}
	n.LeaveOutFrom(1)
	w.changed(n, trains, "normalizes by its running statistics")
}

// usesBatch reports whether a BatchNormalization is in training mode, or may be because the
// function's call decides. more says whether it has several outputs.
func usesBatch(n *rewrite.Node, version int64, more bool) bool {
	switch mode, stated := n.Attribute("training_mode"); {
	case version >= opsetTrain:
		return stated && (mode.Int() != 0 || mode.RefName() != "")
	case version >= opsetTest:
		return more
	}
	return n.Int("is_test", 0) == 0
}

// hasStatistics reports whether the running statistics can replace those of the batch. If not, it
// records the reason.
func (w *writer) hasStatistics(n *rewrite.Node) bool {
	in, outputs := n.Inputs(), n.Outputs()
	batch := outputs[min(3, len(outputs)):]
	used := slices.IndexFunc(batch, (*rewrite.Value).IsUsed)
	switch {
	case len(in) != 5:
		w.cannot(n, "has %d inputs, expected 5", len(in))
	case slices.Contains(in, nil):
		w.cannot(n, "omits one of its inputs")
	case used >= 0:
		w.cannot(n, "makes %q, which is a statistic of the batch and is read", batch[used].Name())
	default:
		return true
	}
	return false
}
