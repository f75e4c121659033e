package check

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// eitherPads requires that a convolution specifies its padding in only one way.
func eitherPads(n settings, _ int64) string {
	auto, _ := n.text("auto_pad", "")
	if pads, _ := n.ints("pads"); len(pads) == 0 || auto == "" || auto == "NOTSET" {
		return ""
	}
	return fmt.Sprintf("auto_pad is %q, and pads is set as well, expected only one of them", auto)
}

// patternFault checks an RE2 expression. Package syntax has the same syntax except for \C.
func patternFault(n settings, _ int64) string {
	p, known := n.text("pattern", "")
	switch {
	case !n.has("pattern"):
		return `attribute "pattern" is missing, and the kernel needs it`
	case !known || strings.Contains(p, `\C`):
		return ""
	}
	var wrong *syntax.Error
	if _, err := syntax.Parse(p, syntax.Perl); errors.As(err, &wrong) {
		return fmt.Sprintf("pattern %q: %s at %q", p, wrong.Code, wrong.Expr)
	}
	return ""
}

func ngramSizesFault(n settings, _ int64) string {
	least, okLeast := n.number("min_ngram_size", 1)
	most, okMost := n.number("max_ngram_size", 3)
	if f := n.atLeast(1, "min_ngram_size", 1); f != "" {
		return f
	}
	if okLeast && okMost && least > most {
		return fmt.Sprintf("min_ngram_size is %d, but max_ngram_size is %d, expected at least min_ngram_size", least, most)
	}
	return ""
}

// eitherList requires exactly one of two lists.
func eitherList(names ...string) func(settings, int64) string {
	return func(n settings, _ int64) string { return n.oneOf(names...) }
}

// filled requires lists that are not empty.
func filled(names ...string) func(settings, int64) string {
	return func(n settings, _ int64) string { return n.empty(names...) }
}
