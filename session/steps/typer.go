package steps

import (
	"context"

	"lathe/graphops"
	"lathe/session"
)

// typer asks the runtime for the types of values. It reports that as progress, because a worker has
// to load the model.
type typer struct{ env session.Env }

// Types implements graphops.Typer.
func (t typer) Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	t.env.Progress(session.Progress{Phase: "asking the runtime for types"})
	return t.env.Runtime.Types(ctx, m, names)
}
