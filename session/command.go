package session

import (
	"fmt"
	"slices"
	"strings"

	"lathe/session/text"
)

// CommandOf returns the command line of a step on a model.
func CommandOf(step Command, model string) string {
	words := []string{"lathe", step.Name()}
	var flags []string
	for _, o := range step.Options() {
		for _, v := range o.Values() {
			switch {
			case o.Operand && (o.Kind == KindPath || o.Kind == KindPaths):
				words = append(words, QuotePath(v))
			case o.Operand:
				words = append(words, Quote(v))
			case o.Kind == KindSwitch:
				flags = append(flags, "--"+o.LongFlag())
			default:
				flags = append(flags, "--"+o.LongFlag()+"="+Quote(v))
			}
		}
	}
	if TakesModel(step) {
		words = append(words, QuotePath(model))
	}
	return strings.Join(append(words, flags...), " ")
}

// TakesModel reports whether a step works on the current model. Steps whose operands are files work
// on those files instead.
func TakesModel(step Command) bool {
	return !slices.ContainsFunc(step.Options(), func(o Option) bool {
		return o.Operand && (o.Kind == KindPath || o.Kind == KindPaths)
	})
}

// QuotePath quotes a path that is given without a flag. A path that begins with "-" would be read
// as a flag, so "./" is put in front of it. "-" alone is standard input and stays.
func QuotePath(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return Quote(path)
}

// Quote quotes a word for a POSIX shell. Characters that cannot be printed are written as
// octal numbers in the form $'…', which bash, zsh and ksh read.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	switch {
	case s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0:
		return s
	case text.CleanLine(s) != s:
		return quoteBytes(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// quoteBytes writes a word in the form $'…', with octal numbers for all bytes that are not
// printable ASCII.
func quoteBytes(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
