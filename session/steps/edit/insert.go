package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/tensor"
	"lathe/session"
)

// Insert inserts an operator after values.
type Insert struct {
	On     []string
	Around []string
	Op     string
	To     string
	At     string
	operatorOptions
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
	return "insert an operator after values, or Casts around nodes"
}

// The operators that are inserted most often have names of their own.
const (
	insertIdentity = "identity"
	insertCast     = "cast"
)

// Options implements session.Step.
func (s *Insert) Options() []session.Option {
	return slices.Concat([]session.Option{
		session.List(&s.On, "value", "insert after value `NAME`; repeat for several").Naming(session.NamesValue, ""),
		session.List(&s.Around, "around", "cast the inputs of node `NAME`, or #POSITION, and cast its outputs back; repeat for several; values that pass between these nodes are not cast").Naming(session.NamesNode, ""),
		session.Text(&s.Op, "op", "insert this `OP`: identity, cast, or an operator such as LeakyRelu or com.microsoft::FastGelu, or a function of the model as DOMAIN::NAME").Naming(session.NamesOperator, "").WithDefault("cast with --to or --around"),
		session.Text(&s.To, "to", "cast to this element `TYPE`: f32, f16, bf16, i64 …").WithDefault("no cast"),
		s.operatorOptions.domain(),
		s.operatorOptions.set(),
		s.operatorOptions.input("another input of the operator"),
		session.Text(&s.At, "at", "the value becomes this `INPUT` of the operator, by name or position").WithDefault("the first that --input does not give").Naming(session.NamesOperand, ""),
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
		o := edit.InsertOptions{On: s.On, Around: s.Around, Name: s.NodeName, Before: s.Before, AtOutput: s.AtOutput, At: s.At, Typing: s.typing.value(env)}
		err := s.what(&o)
		if err == nil {
			err = s.where()
		}
		if err != nil {
			return nil, nil, err
		}
		return edit.Insert(ctx, m, at, o)
	}
}

// what sets what is inserted.
func (s *Insert) what(o *edit.InsertOptions) (err error) {
	if s.isOperator() {
		if s.To != "" {
			return session.UsageError("insert: --to goes with --op cast; give attributes with --set")
		}
		o.Operator, err = s.operatorOptions.value(s.Op)
		return err
	}
	if len(s.Set)+len(s.Input) > 0 || s.At != "" || s.Domain != "" {
		return session.UsageError("insert: --set, --input, --at and --domain go with an operator of the schema, such as --op LeakyRelu")
	}
	o.To, err = s.elem()
	return err
}

// isOperator reports whether the operator is neither the Cast nor the Identity that have names of
// their own.
func (s *Insert) isOperator() bool {
	op := s.op()
	return op != "" && op != insertIdentity && op != insertCast
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
	if s.Op == "Identity" || s.Op == "Cast" && len(s.Set) == 0 {
		return strings.ToLower(s.Op)
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
