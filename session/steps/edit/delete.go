package edit

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
	return "remove nodes, and optionally what depends on them or only they read"
}

// Options implements session.Step.
func (s *Delete) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.Node, "node", "delete node `NAME`, or #POSITION; repeat for several").AsRequired().Naming(session.NamesNode, ""),
		session.Switch(&s.Downstream, "downstream", "also delete everything that depends on them, graph outputs included"),
		session.Switch(&s.Unused, "unused", "also delete nodes and initializers that nothing reads afterwards"),
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
