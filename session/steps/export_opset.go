package steps

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/opschema"
	"lathe/graphops/opset"
	"lathe/session"
	"lathe/session/proof"
	"lathe/session/text"
)

// OpsetReport tells how a model was carried over to a later version of the standard
// operators.
type OpsetReport struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// IRVersion is the version of the file format.
	IRVersion int64          `json:"ir_version"`
	Functions int            `json:"functions"`
	Adapted   []OpsetAdapted `json:"adapted"`
	// Proof is what running both models showed, nil if it was not tried.
	Proof *proofReport `json:"proof,omitempty"`

	original *graphops.Model
	// unrunnable says why ONNX Runtime cannot run the result, "" if it may.
	unrunnable string
}

// OpsetAdapted is a node that was written anew in a step from one version to the next.
type OpsetAdapted struct {
	Op    string   `json:"op"`
	Name  string   `json:"name"`
	In    []string `json:"in"`
	Index int      `json:"index"`
	Opset int64    `json:"opset"`
	What  string   `json:"what"`
}

// exportChanges are what an export did to nodes.
type exportChanges struct {
	Inference *InferenceReport `json:"inference,omitempty"`
	Opset     *OpsetReport     `json:"opset,omitempty"`
	Filled    *FillingReport   `json:"filled,omitempty"`
}

// writeText writes what was done, so many tensors of a file one by one.
func (c exportChanges) writeText(w io.Writer, fits int) {
	if c.Filled != nil {
		c.Filled.write(text.NewPrinter(w), fits)
	}
	if c.Inference != nil {
		c.Inference.writeText(w)
	}
	if c.Opset != nil {
		c.Opset.writeText(w)
	}
}

// carried is what is exported with the changes to nodes that were asked for.
func (s *Export) carried(ctx context.Context, m *graphops.Model, p *graphops.Pruning) (*graphops.Model, exportChanges, error) {
	var done exportChanges
	if s.Inference {
		next, r, warnings, err := inferring(m)
		if err != nil {
			return nil, done, err
		}
		m, done.Inference = next, r
		p.Inputs, p.Outputs = next.Graph().FeedInputs(), next.Graph().Outputs()
		p.Warnings = append(p.Warnings, warnings...)
	} else if warning := trainingWarning(m); warning != "" {
		p.Warnings = append(p.Warnings, warning)
	}
	if s.Opset > 0 {
		raised, r, warnings, err := raisedTo(ctx, m, s.Opset)
		if err != nil {
			return nil, done, err
		}
		m, done.Opset = raised, r
		p.Warnings = append(p.Warnings, warnings...)
	}
	return m, done, nil
}

// opsetOption is the option that names the version.
func opsetOption(to *int64) session.Option {
	return session.Int(to, "opset", "convert the model to version `N` of the standard operators, and check that the result computes the same", 1).WithDefault("unchanged")
}

// raisedTo is the model in a later version of the standard operators, in the version of
// the file format that came with it.
func raisedTo(ctx context.Context, m *graphops.Model, to int64) (*graphops.Model, *OpsetReport, []string, error) {
	raised, r, err := opset.Raise(ctx, m, to)
	if err != nil {
		return nil, nil, nil, about(m, err)
	}
	if r.From != r.To {
		raised = raised.AtLeastIR(opset.FormatOf(to))
	}
	out := &OpsetReport{From: r.From, To: r.To, IRVersion: raised.IRVersion(), Functions: r.Functions, Adapted: []OpsetAdapted{}, original: m}
	for _, a := range r.Adapted {
		out.Adapted = append(out.Adapted, OpsetAdapted{a.Op, a.Name, hops(a.Place), a.Node, a.Since, a.What})
	}
	if newest := opschema.Implemented(graphops.DefaultDomain); to > newest {
		out.unrunnable = fmt.Sprintf("opset %d is newer than %d, the newest that ONNX Runtime supports", to, newest)
		return raised, out, append(r.Warnings, out.unrunnable), nil
	}
	missing, err := unimplemented(ctx, raised)
	if len(missing) > 0 {
		out.unrunnable = fmt.Sprintf("ONNX Runtime cannot run the result: it has no kernel in opset %d", to)
	}
	return raised, out, append(r.Warnings, missing...), err
}

// prove runs the raised model beside the original. What differs is an error.
func (r *OpsetReport) prove(ctx context.Context, env session.Env, raised *graphops.Model, on provedOn) error {
	switch {
	case r.From == r.To:
		return nil
	case r.unrunnable != "":
		r.Proof = unprovedReport("not proved: " + r.unrunnable)
		return nil
	}
	_, shown, err := sound(ctx, env, on, proof.Pipeline{
		Original: r.original,
		Make:     func(context.Context, []string) (*graphops.Model, error) { return raised, nil },
	})
	r.Proof = shown
	var no *session.NoError
	if errors.As(err, &no) {
		return &session.NoError{Err: fmt.Errorf("in opset %d %w; --no-check writes it anyway", r.To, no.Err)}
	}
	return err
}

// isDoubtful reports whether the result was to be proved and is not.
func (r *OpsetReport) isDoubtful() bool { return r != nil && r.Proof.isDoubtful() }

// unimplemented are the nodes of a model that ONNX Runtime has no kernel for, one line for
// each operator: a later version may be one that nobody has implemented yet.
func unimplemented(ctx context.Context, m *graphops.Model) ([]string, error) {
	problems, err := check.Model(ctx, m, check.Options{})
	if err != nil {
		return nil, err
	}
	var out []string
	count, first := map[string]int{}, map[string]check.Problem{}
	var order []string
	for _, p := range problems {
		if p.Code != "kernel-missing" {
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
			line += fmt.Sprintf("; so for %s of the operator", text.Plural(more, "other node"))
		}
		out = append(out, line)
	}
	return out, nil
}

// hops is the way to a place, for a report.
func hops(p *graphops.Place) []string {
	return append([]string{}, p.Hops()...)
}

// writeText writes what was done, one line for each operator and change.
func (r *OpsetReport) writeText(w io.Writer) {
	if r.From == r.To {
		fmt.Fprintf(w, "the model uses opset %d already\n", r.To)
		return
	}
	fmt.Fprintf(w, "converts opset %d to %d, IR version %d, with %s rewritten%s\n", r.From, r.To, r.IRVersion, text.Plural(r.nodes(), "node"), r.Proof.doubt())
	type change struct {
		op, what string
		opset    int64
	}
	count := map[change]int{}
	var order []change
	for _, a := range r.Adapted {
		c := change{a.Op, a.What, a.Opset}
		if count[c]++; count[c] == 1 {
			order = append(order, c)
		}
	}
	for _, c := range order {
		fmt.Fprintf(w, "  %s, opset %d: %s (%s)\n", text.Clean(c.op), c.opset, c.what, text.Plural(count[c], "node"))
	}
	r.Proof.writeText(w)
}

// nodes is how many nodes were written anew.
func (r *OpsetReport) nodes() int {
	type at struct {
		in    string
		index int
	}
	seen := map[at]bool{}
	for _, a := range r.Adapted {
		seen[at{fmt.Sprint(a.In), a.Index}] = true
	}
	return len(seen)
}
