package static

import (
	"slices"

	"lathe/graphops"
)

// Where an EmbedLayerNormalization has its tables and vectors, and what a
// QEmbedLayerNormalization has besides.
const (
	embedTables  = 2
	embedMask    = 7
	embedEnd     = 8 // of the inputs that both have
	embedScales  = 8
	embedZeros   = 13
	embedInputs  = 18
	embedOutputs = 2 // none of which can be left out
)

// embed writes an EmbedLayerNormalization whose tables are integers.
func (q *operators) embed(n *graphops.Node) (string, error) {
	in := n.Inputs()
	switch {
	case len(n.Outputs()) > embedOutputs:
		return "makes the sum of its tables as well", nil
	case len(in) < embedMask:
		return "lacks an input", nil
	case len(in) > embedEnd && slices.ContainsFunc(in[embedEnd:], func(name string) bool { return name != "" }):
		q.report.depart(LostOperand)
		return "reads positions, for which the operator on integers has no place", nil
	case slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool { return a.Name() != "epsilon" }):
		q.report.depart(LostOperand)
		return "has an attribute that the operator on integers has not", nil
	}
	tables := in[embedTables:embedMask]
	if why := q.floats(tables...); why != "" {
		return why, nil
	}
	inputs := append([]string{in[0], in[1]}, make([]string, embedInputs-2)...)
	for i, name := range tables {
		if name == "" {
			continue
		}
		f, err := q.activation(name)
		if err != nil {
			return "", err
		}
		inputs[embedTables+i], inputs[embedScales+i], inputs[embedZeros+i] = f.q, f.scale, f.zero
	}
	if len(in) > embedMask {
		inputs[embedMask] = in[embedMask]
	}
	q.restoreOthers(n, 2, 3, 4, 5, 6)
	outputs := q.embedOutputs(n.Outputs())
	q.write(n, "QEmbedLayerNormalization", contrib, inputs, outputs, nil)
	for _, name := range outputs {
		q.there[name] = true
	}
	return "", nil
}

// embedOutputs are the outputs of the operator on integers: the second, which tells how
// long sequences are, gets a name where it has none.
func (q *operators) embedOutputs(outputs []string) []string {
	if len(outputs) == embedOutputs && outputs[1] != "" {
		return outputs
	}
	q.report.depart(MissingMaskOutput)
	return []string{outputs[0], q.names.Value(outputs[0] + "_mask_index")}
}
