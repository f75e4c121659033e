package sensitivity

import (
	"os"
	"path/filepath"

	"lathe/session"
)

// keepRanges lets mode static find the ranges of activations once for all nodes, if they are not in a
// file of the user. undo removes the file with them.
func (m *meter) keepRanges(env session.Env) (undo func(), err error) {
	if m.mode.Mode != "static" || m.mode.Ranges != "" {
		return func() {}, nil
	}
	env.Progress(session.Progress{Phase: "finding the ranges of activations"})
	folder, err := os.MkdirTemp("", "lathe-ranges-")
	if err != nil {
		return nil, err
	}
	m.mode.Ranges = filepath.Join(folder, "ranges.json")
	return func() { _ = os.RemoveAll(folder) }, nil // at worst a temporary folder stays behind
}
