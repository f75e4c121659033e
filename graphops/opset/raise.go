package opset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
)

// Report says what a conversion did.
type Report struct {
	From, To int64
	// Adapted lists the nodes that adapters rewrote, in graph order. A node that was rewritten in
	// several steps is listed once for each of them.
	Adapted []Adapted
	// Functions is the number of functions that were converted. A function is converted from the
	// version that it imports itself.
	Functions int
	// Added reports that constants were added to the main graph, because attributes became inputs.
	Added    bool
	Warnings []string
}

// Adapted is a node that an adapter rewrote in a step.
type Adapted struct {
	rewrite.Site
	Since int64 // the version that changed the operator
	What  string
}

// unableNode is a node that cannot be converted.
type unableNode struct {
	rewrite.Site
	Since int64 // the version of the operator to which it cannot be converted
	Why   string
}

// unableError is the error for a model with nodes that cannot be converted.
type unableError struct {
	From, To int64
	Nodes    []unableNode
}

// Error names all of these nodes with the reasons.
func (e *unableError) Error() string {
	list := make([]string, len(e.Nodes))
	for i, u := range e.Nodes {
		list[i] = fmt.Sprintf("%s: %s", u.Site, u.Why)
	}
	nodes := "1 node has"
	if len(list) > 1 {
		nodes = fmt.Sprintf("%d nodes have", len(list))
	}
	return fmt.Sprintf("the model uses opset %d and cannot be raised to %d: %s no counterpart there: %s; export the model again with a later opset",
		e.From, e.To, nodes, strings.Join(list, "; "))
}

// Raise converts the model to a later version of the standard operators. The nodes keep their
// meaning. If the model has that version already, only functions that import an earlier one are
// converted. If the model has a later version, Raise returns an error. If some nodes cannot be
// converted, the error names them with the reasons.
func Raise(ctx context.Context, m *graphops.Model, to int64) (*graphops.Model, *Report, error) {
	from, ok := m.Opset(graphops.DefaultDomain)
	if !ok {
		return nil, nil, fmt.Errorf("the model imports no version of the standard operators; opset_import must name one")
	}
	switch newest := opschema.Latest(graphops.DefaultDomain); {
	case from < 1:
		return nil, nil, fmt.Errorf("the model uses opset %d, but opsets start at 1", from)
	case to < from:
		return nil, nil, fmt.Errorf("the model uses opset %d, which cannot be lowered to %d; export it again for the lower one", from, to)
	case to > newest:
		return nil, nil, fmt.Errorf("opset %d is not known; the newest one known is %d", to, newest)
	}
	if from == to && !slices.ContainsFunc(m.Functions(), func(f *graphops.Function) bool { return isEarlier(f, to) }) {
		return m, &Report{From: from, To: to}, nil
	}
	graph := rewrite.LoadAsIs(m)
	c := newCarrier(ctx, graph, to)
	for _, g := range graph.Graphs() {
		c.graph(g)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if len(c.unable) > 0 {
		return nil, nil, &unableError{From: from, To: to, Nodes: c.unable}
	}
	c.report.From, c.report.To = from, to
	finished, _ := c.finish().WithoutUnlisted()
	return finished, c.report, nil
}

// isEarlier reports whether a function imports a version of the standard operators below to.
func isEarlier(f *graphops.Function, to int64) bool {
	v, ok := f.Opset(graphops.DefaultDomain)
	return ok && v < to
}

// finish returns the converted model and sets the version that the model and its functions import.
func (c *carrier) finish() *graphops.Model {
	c.m.Import(graphops.DefaultDomain, c.to)
	m := c.m.Store()
	if len(m.Functions()) > 0 {
		e := graphops.Edit(m)
		for i, f := range e.Functions {
			if isEarlier(f, c.to) {
				e.Functions[i] = f.WithOpset(graphops.DefaultDomain, c.to)
			}
		}
		m = e.Model()
	}
	if c.report.Added {
		m = m.AtLeastIR(graphops.OptionalInputsIR)
	}
	return m
}

// formats lists the versions of the file format, each with the first opset of the ONNX release that
// introduced it (onnx.helper.VERSION_TABLE).
var formats = []struct{ opset, version int64 }{
	{1, 3}, {9, 4}, {10, 5}, {11, 6}, {12, 7}, {15, 8}, {19, 9}, {21, 10}, {23, 11}, {24, 12}, {25, 13}, {28, 14},
}

// FormatOf returns the version of the file format in the ONNX release that introduced an opset. A
// program that supports the opset also supports that version.
func FormatOf(opset int64) int64 {
	version := int64(0)
	for _, f := range formats {
		if opset >= f.opset {
			version = f.version
		}
	}
	return version
}

// AtLeast returns the model unchanged if it has the given version or a later one. Otherwise it
// converts it like Raise. added reports whether constants were added, because attributes became
// inputs.
func AtLeast(ctx context.Context, m *graphops.Model, version int64) (raised *graphops.Model, added bool, err error) {
	if from, ok := m.Opset(graphops.DefaultDomain); ok && from >= version {
		return m, false, nil
	}
	raised, r, err := Raise(ctx, m, version)
	if err != nil {
		return nil, false, err
	}
	return raised, r.Added, nil
}
