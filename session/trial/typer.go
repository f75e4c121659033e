package trial

import (
	"context"

	"lathe/graphops"
	"lathe/session"
)

// Typer asks the runtime for the types of values. It reports that as progress, because a worker has
// to load the model.
type Typer struct{ Env session.Env }

// Types implements execution.Typer.
func (t Typer) Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	t.Env.Progress(session.Progress{Phase: "asking the runtime for types"})
	return t.Env.Runtime.Types(ctx, m, names)
}
