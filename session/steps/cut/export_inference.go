package cut

import (
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/inference"
	"lathe/session"
	"lathe/session/text"
)

// inferenceReport says how a model in training mode was converted to an inference graph.
type inferenceReport struct {
	Changed        []inferenceChange `json:"changed"`
	DroppedOutputs []string          `json:"dropped_outputs"`
}

// inferenceChange is a node that was removed or changed.
type inferenceChange struct {
	Op    string   `json:"op"`
	Name  string   `json:"name"`
	In    []string `json:"in"`
	Index int      `json:"index"`
	What  string   `json:"what"`
	// Trains reports that the node worked in training mode.
	Trains bool `json:"trains"`
}

// inferenceOption is the option that asks for an inference graph.
func inferenceOption(wanted *bool) session.Option {
	return session.Switch(wanted, "inference", "convert a model in training mode to inference: remove Dropout and let BatchNormalization use its running statistics")
}

// inferring converts a model to an inference graph. It also returns the report of the changes and
// the warnings.
func inferring(m *graphops.Model) (*graphops.Model, *inferenceReport, []string, error) {
	next, r, err := inference.Of(m)
	if err != nil {
		return nil, nil, nil, session.InModel(m, err)
	}
	out := &inferenceReport{Changed: []inferenceChange{}, DroppedOutputs: append([]string{}, r.DroppedOutputs...)}
	for _, c := range r.Changes {
		out.Changed = append(out.Changed, inferenceChange{c.Spec().OpType(), c.Spec().Name(), hops(c.Place), c.Node, c.What, c.Trains})
	}
	return next, out, r.Warnings, nil
}

// trainingWarning warns about a model that is exported in training mode. It is "" for others.
func trainingWarning(m *graphops.Model) string {
	_, r, err := inference.Of(m)
	trains := 1
	if err == nil {
		trains = r.Trains()
	}
	if trains == 0 {
		return ""
	}
	warning := "the model is in training mode, so that results depend on chance or on the other items of a batch; --inference converts it"
	if inference.KeepsParameters(m) {
		warning += "; as it is, it is forward-only input for training artifacts: every parameter is still an initializer"
	}
	return warning
}

// writeText writes a line for each operator and kind of change.
func (r *inferenceReport) writeText(w io.Writer) {
	if len(r.Changed) == 0 {
		fmt.Fprintln(w, "the model is an inference graph already")
		return
	}
	type change struct{ op, what string }
	count := map[change]int{}
	var order []change
	for _, c := range r.Changed {
		k := change{c.Op, c.What}
		if count[k]++; count[k] == 1 {
			order = append(order, k)
		}
	}
	fmt.Fprintf(w, "converts the model to inference, with %s changed\n", text.Plural(len(r.Changed), "node"))
	for _, k := range order {
		fmt.Fprintf(w, "  %s: %s (%s)\n", text.Clean(k.op), k.what, text.Plural(count[k], "node"))
	}
}
