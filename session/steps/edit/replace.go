package edit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/proof"
	"lathe/session/runtime"
	"lathe/session/trial"
)

// Replace replaces nodes by one node, and compares the result with the original.
type Replace struct {
	Node     []string
	Op       string
	NodeName string
	operatorOptions
	typing
	NoCompare bool
	on        flags.ProofInputs
	editing
}

// Name implements session.Step.
func (*Replace) Name() string { return "replace" }

// Summary implements session.Step.
func (*Replace) Summary() string {
	return "replace a pattern of nodes by one node, and check the result"
}

// Options implements session.Step.
func (s *Replace) Options() []session.Option {
	data := slices.DeleteFunc(append(s.on.Options(""), s.on.MemoryOption("")), func(o session.Option) bool { return o.Name == "input" })
	return slices.Concat([]session.Option{
		session.List(&s.Node, "node", "replace node `NAME`, or #POSITION; repeat for each node of the pattern").AsRequired().Naming(session.NamesNode, ""),
		session.Text(&s.Op, "op", "the operator `OP` of the new node, such as Gelu or com.microsoft::FastGelu, or a function of the model as DOMAIN::NAME").AsRequired().Naming(session.NamesOperator, ""),
		s.operatorOptions.domain(),
		s.operatorOptions.set(),
		s.operatorOptions.input("an input of the new node").WithDefault("what the pattern reads, in the order of first use"),
		session.Text(&s.NodeName, "name", "call the new node `NAME`").WithDefault("a generated name"),
	}, s.options(), data, s.editing.options())
}

// options returns the options of typing. Here --no-check also leaves out the comparison.
func (s *Replace) options() []session.Option {
	list := s.typing.options()
	list[0] = flags.NoCheckOption(&s.Unchecked, "do not compare the result with the original, nor check that ONNX Runtime accepts it", "unchecked")
	uncompared := session.Switch(&s.NoCompare, "no-compare", "do not compare the result with the original, for a replacement that is meant to compute something else; ONNX Runtime still has to accept it").In(session.GroupResult)
	return append(list, uncompared)
}

// Ahead implements session.Running.
func (s *Replace) Ahead() (need runtime.Need, o runtime.Execution) {
	if !s.Unchecked {
		need = runtime.NeedWorker
	}
	return need, o
}

// Preview implements session.Step. It compares nothing.
func (s *Replace) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit(ctx, env))
}

// Run implements session.Step.
func (s *Replace) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.Saving.CheckTarget(ctx); err != nil {
		return session.Result{}, err
	}
	if err := s.checkOptions(); err != nil {
		return session.Result{}, err
	}
	on, err := s.on.Of(m, s.Out)
	if err != nil {
		return session.Result{}, err
	}
	changed, r, err := s.apply(m, s.edit(ctx, env))
	if err != nil {
		return session.Result{}, err
	}
	var shown *trial.Proof
	if !s.Unchecked && !s.NoCompare {
		same := proof.Pipeline{Original: m, Make: func(context.Context, []string) (*graphops.Model, error) { return changed, nil }}
		if _, shown, err = trial.Sound(ctx, env, on, same); err != nil {
			var no *session.NoError
			if errors.As(err, &no) {
				err = fmt.Errorf("%w; if the replacement is meant to change what the model computes, use --no-compare", err)
			}
			return session.Result{}, session.InModel(m, err)
		}
	}
	file, err := s.Save(ctx, env, changed, trial.StorageFor(m, changed))
	if err != nil {
		return session.Result{}, err
	}
	report := &ReplaceReport{EditReport: editReport(s.Name(), r, file), Proof: shown}
	return session.Result{Model: changed, Report: report, Files: file.Files(), No: shown.IsDoubtful()}, nil
}

// checkOptions returns an error if options choose inputs of a comparison that is left out.
func (s *Replace) checkOptions() error {
	switch {
	case s.Unchecked:
		return s.on.Refuse("--no-check leaves it out")
	case s.NoCompare:
		return s.on.Refuse("--no-compare leaves it out")
	}
	return nil
}

func (s *Replace) edit(ctx context.Context, env session.Env) editFunc {
	return func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		op, err := s.operatorOptions.value(s.Op)
		if err != nil {
			return nil, nil, err
		}
		return edit.Replace(ctx, m, at, edit.ReplaceOptions{Nodes: s.Node, Operator: op, Name: s.NodeName, Typing: s.typing.value(env)})
	}
}

// ReplaceReport is the report of a replacement.
type ReplaceReport struct {
	*EditReport
	// Proof is the result of running both models. It is nil if they were not run.
	Proof *trial.Proof `json:"proof"`
}

// WriteText implements session.Report.
func (r *ReplaceReport) WriteText(w io.Writer) error {
	file := r.File
	r.File = nil
	err := r.EditReport.WriteText(w)
	r.File = file
	r.Proof.WriteText(w)
	r.File.WriteText(w)
	return err
}
