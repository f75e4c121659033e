package look

import (
	"context"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/session"
)

// Count says how many nodes a model has.
type Count struct{}

// Name implements session.Step.
func (*Count) Name() string { return "count" }

// Summary implements session.Step.
func (*Count) Summary() string { return "say how many nodes a model has" }

// Options implements session.Step.
func (*Count) Options() []session.Option { return nil }

// Preview implements session.Step.
func (s *Count) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	return session.Preview{Report: nodeCount{len(m.Graph().Nodes())}}, nil
}

// Run implements session.Step.
func (s *Count) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	return session.Result{Report: nodeCount{len(m.Graph().Nodes())}}, nil
}

type nodeCount struct {
	Nodes int `json:"nodes"`
}

// WriteText implements session.Report.
func (n nodeCount) WriteText(w io.Writer) error {
	_, err := fmt.Fprintln(w, n.Nodes, "nodes")
	return err
}
