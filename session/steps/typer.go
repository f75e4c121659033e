package steps

import (
	"context"

	"lathe/graphops"
	"lathe/session"
)

// typer asks the runtime for types. It reports that as progress, because it takes a moment.
type typer struct{ env session.Env }

// Types implements graphops.Typer.
func (t typer) Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	t.env.Progress(session.Progress{Phase: "asking the runtime for types"})
	return t.env.Runtime.Types(ctx, m, names)
}
