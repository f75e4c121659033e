package sizing

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number is a whole number in a message; what belongs to a name or a longer number is none.
var number = regexp.MustCompile(`(?:^|[^\w./-])(\d{1,7})(?:$|[^\w.])`)

// hintsOf are targets that the words of a refusal suggest: "got 1 expected 16" names a
// size that a symbol has, and others that it may need.
func (q *Search) hintsOf(r Refusal, sizes []int64) [][]target {
	var numbers []int64
	if wants.MatchString(r.Words) {
		numbers = numbersIn(r.Words)
	}
	concerned := q.concerned(r)
	out := q.demandedIn(r.Words, concerned, sizes)
	for _, is := range numbers {
		for _, wanted := range numbers {
			if is == wanted || wanted == 0 {
				continue
			}
			targets := q.near(sizes)
			changed := false
			for _, s := range concerned {
				if sizes[s] == is {
					targets[s].size, changed = wanted, true
				}
			}
			if changed {
				out = append(out, targets)
			}
		}
	}
	return out[:min(len(out), maxHints)]
}

// maxHints is how many targets a refusal may suggest: the proposals are few.
const maxHints = 2

// wants are the words of a message that names what it found and what it wanted.
var wants = regexp.MustCompile(`(?i)expect|should|must|at least|require|need`)

// must is a demand in words, as "batch_size must be 1".
var must = regexp.MustCompile(`(\w+) (?:must|should|has to) be (\d{1,7})\b`)

// demandedIn are targets at what a message says that symbols must be, by their name or kind.
func (q *Search) demandedIn(words string, concerned []int, sizes []int64) [][]target {
	var out [][]target
	for _, m := range must.FindAllStringSubmatch(words, -1) {
		wanted, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			continue
		}
		targets, changed := q.near(sizes), false
		for _, s := range concerned {
			symbol := q.system.Symbols[s]
			if (symbol.Name == m[1] || kindByName(strings.ToLower(m[1])) == symbol.Kind && symbol.Kind != Other) && sizes[s] != wanted {
				targets[s].size, changed = wanted, true
			}
		}
		if changed {
			out = append(out, targets)
		}
	}
	return out
}

// near are targets at sizes that were proposed.
func (q *Search) near(sizes []int64) []target {
	out := q.targets(all(0))
	for i, n := range sizes {
		out[i].size = n
	}
	return out
}

// maxNumbers is how many numbers of a message are looked at.
const maxNumbers = 4

// numbersIn are the different numbers of a text.
func numbersIn(text string) []int64 {
	var out []int64
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && !slices.Contains(out, n) && len(out) < maxNumbers {
			out = append(out, n)
		}
	}
	return out
}
