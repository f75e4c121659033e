package measure

import (
	"context"
	"fmt"
	"strings"

	"lathe/session"
	"lathe/session/folders"
	"lathe/session/text"
)

// RunFolder implements session.OfFolder: it runs the model of a folder that has only one.
func (s *RunModel) RunFolder(ctx context.Context, env session.Env, path string) (session.Result, error) {
	if s.OpensElsewhere() {
		return session.Result{}, session.UsageError(fmt.Sprintf("run-model: --on runs a model of another machine, and %s is a folder; give the path of a model file", path))
	}
	f, err := folders.Open(ctx, env, path)
	if err != nil {
		return session.Result{}, err
	}
	if len(f.Members) == 1 && f.Members[0].Err == nil {
		return s.Run(ctx, env, f.Members[0].Model)
	}
	var files []string
	for _, m := range f.Members {
		files = append(files, text.Clean(m.File))
	}
	return session.Result{}, session.UsageError(fmt.Sprintf("run-model: %s has %s; give the path of one of them: %s", text.Clean(path), text.Plural(len(files), "model"), strings.Join(files, ", ")))
}
