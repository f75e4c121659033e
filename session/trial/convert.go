package trial

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/opset"
	"lathe/session"
	"lathe/session/text"
)

// Conversion is a model that was converted to another version of the standard operators.
type Conversion struct {
	Model *graphops.Model
	*opset.Report
	Warnings []string
	// Unrunnable says why ONNX Runtime cannot run the model, or "".
	Unrunnable string
}

// Convert converts a model to a later version of the standard operators, and to the version of the
// file format that belongs to it. A result that a version of ONNX Runtime cannot run is not an
// error; an empty version is the newest known one.
func Convert(ctx context.Context, m *graphops.Model, to int64, runtime string) (*Conversion, error) {
	raised, r, err := opset.Raise(ctx, m, to)
	if err != nil {
		return nil, session.InModel(m, err)
	}
	if r.From != r.To {
		raised = raised.AtLeastIR(opset.FormatOf(to))
	}
	c := &Conversion{Model: raised, Report: r, Warnings: r.Warnings}
	if newest := check.NewestOpset(runtime); to > newest {
		c.Unrunnable = fmt.Sprintf("opset %d is newer than %d, the newest that ONNX Runtime supports", to, newest)
		c.Warnings = append(c.Warnings, c.Unrunnable)
		return c, nil
	}
	missing, err := unimplemented(ctx, raised, runtime)
	if len(missing) > 0 {
		c.Unrunnable = fmt.Sprintf("ONNX Runtime cannot run the result: it has no kernel in opset %d", to)
		c.Warnings = append(c.Warnings, missing...)
	}
	return c, err
}

// missingKernel is the code of the check for operators that ONNX Runtime does not implement.
const missingKernel = "kernel-missing"

// unimplemented returns the nodes for which ONNX Runtime has no kernel, one line for each operator.
// A later version of an operator may not be implemented yet.
func unimplemented(ctx context.Context, m *graphops.Model, runtime string) ([]string, error) {
	problems, err := check.Model(ctx, m, check.Options{Runtime: runtime, Only: []string{missingKernel}})
	if err != nil {
		return nil, err
	}
	var out []string
	count, first := map[string]int{}, map[string]check.Problem{}
	var order []string
	for _, p := range problems {
		if p.Code != missingKernel {
			continue
		}
		op := p.Place.Graph.Nodes()[p.Node].OpType()
		if count[op]++; count[op] == 1 {
			first[op] = p
			order = append(order, op)
		}
	}
	for _, op := range order {
		line := fmt.Sprintf("%s: %s", first[op].Where(), first[op].Message)
		if more := count[op] - 1; more > 0 {
			line += fmt.Sprintf("; the same for %s of the operator", text.Plural(more, "other node"))
		}
		out = append(out, line)
	}
	return out, nil
}
