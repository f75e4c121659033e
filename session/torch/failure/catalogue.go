package failure

import (
	"slices"
	"strings"

	"lathe/graphops/pattern"
)

// raised is a failure to look up in the catalogue, with the facts that entries examine.
type raised struct {
	raw   Raw
	stage string
	all   string // all messages; only the ends of long texts
	at    *Frame // the user's frame; nil if not known
	about string // what the failure is about, according to an entry
}

// entry is a known kind of failure: how to recognize it, what it means, and what to try.
type entry struct {
	id string
	// matches reports whether a failure is of this kind, and what it is about.
	matches func(r raised) (about string, ok bool)
	// line extracts the most informative part of the message, if that is not its beginning. It
	// returns "" for a message that it cannot read. It is nil for most entries.
	line    func(message string) string
	meaning string
	next    func(r raised) []Suggestion
}

// catalogue lists the failures in the order in which they are tried: the environment first, then
// the example, operators, code, and defects of the exporter.
var catalogue = slices.Concat(ofEnvironment, ofLoading, ofAxes, ofOperators, ofCode, ofExporter, ofEnding)

// says returns a function that searches all messages of a failure for these patterns, one after the
// other. The first group of a pattern that is not empty is what the failure is about.
func says(patterns ...string) func(raised) (string, bool) {
	var list []*pattern.Pattern
	for _, p := range patterns {
		list = append(list, pattern.New(p))
	}
	return func(r raised) (string, bool) {
		for _, re := range list {
			if m := re.FindStringSubmatch(r.all); m != nil {
				return firstOf(m[1:]), true
			}
		}
		return "", false
	}
}

func firstOf(groups []string) string {
	for _, group := range groups {
		if group != "" {
			return group
		}
	}
	return ""
}

// isAt returns a function that accepts every failure at a stage, whatever its message is.
func isAt(stage string) func(raised) (string, bool) {
	return func(r raised) (string, bool) { return "", r.stage == stage }
}

// endsBy matches a child process that ended without a message. Its signal or exit status must
// contain one of these texts.
func endsBy(ways ...string) func(raised) (string, bool) {
	return func(r raised) (string, bool) {
		return "", r.stage == "killed" && slices.ContainsFunc(ways, func(way string) bool { return strings.Contains(r.raw.Signal, way) })
	}
}

// always returns a function that returns the same suggestions for every failure.
func always(list ...Suggestion) func(raised) []Suggestion {
	return func(raised) []Suggestion { return slices.Clone(list) }
}

func code(text string) Suggestion                   { return Suggestion{Kind: "code", Text: text} }
func install(text string) Suggestion                { return Suggestion{Kind: "install", Text: text} }
func flags(text string, flags ...string) Suggestion { return Suggestion{"flags", text, flags} }
