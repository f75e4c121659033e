package edit

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/session"
)

// Rename changes names of values and nodes.
type Rename struct {
	Value []string
	Node  []string
	editing
}

// Name implements session.Step.
func (*Rename) Name() string { return "rename" }

// Summary implements session.Step.
func (*Rename) Summary() string { return "rename inputs, outputs, other values and nodes" }

// Options implements session.Step.
func (s *Rename) Options() []session.Option {
	return append([]session.Option{
		session.List(&s.Value, "value", "rename a value, input or output wherever it is used: `OLD=NEW`; repeat for several").Naming(session.NamesValue, "="),
		session.List(&s.Node, "node", "rename a node: `OLD=NEW`, OLD may be #POSITION; repeat for several").Naming(session.NamesNode, "="),
	}, s.editing.options()...)
}

// Preview implements session.Step.
func (s *Rename) Preview(_ context.Context, _ session.Env, m *graphops.Model) (session.Preview, error) {
	return s.preview(s.Name(), m, s.edit)
}

// Run implements session.Step.
func (s *Rename) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return s.run(ctx, env, s.Name(), m, s.edit)
}

func (s *Rename) edit(m *graphops.Model, at *graphops.Place) (*graphops.Model, *edit.Report, error) {
	var o edit.RenameOptions
	for _, list := range []struct {
		flag   string
		values []string
		into   *[]edit.Rename
	}{{"value", s.Value, &o.Values}, {"node", s.Node, &o.Nodes}} {
		for _, v := range list.values {
			from, to, err := pair(list.flag, v)
			if err != nil {
				return nil, nil, err
			}
			*list.into = append(*list.into, edit.Rename{From: from, To: to})
		}
	}
	if len(o.Values)+len(o.Nodes) == 0 {
		return nil, nil, session.UsageError("rename: give --value OLD=NEW or --node OLD=NEW")
	}
	return edit.Names(m, at, o)
}
