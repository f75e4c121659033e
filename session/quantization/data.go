package quantization

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/inputs"
)

// errNotPreviewed is the error of a preview that would run the user's command.
var errNotPreviewed = errors.New("a preview does not run the command of --data-command; run the step, or give its output with --data")

// withPrinted runs --data-command and returns the step with the printed data in a temporary folder.
// The returned function removes the folder.
func (s *Quantization) withPrinted(ctx context.Context, env session.Env, m *graphops.Model) (*Quantization, func(), error) {
	if s.DataCommand == "" {
		return s, func() {}, nil
	}
	if s.Data != "" {
		return nil, nil, session.UsageError("--data-command prints the data, which --data has; give one of them")
	}
	folder, err := os.MkdirTemp("", "lathe-data-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(folder) } // at worst a temporary folder stays behind
	open := slices.DeleteFunc(graphops.NamedTypes(m.Graph().FeedInputs()), func(t graphops.NamedType) bool {
		return slices.ContainsFunc(s.Input, func(said string) bool { return strings.HasPrefix(said, t.Name+"=") })
	})
	c := inputs.Command{Line: s.DataCommand, Types: open, Progress: func(n, _ int64) {
		env.Progress(session.Progress{Phase: "reading what the command prints", Done: n, Unit: "B"})
	}}
	draft := *s
	if draft.Data, err = c.Run(ctx, folder); err != nil {
		remove()
		return nil, nil, err
	}
	return &draft, remove, nil
}
