package session

import (
	"slices"
	"strings"
)

// CommandOf writes a step on a model as a person would type it.
func CommandOf(step Step, model string) string {
	words := []string{"lathe", step.Name()}
	var flags []string
	for _, o := range step.Options() {
		for _, v := range o.Values() {
			switch {
			case o.Operand:
				words = append(words, Quote(v))
			case o.Kind == KindSwitch:
				flags = append(flags, "--"+o.Name)
			default:
				flags = append(flags, "--"+o.Name+"="+Quote(v))
			}
		}
	}
	if TakesModel(step) {
		words = append(words, Quote(model))
	}
	return strings.Join(append(words, flags...), " ")
}

// TakesModel reports whether a step works on the current model. One whose
// operands are files works on those.
func TakesModel(step Step) bool {
	return !slices.ContainsFunc(step.Options(), func(o Option) bool {
		return o.Operand && (o.Kind == KindPath || o.Kind == KindPaths)
	})
}

// Quote writes a word as a POSIX shell reads it back.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
