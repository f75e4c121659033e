package sizing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What a message names at most.
const (
	maxSymbols = 4 // free symbols
	maxTried   = 4 // attempts
	maxDemands = 3 // demands that contradict each other
	maxCore    = 64
)

// Err says that no sizes fit: which node refused and what it wanted, and what Tried says.
func (q *Search) Err() error {
	last := q.rejected
	if n := len(q.Attempts); n > 0 && q.Attempts[n-1].Refusal != nil {
		last = *q.Attempts[n-1].Refusal
	}
	if last.Words == "" {
		return errors.New(q.Tried())
	}
	return fmt.Errorf("%s; %s", last, q.Tried())
}

// Tried says for which symbols no sizes fit, which demands of the nodes contradict each other,
// which sizes were proposed, and what to do.
func (q *Search) Tried() string {
	free := q.Free()
	said := "no sizes fit"
	if len(free) > 0 {
		said = "no sizes of " + firstOf(free, maxSymbols, ", ") + " fit"
	}
	if conflict := q.conflict(); conflict != "" {
		said += ", since " + conflict
	}
	if len(q.Attempts) > 0 && len(free) > 0 {
		said += "; tried " + q.attempted()
	}
	name := "SYMBOL"
	if len(free) > 0 {
		name = free[0]
	}
	return fmt.Sprintf("%s; give others with --dim %s=N, or values with --input or --data", said, name)
}

// firstOf joins the first texts of a list, and says how many more there are.
func firstOf(list []string, most int, separator string) string {
	if len(list) <= most {
		return strings.Join(list, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], separator), len(list)-most)
}

// attempted lists the sizes that were proposed, of the symbols that had several.
func (q *Search) attempted() string {
	varied := slices.DeleteFunc(q.Free(), func(name string) bool {
		return !slices.ContainsFunc(q.Attempts, func(a Attempt) bool { return a.Sizes[name] != q.Attempts[0].Sizes[name] })
	})
	if len(varied) == 0 {
		varied = q.Free()
	}
	varied = varied[:min(len(varied), maxSymbols)]
	tried := make([]string, 0, len(q.Attempts))
	for _, a := range q.Attempts {
		sizes := make([]string, len(varied))
		for i, name := range varied {
			sizes[i] = fmt.Sprintf("%s=%d", name, a.Sizes[name])
		}
		if len(varied) == 1 && len(tried) > 0 {
			sizes[0] = fmt.Sprint(a.Sizes[varied[0]])
		}
		tried = append(tried, strings.Join(sizes, " "))
	}
	return firstOf(slices.Compact(tried), maxTried, ", ")
}

// conflict is what the nodes demand if no sizes satisfy it, "" otherwise.
func (q *Search) conflict() string {
	if q.level <= needed {
		return ""
	}
	var demands []string
	for _, c := range q.core() {
		demands = append(demands, fmt.Sprintf("%s (%s)", c, c.Source()))
	}
	return strings.Join(demands[:min(len(demands), maxDemands)], ", and ")
}

// core are demands that cannot be satisfied together, and could be without any of them. It is
// looked for among the first ones.
func (q *Search) core() []*Condition {
	var list []*Condition
	for _, c := range slices.Concat(q.asked, q.system.Conditions) {
		if c.weight >= needed && !q.isGiven(c) && len(list) < maxCore {
			list = append(list, c)
		}
	}
	if q.fits(list) {
		return nil
	}
	for i := 0; i < len(list); {
		if without := slices.Delete(slices.Clone(list), i, i+1); q.fits(without) {
			i++
		} else {
			list = without
		}
	}
	return list
}

// fits reports whether there are sizes that satisfy conditions.
func (q *Search) fits(list []*Condition) bool {
	v := solver{targets: q.targets(all(1)), order: q.system.order()}
	for _, c := range list {
		v.constraints = append(v.constraints, c)
	}
	return v.solve()
}
