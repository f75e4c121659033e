package steps

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Bypass lets readers of a node's output read its input.
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
	return "take nodes out and let what read their output read their input"
}

// Options implements session.Step.
func (s *Bypass) Options() []session.Option {
	return slices.Concat([]session.Option{
		session.List(&s.Node, "node", "bypass node `NAME`, or #POSITION; repeat for several, such as a chain").AsRequired().Naming(session.NamesNode, ""),
		session.List(&s.Through, "through", "of several data inputs, the value `INPUT` stands in for the output").Naming(session.NamesValue, ""),
		session.List(&s.Output, "output", "of several outputs, the value `OUTPUT` is the one that the input stands in for").Naming(session.NamesValue, ""),
		session.Switch(&s.ForceType, "force-type", "even if readers get another element type"),
		session.Switch(&s.Unused, "unused", "delete nodes and initializers too that feed nothing then"),
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
