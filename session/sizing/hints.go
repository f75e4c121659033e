package sizing

import (
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/pattern"
)

// number matches a whole number in a message. A number that is part of a name or of a longer number
// does not count.
var number = pattern.New(`(?:^|[^\w./-])(\d{1,7})(?:$|[^\w.])`)

// hintsOf returns targets that the runtime's message suggests. For example, "got 1 expected 16"
// suggests giving the size 16 to a symbol that has the size 1. Because messages have many forms,
// any two numbers of a message are tried in both roles.
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

// maxHints is the largest number of targets that one message may suggest, because a search makes
// only a few proposals.
const maxHints = 2

// wants matches messages that say what was found and what was expected.
var wants = pattern.New(`(?i)expect|should|must|at least|require|need`)

// must matches a demand in words, such as "batch_size must be 1".
var must = pattern.New(`(\w+) (?:must|should|has to) be (\d{1,7})\b`)

// demandedIn returns targets for the symbols of which the message says what size they must have.
// The message may use a symbol's name, or a word for its kind.
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
			if (symbol.Name == m[1] || kindByName(strings.ToLower(m[1])) == symbol.Kind && symbol.Kind != kindOther) && sizes[s] != wanted {
				targets[s].size, changed = wanted, true
			}
		}
		if changed {
			out = append(out, targets)
		}
	}
	return out
}

// near returns targets at the sizes that were proposed.
func (q *Search) near(sizes []int64) []target {
	out := q.targets(all(0))
	for i, n := range sizes {
		out[i].size = n
	}
	return out
}

// maxNumbers is how many different numbers of a message are examined.
const maxNumbers = 4

// numbersIn returns the first different numbers of a text.
func numbersIn(text string) []int64 {
	var out []int64
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && !slices.Contains(out, n) && len(out) < maxNumbers {
			out = append(out, n)
		}
	}
	return out
}
