package edit

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Bypass removes nodes and connects their readers to their inputs.
type Bypass struct {
	Node      []string
	Through   []string
	Output    []string
	ForceType bool
	Unused    bool
	typing
	editing
}

// Name implements session.Step.
func (*Bypass) Name() string { return "bypass" }

// Summary implements session.Step.
func (*Bypass) Summary() string {
	return "remove nodes and connect their readers to their inputs"
}

// Options implements session.Step.
func (s *Bypass) Options() []session.Option {
	return slices.Concat([]session.Option{
		session.List(&s.Node, "node", "bypass node `NAME`, or #POSITION; repeat for several, such as a chain").AsRequired().Naming(session.NamesNode, ""),
		session.List(&s.Through, "through", "if the node has several data inputs: connect its readers to `INPUT`").Naming(session.NamesValue, ""),
		session.List(&s.Output, "output", "if the node has several outputs: replace `OUTPUT`").Naming(session.NamesValue, ""),
		session.Switch(&s.ForceType, "force-type", "bypass the node even if its readers then get another element type"),
		session.Switch(&s.Unused, "unused", "also delete nodes and initializers that nothing reads afterwards"),
	}, s.typing.options(), s.editing.options())
}

// Preview implements session.Step.
func (s *Bypass) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit(ctx, env))
}

// Run implements session.Step.
func (s *Bypass) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit(ctx, env))
}

func (s *Bypass) edit(ctx context.Context, env session.Env) editFunc {
	o := edit.BypassOptions{Nodes: s.Node, Through: s.Through, Outputs: s.Output, ForceType: s.ForceType, Unused: s.Unused, Typing: s.typing.value(env)}
	return func(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
		return edit.Bypass(ctx, m, at, o)
	}
}
