package guide

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// How well an entry matches what was typed, the best first.
const (
	tierName   = iota // it is the name, or another word for it
	tierPrefix        // the name or another word begins with it
	tierTitle         // the help begins with it
	tierOption        // it is the name of an option
	tierWords         // each typed word begins a word of the name or of the other words
	tierHelp          // each typed word begins a word of the help
	tierInside        // the help contains it, in the middle of a word
	tierNone
)

// fillers are words that say nothing about the action that a person means.
var fillers = []string{"a", "an", "the", "this", "my", "of", "to", "in", "on", "for", "as", "with", "how", "do", "i", "is", "it", "what", "me", "show", "see", "view", "list", "get", "all"}

// minInside is the number of letters from which the middle of a word counts. Two letters are in
// almost every text.
const minInside = 3

// index has what is searched of each entry, in lower case.
type index struct {
	entries []Entry
	names   [][]string // the name first, then the other words
	help    []string
}

func newIndex(entries []Entry) *index {
	x := &index{entries: entries}
	for i := range entries {
		e := &entries[i]
		x.names = append(x.names, append([]string{e.called()}, words()[e.Name]...))
		x.help = append(x.help, strings.ToLower(e.says()))
	}
	return x
}

// find returns the entries that match, the best first: by how well they match, then what is possible
// before what is not, then what was used last. Weak matches are left out. With nothing typed, it
// returns everything in order, what was used last first. used has the names of actions, the latest
// last.
func (x *index) find(typed string, used []string) []int {
	typed = normal(typed)
	tiers := x.tiers(typed)
	for _, other := range []func(string) []int{x.misspelled, x.partly} {
		if !slices.ContainsFunc(tiers, func(t int) bool { return t < tierNone }) {
			tiers = other(typed)
		}
	}
	var out []int
	for i, tier := range tiers {
		if tier < tierNone {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		a, b := &x.entries[i], &x.entries[j]
		if typed == "" {
			return cmp.Compare(slices.Index(used, string(b.Name)), slices.Index(used, string(a.Name)))
		}
		return cmp.Or(cmp.Compare(tiers[i], tiers[j]), boolCompare(a.Refusal != "", b.Refusal != ""), boolCompare(isOfPane(a, typed), isOfPane(b, typed)),
			cmp.Compare(slices.Index(used, string(b.Name)), slices.Index(used, string(a.Name))))
	})
	return out
}

// isOfPane reports whether an entry of a pane matches only by the name that settings give it, such as "open".
// What the main screen calls so is meant.
func isOfPane(e *Entry, typed string) bool {
	return e.Where != "" && e.called() == typed && !strings.Contains(strings.ToLower(e.says()), typed)
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// tiers says for each entry how well it matches.
func (x *index) tiers(typed string) []int {
	out := make([]int, len(x.entries))
	for i := range x.entries {
		out[i] = x.tier(i, typed)
	}
	return out
}

func (x *index) tier(i int, typed string) int {
	names, wanted := x.names[i], wantedOf(typed)
	switch {
	case x.entries[i].Option != "":
		return optionTier(names, typed)
	case typed == "" || slices.Contains(names, typed):
		return tierName
	case slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, typed) }):
		return tierPrefix
	case strings.HasPrefix(x.help[i], typed) && len(typed) >= minInside:
		return tierTitle
	case len(wanted) == 0:
		return tierNone
	case begin(wanted, wordsOf(strings.Join(names, " "))):
		return tierWords
	case begin(wanted, wordsOf(x.help[i])):
		return tierHelp
	case len(typed) >= minInside && strings.Contains(x.help[i], typed):
		return tierInside
	}
	return tierNone
}

// optionTier says how well an option matches. The list of everything has no options.
func optionTier(names []string, typed string) int {
	switch {
	case slices.Contains(names[1:], typed):
		return tierName
	case names[0] == typed:
		return tierOption
	case len(typed) > minInside && strings.HasPrefix(names[0], typed):
		return tierWords
	}
	return tierNone
}

// begin reports whether each wanted word begins one of the words.
func begin(wanted, words []string) bool {
	for _, w := range wanted {
		if !slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, w) }) {
			return false
		}
	}
	return true
}

// misspelled returns the tiers for a text that matches nothing as it is. Entries whose name or other
// words differ from it in one letter match.
func (x *index) misspelled(typed string) []int {
	out := make([]int, len(x.entries))
	for i, names := range x.names {
		out[i] = tierNone
		if len(typed) >= minInside && slices.ContainsFunc(names, func(n string) bool { return isSlip(typed, n) }) {
			out[i] = tierName
		}
	}
	return out
}

// partly returns the tiers for a text of several words if no entry has all of them. The entries that have
// the rarest of them in their name and other words match.
func (x *index) partly(typed string) []int {
	points := make([]float64, len(x.entries))
	wanted := slices.DeleteFunc(wantedOf(typed), func(w string) bool { return len(w) < minInside })
	for _, w := range wanted {
		var having []int
		for i, names := range x.names {
			if x.entries[i].Option != "" {
				names = names[1:]
			}
			if begin([]string{w}, wordsOf(strings.Join(names, " "))) {
				having = append(having, i)
			}
		}
		for _, i := range having {
			points[i] += 1 / float64(len(having))
		}
	}
	most := slices.Max(points)
	out := make([]int, len(points))
	for i, n := range points {
		if out[i] = tierNone; n == most && n > 0 && len(wanted) > 1 {
			out[i] = tierWords
		}
	}
	return out
}

// isSlip reports whether two texts differ in one letter: one is missing, added or wrong, or two
// neighbours are exchanged.
func isSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// wantedOf returns the words of a typed text that say something, in the singular.
func wantedOf(typed string) []string {
	words := wordsOf(typed)
	said := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(fillers, w) })
	if len(said) == 0 {
		said = words
	}
	for i, w := range said {
		if len(w) > minInside+1 && !strings.HasSuffix(w, "ss") {
			said[i] = strings.TrimSuffix(w, "s")
		}
	}
	return said
}

// wordsOf returns the words of a text in lower case.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// isName reports whether a text is the name of an entry or another word for it.
func (x *index) isName(typed string) bool {
	typed = normal(typed)
	return slices.ContainsFunc(x.names, func(names []string) bool { return slices.Contains(names, typed) })
}

// isTitle reports whether a text of several words is the beginning of the help of an entry.
func (x *index) isTitle(typed string) bool {
	typed = normal(typed)
	return strings.Contains(typed, " ") && slices.ContainsFunc(x.help, func(h string) bool { return strings.HasPrefix(h, typed) })
}

// normal returns what was typed in lower case, with single blanks.
func normal(typed string) string { return strings.ToLower(strings.Join(strings.Fields(typed), " ")) }

// withWord returns the entry that a text names with its first word, and the rest of the text. It
// returns -1 if there is no such entry, or if nothing can be added to it.
func (x *index) withWord(typed string) (i int, word string) {
	first, rest, ok := strings.Cut(strings.TrimLeft(typed, " "), " ")
	if rest = strings.TrimSpace(rest); !ok || rest == "" {
		return -1, ""
	}
	first = strings.ToLower(first)
	i = slices.IndexFunc(x.names, func(names []string) bool { return slices.Contains(names, first) })
	for ; i >= 0 && i < len(x.entries); i++ {
		e := &x.entries[i]
		if e.TakesWord() && slices.Contains(x.names[i], first) && (len(first) == 1 || e.Accepts(rest)) {
			return i, rest // a command of one letter, such as :w, takes every word
		}
	}
	return -1, ""
}
