package fuzzy

import (
	"slices"
	"strings"
	"unicode"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

// query is a list of words that must all match, anywhere.
type query struct {
	words   []word
	letters uint64 // that a text must contain
}

// word matches either case if it has no upper-case letter, and accented letters if it has no
// accents.
type word struct {
	runes     []rune
	exact     bool // matches only the same case
	normalize bool
}

func parse(s string) query {
	var q query
	for _, f := range strings.Fields(s) {
		w := word{runes: []rune(f)}
		w.exact = slices.ContainsFunc(w.runes, unicode.IsUpper)
		w.normalize = slices.Equal(algo.NormalizeRunes(slices.Clone(w.runes)), w.runes)
		q.words = append(q.words, w)
		for _, r := range w.runes {
			if r < 0x80 {
				q.letters |= letter(byte(r))
			}
		}
	}
	return q
}

// score returns how well a text fits the query; false if it does not match.
func (q *query) score(text *util.Chars, slab *util.Slab) (int, bool) {
	sum := 0
	for _, w := range q.words {
		r, _ := algo.FuzzyMatchV2(w.exact, w.normalize, true, text, w.runes, false, slab)
		if r.Start < 0 {
			return 0, false
		}
		sum += r.Score
	}
	return sum, true
}

// positions returns the rune indexes of the characters of a text that the query matches, in order.
func (q *query) positions(text *util.Chars, slab *util.Slab) []int {
	var out []int
	for _, w := range q.words {
		if _, at := algo.FuzzyMatchV2(w.exact, w.normalize, true, text, w.runes, true, slab); at != nil {
			out = append(out, *at...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
