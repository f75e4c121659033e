package steps

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Delete removes nodes.
type Delete struct {
	Node       []string
	Downstream bool
	Unused     bool
	editing
}

// Name implements session.Step.
func (*Delete) Name() string { return "delete" }

// Summary implements session.Step.
func (*Delete) Summary() string {
	return "remove nodes, and on request what depends on them or fed only them"
}

// Options implements session.Step.
func (s *Delete) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.Node, "node", "delete node `NAME`, or #POSITION; repeat for several").AsRequired().Naming(session.NamesNode, ""),
		session.Switch(&s.Downstream, "downstream", "delete everything that depends on them too, outputs of the graph included"),
		session.Switch(&s.Unused, "unused", "delete nodes and initializers too that feed nothing then"),
	}, s.editing.options()...)
}

// Preview implements session.Step.
func (s *Delete) Preview(_ context.Context, _ session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit)
}

// Run implements session.Step.
func (s *Delete) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit)
}

func (s *Delete) edit(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
	return edit.Delete(m, at, edit.DeleteOptions{Nodes: s.Node, Downstream: s.Downstream, Unused: s.Unused})
}
