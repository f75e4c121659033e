package look

import (
	"context"

	"lathe/session"
	"lathe/session/folders"
)

// RunFolder implements session.OfFolder: it shows the models of a folder and the wires between them.
func (s *Inspect) RunFolder(ctx context.Context, env session.Env, path string) (session.Result, error) {
	if err := folders.Refused(s, path); err != nil {
		return session.Result{}, err
	}
	f, err := folders.Open(ctx, env, path)
	if err != nil {
		return session.Result{}, err
	}
	r, err := folders.Describe(ctx, f)
	return session.Result{Report: r}, err
}
