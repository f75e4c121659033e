package sizing

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Variant is a further choice of sizes, for a case that can show errors that the first choice
// hides.
type Variant struct {
	Name  string // such as "sizes batch=4, seq=32"
	Sizes map[string]int64
}

// Variants returns further choices of sizes: moderate ones, two of small primes, and for each
// symbol that conditions limit its largest size. If small sizes were rejected, it uses multiples of
// the last proposal instead of primes. It leaves out sizes that were rejected.
func (q *Search) Variants() []Variant {
	var out []Variant
	add := func(what string, sizes []int64) {
		if sizes != nil {
			is := q.system.bySymbol(sizes)
			out = append(out, Variant{what + " " + q.text(is), is})
		}
	}
	profiles := []profile{roomy(moderate), roomy(small(3, 1)), roomy(small(5, 2))}
	if len(q.Attempts) > 1 || q.recalled != nil { // small sizes were rejected
		profiles = []profile{roomy(moderate), q.scaled(2, 3), q.scaled(3, 5)}
	}
	for _, p := range profiles {
		add("sizes", q.solve(q.targets(p), p.apart))
	}
	for i, s := range q.system.Symbols {
		if n, ok := q.largest(i); ok {
			if sizes := q.with(i, n, all(1)); sizes != nil {
				out = append(out, Variant{fmt.Sprintf("largest %s=%d", s.Name, n), q.system.bySymbol(sizes)})
			}
		}
	}
	return out
}

// Smallest returns the smallest sizes that satisfy the conditions. ok is false if small sizes were
// rejected, or if none satisfy the conditions.
func (q *Search) Smallest() (_ Variant, ok bool) {
	if len(q.Attempts) > 1 || q.recalled != nil {
		return Variant{}, false
	}
	sizes := q.solve(q.targets(all(1)), false)
	if sizes == nil {
		return Variant{}, false
	}
	is := q.system.bySymbol(sizes)
	return Variant{"smallest " + q.text(is), is}, true
}

// scaled prefers the sizes of the last proposal multiplied by a factor. Symbols that count samples
// get the size batch.
func (q *Search) scaled(by, batch int64) profile {
	last := q.Attempts[len(q.Attempts)-1].Sizes
	return ofKind(false, func(s *System, i int) int64 {
		switch s.Symbols[i].Kind {
		case kindBatch:
			return batch
		case kindChannels:
			return usualChannels
		}
		return by * last[s.Symbols[i].Name]
	})
}

// moderate prefers sizes that are not tiny and run quickly, such as images of 64×64.
var moderate = ofKind(false, func(s *System, i int) int64 {
	switch s.Symbols[i].Kind {
	case kindBatch:
		return 4
	case kindChannels:
		return usualChannels
	case kindHeight, kindWidth:
		return 64
	case kindSequence, kindFrames, kindTotal, kindLatent:
		return 32
	}
	return 8
})

// Moderate returns sizes that are not tiny and run quickly, such as images of 64×64. ok is false if
// none satisfy the conditions.
func (q *Search) Moderate() (sizes map[string]int64, ok bool) {
	found := q.solve(q.targets(roomy(moderate)), moderate.apart)
	if found == nil {
		return nil, false
	}
	return q.system.bySymbol(found), true
}

// ModerateWith is Moderate with a given size for one symbol.
func (q *Search) ModerateWith(symbol string, n int64) (sizes map[string]int64, ok bool) {
	i, known := q.system.set.index[symbol]
	if !known {
		return nil, false
	}
	found := q.with(i, n, moderate)
	if found == nil {
		return nil, false
	}
	return q.system.bySymbol(found), true
}

// ModerateAt is Moderate with given sizes for several symbols. Names that are not symbols are ignored.
func (q *Search) ModerateAt(at map[string]int64) (sizes map[string]int64, ok bool) {
	targets := q.targets(moderate)
	for name, n := range at {
		if i, known := q.system.set.index[name]; known {
			if fixed, given := q.fixed[i]; given && fixed != n {
				return nil, false
			}
			targets[i] = target{size: n, fixed: true}
		}
	}
	found := q.withTargets(targets, moderate.apart)
	if found == nil {
		return nil, false
	}
	return q.system.bySymbol(found), true
}

// with solves for a profile when one symbol has a given size. It ignores uncertain conditions if
// they cannot be satisfied with that size. It returns nil if there is no solution.
func (q *Search) with(i int, n int64, p profile) []int64 {
	targets := q.targets(p)
	targets[i] = target{size: n, fixed: true}
	return q.withTargets(targets, p.apart)
}

// withTargets solves for targets, and ignores uncertain conditions if they cannot be satisfied.
func (q *Search) withTargets(targets []target, apart bool) []int64 {
	was := q.level
	defer func() { q.level = was }()
	for q.level = was; q.level <= needed; q.level++ { // assumptions may not hold for these sizes
		if sizes := q.solve(targets, apart); sizes != nil {
			return sizes
		}
	}
	return nil
}

// Free returns the names of the symbols whose size was not given.
func (q *Search) Free() []string {
	var out []string
	for i, s := range q.system.Symbols {
		if _, given := q.fixed[i]; !given {
			out = append(out, s.Name)
		}
	}
	return out
}

// text lists the sizes of the free symbols, as in "batch=4, seq=32".
func (q *Search) text(sizes map[string]int64) string {
	var parts []string
	for _, name := range q.Free() {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, ", ")
}

// unlimited is the largest size that is tested. A condition that still holds at this size does not
// limit the symbol.
const unlimited = 1 << 20

// probes are the sizes at which a condition is tested to find out whether it is an upper limit. It
// is one if it holds for all probes up to some size and for none above. A condition such as "is
// even" is no limit.
var probes = []int64{1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 64, 100, 1000, unlimited}

// largest returns the largest size of a symbol that the conditions allow if the other symbols are
// as small as possible. ok is false if no condition limits it.
func (q *Search) largest(i int) (n int64, ok bool) {
	if _, given := q.fixed[i]; given {
		return 0, false
	}
	sizes := q.solve(q.targets(all(1)), false)
	if sizes == nil {
		return 0, false
	}
	n = unlimited
	for _, c := range q.system.Conditions {
		if limit := c.limit(i, slices.Clone(sizes)); limit < n {
			n, ok = limit, true
		}
	}
	return n, ok
}

// limit returns the largest size of a symbol at which the condition holds, or unlimited if the
// condition is not an upper limit.
func (c *Condition) limit(i int, sizes []int64) int64 {
	if !slices.Contains(c.symbols, i) {
		return unlimited
	}
	holds := func(n int64) bool {
		sizes[i] = n
		_, okA := c.a.At(sizes)
		_, okB := c.b.At(sizes)
		return !okA || !okB || c.holds(sizes)
	}
	first := slices.IndexFunc(probes, func(n int64) bool { return !holds(n) })
	if first < 1 || slices.ContainsFunc(probes[first:], holds) {
		return unlimited
	}
	lo, hi := probes[first-1], probes[first]
	return lo + int64(sort.Search(int(hi-lo)-1, func(k int) bool { return !holds(lo + 1 + int64(k)) }))
}

// Batch returns the given sizes, and the size n for every other symbol that counts samples.
func (s *System) Batch(given map[string]int64, n int64) map[string]int64 {
	out := maps.Clone(given)
	if out == nil {
		out = map[string]int64{}
	}
	for _, symbol := range s.Symbols {
		if _, known := out[symbol.Name]; !known && symbol.Kind == kindBatch {
			out[symbol.Name] = n
		}
	}
	return out
}
