package failure

import (
	"regexp"
	"slices"
	"strings"
)

// raised is a failure that is looked up.
type raised struct {
	raw   Raw
	stage string
	all   string // everything that was said; of what is long, the ends
	at    *Frame // the user's, nil where none is known
	about string // what an entry says that it is about
}

// entry is a failure that is known.
type entry struct {
	id string
	// matches tells whether a failure is this one, and what it is about.
	matches func(r raised) (about string, ok bool)
	// line makes of the message what says most, where that is not how it begins; "" for a message
	// that it cannot read. It is nil for most.
	line    func(message string) string
	meaning string
	next    func(r raised) []Suggestion
}

// catalogue has the failures in the order in which they are looked for: the environment first,
// then the example, operators, code, and what is a defect of the exporter.
var catalogue = slices.Concat(ofEnvironment, ofLoading, ofAxes, ofOperators, ofCode, ofExporter, ofEnding)

// says matches what any message says, by the first of the patterns that finds something; the
// first group that holds something is what it is about.
func says(patterns ...string) func(raised) (string, bool) {
	var list []*regexp.Regexp
	for _, p := range patterns {
		list = append(list, regexp.MustCompile(p))
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

// isAt matches what failed at a stage, whatever it says.
func isAt(stage string) func(raised) (string, bool) {
	return func(r raised) (string, bool) { return "", r.stage == stage }
}

// endsBy matches a child that ended without a word, in one of these ways.
func endsBy(ways ...string) func(raised) (string, bool) {
	return func(r raised) (string, bool) {
		return "", r.stage == "killed" && slices.ContainsFunc(ways, func(way string) bool { return strings.Contains(r.raw.Signal, way) })
	}
}

// always suggests the same, whatever it is about.
func always(list ...Suggestion) func(raised) []Suggestion {
	return func(raised) []Suggestion { return slices.Clone(list) }
}

func code(text string) Suggestion                   { return Suggestion{Kind: "code", Text: text} }
func install(text string) Suggestion                { return Suggestion{Kind: "install", Text: text} }
func flags(text string, flags ...string) Suggestion { return Suggestion{"flags", text, flags} }
