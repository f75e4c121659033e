package sizing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/shape"
)

// The largest numbers of things that an error message lists, and the largest number of demands that
// are searched for a contradiction.
const (
	maxSymbols = 3 // symbols of free axes
	maxDemands = 3 // demands that contradict each other
	maxCore    = 64
)

// Err returns the error that no sizes fit. It names the node that rejected the last sizes and what
// it required, and then says what Tried says.
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

// Tried returns the text for a search without a result: for which symbols no sizes fit, which
// demands of nodes contradict each other, which sizes were proposed, and what the user can do.
func (q *Search) Tried() string {
	if broken := q.brokenByGiven(); broken != "" {
		return broken
	}
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
	if q.isSame() {
		said += ", always with the same error, so look at the node first"
	}
	name := "SYMBOL"
	if len(free) > 0 {
		name = free[0]
	}
	return fmt.Sprintf("%s; give others with --dim %s=N, or values with --input or --data", said, name)
}

// brokenByGiven says which demand of a node the given sizes do not meet. It is "" if they meet all.
func (q *Search) brokenByGiven() string {
	sizes := make([]int64, len(q.system.Symbols))
	for i, n := range q.fixed {
		sizes[i] = n
	}
	for _, c := range q.system.Conditions {
		if c.weight < needed || !q.isGiven(c) || c.holds(sizes) {
			continue
		}
		var given []string
		for _, i := range c.symbols {
			given = append(given, fmt.Sprintf("%s=%d", q.system.Symbols[i].Name, sizes[i]))
		}
		at := ""
		a, okA := c.a.At(sizes)
		b, okB := c.b.At(sizes)
		if okA && okB && c.Relation == shape.Equals {
			at = fmt.Sprintf(" and not %d and %d", a, b)
			if _, number := c.B.Number(); number {
				at = fmt.Sprintf(" and not %d", a)
			} else if _, number := c.A.Number(); number {
				at = fmt.Sprintf(" and not %d", b)
			}
		}
		return fmt.Sprintf("%s does not fit: %s needs %s%s", strings.Join(given, ", "), c.by(), c, at)
	}
	return ""
}

// firstOf joins the first elements of a list and adds how many more there are.
func firstOf(list []string, most int, separator string) string {
	if len(list) <= most {
		return strings.Join(list, separator)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], separator), len(list)-most)
}

// isSame reports whether several proposals were all rejected by the same node in the same words.
func (q *Search) isSame() bool {
	for _, a := range q.Attempts {
		if first := q.Attempts[0].Refusal; first == nil || a.Refusal == nil || a.Refusal.String() != first.String() || first.Words == "" {
			return false
		}
	}
	return len(q.Attempts) > 1
}

// attempted returns the first sizes that were proposed, and how many others there are. It leaves out
// symbols that had the same size in all proposals. An error is one line, so it has no room for all.
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
		tried = append(tried, strings.Join(sizes, " "))
	}
	return firstOf(slices.Compact(tried), 1, ", ")
}

// conflict describes the demands that contradict each other. It is "" if all certain demands can be
// satisfied together.
func (q *Search) conflict() string {
	if q.level <= needed {
		return ""
	}
	var demands []string
	for _, c := range q.core() {
		demands = append(demands, fmt.Sprintf("%s (%s)", c, c.source()))
	}
	return strings.Join(demands[:min(len(demands), maxDemands)], ", and ")
}

// core returns demands that cannot be satisfied together, although they could if any one of them
// were missing. It examines only the first maxCore demands.
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

// fits reports whether there are sizes that satisfy all of the conditions.
func (q *Search) fits(list []*Condition) bool {
	v := solver{targets: q.targets(all(1)), order: q.system.order()}
	for _, c := range list {
		v.constraints = append(v.constraints, c)
	}
	return v.solve()
}
