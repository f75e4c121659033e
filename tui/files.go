package tui

import (
	"cmp"
	"path/filepath"
	"strings"

	"lathe/graphops"
	"lathe/session"
)

// path returns the file that contains a model. If there is none, it returns the file that was
// opened.
func (ws *workspace) path(m *graphops.Model) string {
	return cmp.Or(ws.session.FileOf(m), ws.o.Path)
}

// outputName returns a file name in the working folder. It consists of the name of the current
// model and a suffix that says what was done. The same suffix is not added twice.
func outputName(ws *workspace, suffix string) string {
	base := filepath.Base(ws.path(ws.model()))
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	return strings.TrimSuffix(stem, "."+suffix) + "." + suffix + ".onnx"
}

// quantizePrefix starts the names of the steps that quantize.
const quantizePrefix = "quantize "

func isQuantize(step string) bool { return strings.HasPrefix(step, quantizePrefix) }

// quantizedSuffix returns the suffix for the name of the file that a step writes: the type of
// weights, or the mode.
func quantizedSuffix(s session.Step) string {
	if o, ok := optionNamed(s, "weight-type"); ok {
		return cmp.Or(strings.Join(o.Values(), ""), o.Default)
	}
	return strings.TrimPrefix(s.Name(), quantizePrefix)
}
