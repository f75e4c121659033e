package cut

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/filling"
	"lathe/session/proof"
	"lathe/session/text"
	"lathe/session/trial"
)

// opsetReport says how a model was converted to a later version of the standard operators.
type opsetReport struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// IRVersion is the version of the file format (ir_version) of the result.
	IRVersion int64          `json:"ir_version"`
	Functions int            `json:"functions"`
	Adapted   []opsetAdapted `json:"adapted"`
	// Proof is what running both models showed. It is nil if they were not run.
	Proof *trial.Proof `json:"proof,omitempty"`

	original *graphops.Model
	// unrunnable is the reason why ONNX Runtime cannot run the result. It is "" if it can, as far
	// as is known.
	unrunnable string
}

// opsetAdapted is a node that was rewritten from one version to the next.
type opsetAdapted struct {
	Op    string   `json:"op"`
	Name  string   `json:"name"`
	In    []string `json:"in"`
	Index int      `json:"index"`
	Opset int64    `json:"opset"`
	What  string   `json:"what"`
}

// exportChanges has the reports of what an export changed in the graph. Each is nil if the export
// was not asked for that change.
type exportChanges struct {
	Inference *inferenceReport `json:"inference,omitempty"`
	Opset     *opsetReport     `json:"opset,omitempty"`
	Filled    *filling.Report  `json:"filled,omitempty"`
}

// writeText writes the changes. fits is how many tensors of a file it lists.
func (c exportChanges) writeText(w io.Writer, fits int) {
	if c.Filled != nil {
		c.Filled.Print(text.NewPrinter(w), fits)
	}
	if c.Inference != nil {
		c.Inference.writeText(w)
	}
	if c.Opset != nil {
		c.Opset.writeText(w)
	}
}

// carried converts the exported model to inference and to another opset, if these options are set.
// It returns the reports of both, and adds their warnings to those of the pruning.
func (s *Export) carried(ctx context.Context, env session.Env, m *graphops.Model, p *graphops.Pruning) (*graphops.Model, exportChanges, error) {
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
		c, err := trial.Convert(ctx, m, s.Opset, env.RuntimeVersion(ctx))
		if err != nil {
			return nil, done, err
		}
		done.Opset = newOpsetReport(m, c)
		m = c.Model
		p.Warnings = append(p.Warnings, c.Warnings...)
	}
	return m, done, nil
}

// opsetOption is the option --opset.
func opsetOption(to *int64) session.Option {
	return session.Int(to, "opset", "convert the model to version `N` of the standard operators, and check that the result computes the same", 1).WithDefault("unchanged")
}

// newOpsetReport describes the conversion of a model.
func newOpsetReport(m *graphops.Model, c *trial.Conversion) *opsetReport {
	out := &opsetReport{From: c.From, To: c.To, IRVersion: c.Model.IRVersion(), Functions: c.Functions, Adapted: []opsetAdapted{}, original: m, unrunnable: c.Unrunnable}
	for _, a := range c.Adapted {
		out.Adapted = append(out.Adapted, opsetAdapted{a.Spec().OpType(), a.Spec().Name(), hops(a.Place), a.Node, a.Since, a.What})
	}
	return out
}

// prove runs the converted model and the original. A difference is an error.
func (r *opsetReport) prove(ctx context.Context, env session.Env, raised *graphops.Model, on trial.Inputs) error {
	switch {
	case r.From == r.To:
		return nil
	case r.unrunnable != "":
		r.Proof = trial.Unprovable("not proved: " + r.unrunnable)
		return nil
	}
	_, shown, err := trial.Sound(ctx, env, on, proof.Pipeline{
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

// isDoubtful reports whether the comparison with the original was requested but could not show that
// the results are the same.
func (r *opsetReport) isDoubtful() bool { return r != nil && r.Proof.IsDoubtful() }

// hops returns the path to a graph or function, or an empty list for the main graph.
func hops(p *graphops.Place) []string {
	return append([]string{}, p.Hops()...)
}

// writeText writes a line for each operator and kind of change.
func (r *opsetReport) writeText(w io.Writer) {
	if r.From == r.To {
		fmt.Fprintf(w, "the model uses opset %d already\n", r.To)
		return
	}
	fmt.Fprintf(w, "converts opset %d to %d, IR version %d, with %s rewritten%s\n", r.From, r.To, r.IRVersion, text.Plural(r.nodes(), "node"), r.Proof.Doubt())
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
	r.Proof.WriteText(w)
}

// nodes returns how many nodes were rewritten.
func (r *opsetReport) nodes() int {
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
