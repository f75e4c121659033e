package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Annotate declares types of values.
type Annotate struct {
	Value []string
	Clear []string
	Infer bool
	typing
	editing
}

// Name implements session.Step.
func (*Annotate) Name() string { return "annotate" }

// Summary implements session.Step.
func (*Annotate) Summary() string { return "declare types and shapes of values" }

// Options implements session.Step.
func (s *Annotate) Options() []session.Option {
	return slices.Concat([]session.Option{
		session.List(&s.Value, "value", "declare the type of a value, input or output: `NAME=TYPE`, such as x=f32[batch,3,?], x=f32 for any rank, x=i64[] for a scalar, x=seq(f32[n]); repeat for several").Naming(session.NamesValue, "="),
		session.List(&s.Clear, "remove", "remove the declared type of value `NAME`; repeat for several").Naming(session.NamesValue, "").Formerly("clear"),
		session.Switch(&s.Infer, "infer", "declare the inferred types and shapes of all values that nodes make"),
	}, s.typing.options(), s.editing.options())
}

// Preview implements session.Step.
func (s *Annotate) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit(ctx, env))
}

// Run implements session.Step.
func (s *Annotate) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit(ctx, env))
}

func (s *Annotate) edit(ctx context.Context, env session.Env) editFunc {
	return func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		o := edit.AnnotateOptions{Clear: s.Clear, Infer: s.Infer, Typing: s.typing.value(env)}
		for _, text := range s.Value {
			v, err := valueType(text)
			if err != nil {
				return nil, nil, session.UsageError(fmt.Sprintf("--value %q: %v", text, err))
			}
			o.Types = append(o.Types, v)
		}
		if len(o.Types)+len(o.Clear) == 0 && !o.Infer {
			return nil, nil, session.UsageError("annotate: give --value NAME=TYPE, --remove NAME or --infer")
		}
		return edit.Annotate(ctx, m, at, o)
	}
}

// valueType reads "NAME=TYPE". Both sides may contain "=". It splits at the last "=" whose right
// side is a valid type.
func valueType(s string) (edit.ValueType, error) {
	first := errors.New("expected NAME=TYPE, such as x=f32[batch,3]")
	for i := strings.LastIndex(s, "="); i > 0; i = strings.LastIndex(s[:i], "=") {
		t, err := graphops.ParseType(s[i+1:])
		if err == nil {
			return edit.ValueType{Name: s[:i], Type: t}, nil
		}
		first = err
	}
	return edit.ValueType{}, first
}
