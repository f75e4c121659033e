package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/tensor"
	"lathe/session"
)

// Insert inserts a Cast or an Identity after values.
type Insert struct {
	On       []string
	Around   []string
	Op       string
	To       string
	NodeName string
	Before   []string
	AtOutput bool
	typing
	editing
}

// Name implements session.Step.
func (*Insert) Name() string { return "insert" }

// Summary implements session.Step.
func (*Insert) Summary() string {
	return "insert a Cast or an Identity after values, or Casts around nodes"
}

// The operators that can be inserted.
const (
	insertIdentity = "identity"
	insertCast     = "cast"
)

// Options implements session.Step.
func (s *Insert) Options() []session.Option {
	return slices.Concat([]session.Option{
		session.List(&s.On, "value", "insert after value `NAME`; repeat for several").Naming(session.NamesValue, ""),
		session.List(&s.Around, "around", "cast the inputs of node `NAME`, or #POSITION, and cast its outputs back; repeat for several; values that pass between these nodes are not cast").Naming(session.NamesNode, ""),
		session.Choice(&s.Op, "op", "insert this `OP`", insertIdentity, insertCast).WithDefault("cast with --to or --around"),
		session.Text(&s.To, "to", "cast to this element `TYPE`: f32, f16, bf16, i64 …").WithDefault("no cast"),
		session.Text(&s.NodeName, "name", "call the new node `NAME`").WithDefault("a generated name"),
		session.List(&s.Before, "before", "let only node `NAME`, or #POSITION, read the new value; repeat for several").WithDefault("all readers").Naming(session.NamesNode, ""),
		session.Switch(&s.AtOutput, "at-output", "change only the graph output; with --before, also those nodes"),
	}, s.typing.options(), s.editing.options())
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
		if err == nil {
			err = s.where()
		}
		if err != nil {
			return nil, nil, err
		}
		o := edit.InsertOptions{On: s.On, Around: s.Around, To: to, Name: s.NodeName, Before: s.Before, AtOutput: s.AtOutput, Typing: s.typing.value(env)}
		return edit.Insert(ctx, m, at, o)
	}
}

// where returns an error if the options do not say where to insert.
func (s *Insert) where() error {
	switch {
	case len(s.On) == 0 && len(s.Around) == 0:
		return session.UsageError("insert: give --value NAME or --around NODE")
	case len(s.Around) == 0:
		return nil
	case len(s.On) > 0 || len(s.Before) > 0 || s.AtOutput || s.NodeName != "":
		return session.UsageError("insert: --around cannot be combined with --value, --before, --at-output or --name")
	case s.op() != insertCast:
		return session.UsageError("insert: --around goes with --op cast")
	default:
		return nil
	}
}

// op returns the operator to insert, if it is given or follows from other options.
func (s *Insert) op() string {
	if s.Op == "" && (s.To != "" || len(s.Around) > 0) {
		return insertCast
	}
	return s.Op
}

// elem returns the type that a cast converts to. It is undefined for an identity.
func (s *Insert) elem() (tensor.DType, error) {
	switch {
	case s.op() == "":
		return 0, session.UsageError("insert: give --op identity or a cast with --to TYPE")
	case s.op() == insertIdentity && s.To == "":
		return tensor.Undefined, nil
	case s.op() == insertIdentity:
		return 0, session.UsageError("insert: --to goes with --op cast: an identity keeps the type")
	case s.To == "":
		return 0, session.UsageError("insert: a cast needs --to TYPE, such as f32 or f16")
	}
	d, err := tensor.ParseDType(s.To)
	if err != nil {
		return 0, session.UsageError(fmt.Sprintf("insert: --to: %v", err))
	}
	return d, nil
}
