package steps

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/tensor"
	"lathe/session"
)

// Insert puts a Cast or an Identity behind values.
type Insert struct {
	On       []string
	Op       string
	To       string
	NodeName string
	Before   []string
	AtOutput bool
	editing
}

// Name implements session.Step.
func (*Insert) Name() string { return "insert" }

// Summary implements session.Step.
func (*Insert) Summary() string { return "put a Cast or an Identity behind a value" }

// The operators that can be inserted.
const (
	insertIdentity = "identity"
	insertCast     = "cast"
)

// Options implements session.Step.
func (s *Insert) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.On, "on", "insert behind `VALUE`; repeat for several").AsRequired(),
		session.Choice(&s.Op, "op", "what to insert: `OP` is identity or cast", insertIdentity, insertCast).AsRequired(),
		session.Text(&s.To, "to", "the element `TYPE` that a cast makes: f32, f16, bf16, i64 …"),
		session.Text(&s.NodeName, "name", "`NAME` of the new node; without it one is made up"),
		session.List(&s.Before, "before", "only node `NAME`, or #POSITION, reads the new value; repeat for several; without it all readers do"),
		session.Switch(&s.AtOutput, "at-output", "only the output of the graph is the new value; with --before, those nodes read it too"),
	}, s.editing.options()...)
}

// Preview implements session.Step.
func (s *Insert) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit(ctx, env))
}

// Run implements session.Step.
func (s *Insert) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit(ctx, env))
}

func (s *Insert) edit(ctx context.Context, env session.Env) editFunc {
	return func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		to, err := s.elem()
		if err != nil {
			return nil, nil, err
		}
		o := edit.InsertOptions{On: s.On, To: to, Name: s.NodeName, Before: s.Before, AtOutput: s.AtOutput}
		return edit.Insert(ctx, m, at, o, typer{env})
	}
}

// elem is the type that a cast makes, undefined for an identity.
func (s *Insert) elem() (tensor.DType, error) {
	switch {
	case s.Op == insertIdentity && s.To == "":
		return tensor.Undefined, nil
	case s.Op == insertIdentity:
		return 0, session.UsageError("insert: --to goes with --op cast: an identity keeps the type")
	case s.To == "":
		return 0, session.UsageError("insert: --op cast needs --to TYPE, as f32 or f16")
	}
	d, err := tensor.ParseDType(s.To)
	if err != nil {
		return 0, session.UsageError(fmt.Sprintf("insert: --to: %v", err))
	}
	return d, nil
}
