package edit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/text"
	"lathe/session/trial"
)

// The modes of Constants.
const (
	toInitializers = "to-initializers"
	toNodes        = "to-nodes"
	toInputs       = "to-inputs"
	fromInputs     = "from-inputs"
)

// Constants moves constants between nodes, initializers and inputs.
type Constants struct {
	Mode     string
	Value    []string
	Optional bool
	Values   string   // file in which removed values are saved
	Data     string   // file with values for inputs
	Set      []string // values of inputs, each as NAME=VALUE
	// Unchecked skips the check that the runtime accepts the result.
	Unchecked bool
	editing
}

// Name implements session.Step.
func (*Constants) Name() string { return "constants" }

// Summary implements session.Step.
func (*Constants) Summary() string {
	return "move constants between Constant nodes, initializers and inputs"
}

// Options implements session.Step.
func (s *Constants) Options() []session.Option {
	return append([]session.Option{
		session.Choice(&s.Mode, "mode", "which constants move, and where to", toInitializers, toNodes, toInputs, fromInputs).AsOperand().AsRequired(),
		session.List(&s.Value, "value", "move only constant or input `NAME`; repeat for several").WithDefault("all that can be moved").Naming(session.NamesValue, ""),
		session.Switch(&s.Optional, "optional", "with "+toInputs+": keep the initializers as default values of their inputs"),
		session.Path(&s.Values, "save", "with "+toInputs+": save the removed values to this `NPZ` file").OfFiles(".npz").WithDefault("not saved").AsTarget(),
		session.Path(&s.Data, "data", "with "+fromInputs+": take values from this .npz or .npy `FILE` or folder").OfFiles(".npz", ".npy").WithDefault("the default values of optional inputs"),
		session.List(&s.Set, "set", "with "+fromInputs+": set an input to a value: `NAME=VALUE`, VALUE a number, true, false, or a tensor such as i64[2]{1,2}; repeat for several").WithDefault("the values of --data").Naming(session.NamesInput, "="),
		flags.NoCheckOption(&s.Unchecked, "with "+toInputs+": do not check that ONNX Runtime accepts the result", "unchecked"),
	}, s.editing.options()...)
}

// Preview implements session.Step.
func (s *Constants) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	if err := s.check(); err != nil {
		return session.Preview{}, err
	}
	p, err := s.preview(s.Name(), m, func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		next, r, _, err := s.edit(ctx, env, m, at)
		return next, r, err
	})
	if err != nil {
		return p, err
	}
	p.Report = &constantsReport{EditReport: *p.Report.(*EditReport)}
	return p, nil
}

// Run implements session.Step.
func (s *Constants) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.check(); err != nil {
		return session.Result{}, err
	}
	if err := s.checkTargets(m); err != nil {
		return session.Result{}, err
	}
	saved := ""
	r, err := s.run(ctx, env, s.Name(), m, func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		next, r, gone, err := s.edit(ctx, env, m, at)
		if err == nil && s.Values != "" && len(gone) > 0 {
			if err = saveTensors(ctx, env, s.Values, s.Force, gone); err == nil {
				saved = s.Values
			}
		}
		return next, r, err
	})
	if err != nil {
		if saved != "" && !s.Force { // without --force, no file was there before
			err = errors.Join(err, os.Remove(saved))
		}
		return r, err
	}
	r.Report = &constantsReport{EditReport: *r.Report.(*EditReport), Saved: saved}
	if saved != "" {
		r.Files = append(r.Files, saved)
	}
	return r, nil
}

// check returns an error for options that belong to another mode.
func (s *Constants) check() error {
	for _, o := range []struct {
		given      bool
		flag, mode string
	}{
		{s.Optional, "optional", toInputs},
		{s.Values != "", "save", toInputs},
		{s.Data != "", "data", fromInputs},
		{len(s.Set) > 0, "set", fromInputs},
		{s.Unchecked, flags.NoCheckName, toInputs},
	} {
		if o.given && s.Mode != o.mode {
			return session.UsageError(fmt.Sprintf("--%s goes with constants %s, not with %s", o.flag, o.mode, s.Mode))
		}
	}
	switch {
	case s.Optional && s.Values != "":
		return session.UsageError("--save and --optional exclude each other: defaults stay in the model")
	case s.Values == "-":
		return session.UsageError("--save -: arrays cannot be written to standard output; name a file")
	case s.Values != "" && s.Values == s.Out:
		return session.UsageError("--save and --out name the same file")
	}
	return nil
}

// checkTargets returns an error if a file to be written is one that is read.
func (s *Constants) checkTargets(m *graphops.Model) error {
	if s.Values != "" {
		if err := graphops.RefuseSources(m, s.Values); err != nil {
			return err
		}
	}
	return (&flags.Feeding{Data: s.Data}).RefuseTarget(s.Out)
}

// edit makes the change of the selected mode. gone are the constants whose values the result does
// not contain any more.
func (s *Constants) edit(ctx context.Context, env session.Env, m *graphops.Model, at *graphops.Place) (next *graphops.Model, r *edit.Report, gone []*graphops.Tensor, err error) {
	switch s.Mode {
	case toInitializers:
		next, r, err = edit.ConstantsToInitializers(m, at, s.Value)
	case toNodes:
		next, r, err = edit.InitializersToConstants(m, at, s.Value)
	case toInputs:
		next, r, gone, err = edit.InitializersToInputs(m, at, edit.InputOptions{Values: s.Value, Optional: s.Optional})
		if err == nil && !s.Unchecked {
			err = edit.Confirm(ctx, trial.Typer{Env: env}, m, next, r)
		}
		if err == nil {
			r.Warnings = append(r.Warnings, s.warnGone(gone)...)
		}
	default:
		next, r, err = s.fix(m, at)
	}
	return next, r, gone, err
}

// constantsReport says which constants were moved.
type constantsReport struct {
	EditReport
	// Saved is the file with the values that were removed.
	Saved string `json:"saved,omitempty"`
}

// WriteText implements session.Report.
func (r *constantsReport) WriteText(w io.Writer) error {
	if err := r.EditReport.WriteText(w); err != nil {
		return err
	}
	if r.Saved != "" {
		fmt.Fprintf(w, "wrote %s\n", text.Clean(r.Saved))
	}
	return nil
}
