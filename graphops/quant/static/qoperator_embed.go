package static

import (
	"slices"

	"lathe/graphops"
)

// Positions of the tables and vectors of an EmbedLayerNormalization, and of the further inputs of a
// QEmbedLayerNormalization.
const (
	embedTables  = 2
	embedMask    = 7
	embedEnd     = 8 // of the inputs that both have
	embedScales  = 8
	embedZeros   = 13
	embedInputs  = 18
	embedOutputs = 2 // both are required
)

// embed writes an EmbedLayerNormalization with integer tables.
func (q *operators) embed(n *graphops.Node) (string, error) {
	in := n.Inputs()
	switch {
	case len(n.Outputs()) > embedOutputs:
		return "also outputs the sum of the embeddings", nil
	case len(in) < embedMask:
		return "lacks an input", nil
	case len(in) > embedEnd && slices.ContainsFunc(in[embedEnd:], func(name string) bool { return name != "" }):
		q.report.depart(lostOperand)
		return "reads position ids, which QEmbedLayerNormalization does not support", nil
	case slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool { return a.Name() != "epsilon" }):
		q.report.depart(lostOperand)
		return "has an attribute that QEmbedLayerNormalization does not have", nil
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

// embedOutputs returns the outputs of the quantized operator. The second, which has the lengths of
// the sequences, is required there and gets a name if it has none.
func (q *operators) embedOutputs(outputs []string) []string {
	if len(outputs) == embedOutputs && outputs[1] != "" {
		return outputs
	}
	q.report.depart(missingMaskOutput)
	return []string{outputs[0], q.names.Value(outputs[0] + "_mask_index")}
}
