package workspace

import (
	"cmp"
	"path/filepath"
	"strings"

	"lathe/graphops"
	"lathe/session"
)

// path returns the file that contains a model. If there is none, it returns the file that was
// opened.
func (ws *Workspace) path(m *graphops.Model) string {
	return cmp.Or(ws.Session.FileOf(m), ws.Options.Path)
}

// OutputName returns a file name in the working folder. It consists of the name of the current
// model and a suffix that says what was done. The same suffix is not added twice.
func OutputName(ws *Workspace, suffix string) string {
	base := filepath.Base(ws.path(ws.Model()))
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	return strings.TrimSuffix(stem, "."+suffix) + "." + suffix + ".onnx"
}

// QuantizePrefix starts the names of the steps that quantize.
const QuantizePrefix = "quantize "

// IsQuantize reports whether a step lowers the precision of weights.
func IsQuantize(step string) bool { return strings.HasPrefix(step, QuantizePrefix) }

// QuantizedSuffix returns the suffix for the name of the file that a step writes: the type of
// weights, or the mode.
func QuantizedSuffix(s session.Step) string {
	if o, ok := OptionNamed(s, "weight-type"); ok {
		return cmp.Or(strings.Join(o.Values(), ""), o.Default)
	}
	return strings.TrimPrefix(s.Name(), QuantizePrefix)
}
