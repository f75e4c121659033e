package sizing

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
)

// MaxAttempts is the largest number of proposals of a search.
const MaxAttempts = 8

// maxChecks is how often a search infers shapes with proposed sizes as numbers.
const maxChecks = 12

// Search proposes sizes one after another, until the caller reports that the model runs.
type Search struct {
	// Attempts are the proposals so far, with the reasons why they were rejected.
	Attempts []Attempt

	system   *System
	purpose  Purpose
	given    map[string]int64
	store    Store
	recalled []int64 // sizes at which the model ran earlier, to propose first, or nil
	fixed    map[int]int64
	asked    []*Condition
	profiles []profile
	pending  []profile  // profiles that were not tried yet
	level    weight     // conditions of a lower weight are ignored, because they contradict others
	hints    [][]target // to try before the next profile
	refused  []constraint
	checks   int
	rejected Refusal // the last contradiction that shape inference found in proposed sizes
	bytes    func(sizes map[string]int64) int64
	most     int64 // proposals take at most this many bytes if possible
}

// Attempt is a proposal and how it ended.
type Attempt struct {
	Sizes   map[string]int64 // of all symbols
	Refusal *Refusal         // why the model did not run, or nil
}

// Search starts a search. It never changes given sizes. Their keys are names of symbols, or the
// text of an axis in an input's type.
func (s *System) Search(given map[string]int64, p Purpose) *Search {
	fixed, rest := s.askedConditions(given)
	profiles := p.profiles()
	q := &Search{system: s, purpose: p, given: given, fixed: fixed, asked: rest, profiles: profiles, pending: profiles}
	q.level = q.satisfiable()
	return q
}

// Roles are what the model's inputs are for, or nil.
func (q *Search) Roles() *roles.Roles { return q.system.Roles }

// IsCache reports whether a symbol counts the positions in a cache.
func (q *Search) IsCache(symbol string) bool {
	i, ok := q.system.set.index[symbol]
	return ok && q.system.Symbols[i].Kind == kindPast
}

// Next returns the next proposal: a size for every symbol. ok is false if there are no further
// proposals.
func (q *Search) Next(ctx context.Context) (sizes map[string]int64, ok bool) {
	if len(q.system.Symbols) == 0 || len(q.fixed) == len(q.system.Symbols) {
		return q.only()
	}
	if len(q.Attempts) == 0 && q.recalled != nil && !q.isLarge(q.recalled) {
		return q.propose(q.recalled), true
	}
	for len(q.Attempts) < MaxAttempts && ctx.Err() == nil {
		v, more := q.turn()
		if !more {
			return q.lastResort()
		}
		if v == nil {
			continue
		}
		if r, bad := q.contradiction(ctx, v); bad {
			q.rejected = r
			q.rule(r, v)
			continue
		}
		return q.propose(v), true
	}
	return nil, false
}

// Last returns the latest proposal. If there was none yet, it makes the first. ok is false if there
// is none.
func (q *Search) Last(ctx context.Context) (sizes map[string]int64, ok bool) {
	if n := len(q.Attempts); n > 0 {
		return maps.Clone(q.Attempts[n-1].Sizes), true
	}
	return q.Next(ctx)
}

// only returns the single proposal that is possible if all sizes are given.
func (q *Search) only() (map[string]int64, bool) {
	if len(q.Attempts) > 0 {
		return nil, false
	}
	sizes := make([]int64, len(q.system.Symbols))
	for i, n := range q.fixed {
		sizes[i] = n
	}
	return q.propose(sizes), true
}

// lastResort returns sizes that contradict conditions, if there was no other proposal. The model is
// then run anyway, and the runtime's message says what is wrong with it.
func (q *Search) lastResort() (map[string]int64, bool) {
	if len(q.Attempts) > 0 {
		return nil, false
	}
	targets := q.targets(q.profiles[0])
	q.refused = nil
	if sizes := q.solve(targets, true); sizes != nil {
		return q.propose(sizes), true
	}
	sizes := make([]int64, len(targets))
	for i, t := range targets {
		sizes[i] = t.size
	}
	return q.propose(sizes), true
}

func (q *Search) propose(sizes []int64) map[string]int64 {
	out := q.system.bySymbol(sizes)
	q.Attempts = append(q.Attempts, Attempt{Sizes: out})
	return maps.Clone(out)
}

func (s *System) bySymbol(sizes []int64) map[string]int64 {
	out := map[string]int64{}
	for i, symbol := range s.Symbols {
		out[symbol.Name] = sizes[i]
	}
	return out
}

// turn takes the next hint or profile and solves for it. The sizes are nil if there is no solution,
// or if it was proposed before. more is false if there are no hints and profiles left.
func (q *Search) turn() (sizes []int64, more bool) {
	var targets []target
	apart := false
	switch {
	case len(q.hints) > 0:
		targets, q.hints = q.hints[0], q.hints[1:]
	case len(q.pending) > 0:
		p := q.pending[0]
		q.pending = q.pending[1:]
		targets, apart = q.targets(p), p.apart
	case q.level < needed:
		q.level, q.pending = needed, q.profiles
		return nil, true
	default:
		return nil, false
	}
	sizes = q.solve(targets, apart)
	if sizes != nil && !apart {
		sizes = q.square(targets, sizes)
	}
	sizes = q.reduced(targets, sizes)
	if sizes == nil || q.wasTried(sizes) {
		return nil, true
	}
	return sizes, true
}

func (q *Search) wasTried(sizes []int64) bool {
	is := q.system.bySymbol(sizes)
	return slices.ContainsFunc(q.Attempts, func(a Attempt) bool { return maps.Equal(a.Sizes, is) })
}

func (q *Search) targets(p profile) []target {
	out := make([]target, len(q.system.Symbols))
	for i, symbol := range q.system.Symbols {
		want := p.prefer(q.system, i)
		out[i] = target{size: max(want.size, 0), least: 1, stated: want.stated}
		if symbol.Kind == kindPast {
			out[i].least = 0
		}
		if n, ok := q.fixed[i]; ok {
			out[i] = target{size: n, fixed: true}
		}
	}
	return out
}

// solve returns sizes that satisfy the conditions and were not rejected, as near to the targets as
// possible. It returns nil if it finds none. If apart is set, it prefers sizes that differ from
// each other.
func (q *Search) solve(targets []target, apart bool) []int64 {
	v := solver{targets: targets, apart: apart, order: q.system.order()}
	v.constraints = append(q.conditions(q.level), q.refused...)
	if v.solve() {
		return v.sizes
	}
	return nil
}

// conditions returns the conditions of at least this weight. It leaves out conditions on sizes that
// are all given, because the user's sizes are kept even if they contradict a condition.
func (q *Search) conditions(least weight) []constraint {
	var out []constraint
	for _, c := range slices.Concat(q.asked, q.system.Conditions) {
		if c.weight >= least && !q.isGiven(c) {
			out = append(out, c)
		}
	}
	return out
}

// satisfiable returns the lowest weight for which all conditions of this weight and above can be
// satisfied together.
func (q *Search) satisfiable() weight {
	for _, least := range []weight{likely, named, inside, needed} {
		v := solver{targets: q.targets(all(1)), order: q.system.order(), constraints: q.conditions(least)}
		if v.solve() {
			return least
		}
	}
	return asked
}

// isGiven reports whether the user gave the sizes of all symbols in a condition.
func (q *Search) isGiven(c *Condition) bool {
	return !slices.ContainsFunc(c.symbols, func(s int) bool { _, ok := q.fixed[s]; return !ok })
}

// order returns the order in which symbols get sizes. Totals come last, because they follow from
// other symbols.
func (s *System) order() []int {
	var first, last []int
	for i, symbol := range s.Symbols {
		if symbol.Kind == kindTotal {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// contradiction infers shapes with the sizes as numbers, and returns the first node that rejects
// them. It ignores nodes that have a contradiction whatever the sizes are.
func (q *Search) contradiction(ctx context.Context, sizes []int64) (r Refusal, found bool) {
	s := q.system
	if s.inferred == nil || q.checks >= maxChecks {
		return r, false
	}
	q.checks++
	is := s.bySymbol(sizes)
	result, err := shape.Infer(ctx, s.at(is), shape.Options{Fresh: true, Unmet: true})
	if err != nil {
		return r, false
	}
	for _, d := range result.Demands {
		if isUnmet(d) && d.Place.Kind == graphops.MainGraph && !s.alwaysClashes(d.Node) {
			return Refusal{Place: s.model.Places()[d.Place.ID], Node: d.Node, Words: d.Text()}, true
		}
	}
	for _, p := range result.Problems {
		if p.Kind == shape.Clash && p.Node >= 0 && p.Place.Kind == graphops.MainGraph && !s.alwaysClashes(p.Node) {
			return Refusal{Place: s.model.Places()[p.Place.ID], Node: p.Node, Words: p.Text}, true
		}
	}
	return r, false
}

// isUnmet reports whether a demand does not hold although both sides are known numbers and the
// runtime enforces it.
func isUnmet(d shape.Demand) bool {
	a, knownA := d.A.Size.Number()
	b, knownB := d.B.Size.Number()
	return knownA && knownB && !d.Tolerated && !d.Relation.Holds(a, b)
}

// alwaysClashes reports whether shape inference found a contradiction at a node of the main graph
// even without numbers for the free sizes.
func (s *System) alwaysClashes(node int) bool {
	return slices.ContainsFunc(s.inferred.Problems, func(p shape.Problem) bool {
		return p.Node == node && p.Kind == shape.Clash && p.Place.Kind == graphops.MainGraph
	})
}

// at returns the model with these sizes as fixed sizes of its inputs.
func (s *System) at(sizes map[string]int64) *graphops.Model {
	e := graphops.EditGraph(s.model.Graph())
	for i, v := range e.Inputs {
		in := graphops.NamedType{Name: v.Name(), Type: v.Type()}
		if in.Type.Kind != graphops.TypeTensor {
			continue
		}
		e.Inputs[i] = v.WithDims(maps.Collect(slices.All(ShapeAt(in, sizes))))
	}
	return s.model.WithGraph(s.model.Places()[0], e.Graph())
}

// Refused records that the model did not run at the last proposal, and why.
func (q *Search) Refused(r Refusal) {
	a := &q.Attempts[len(q.Attempts)-1]
	a.Refusal = &r
	sizes := make([]int64, len(q.system.Symbols))
	for i, symbol := range q.system.Symbols {
		sizes[i] = a.Sizes[symbol.Name]
	}
	q.rule(r, sizes)
	q.hints = append(q.hints, q.hintsOf(r, sizes)...)
}

// rule excludes the sizes of those symbols that reach the node that rejected them, so that this
// combination is not proposed again.
func (q *Search) rule(r Refusal, sizes []int64) {
	symbols := q.concerned(r)
	is := make([]int64, len(symbols))
	for i, s := range symbols {
		is[i] = sizes[s]
	}
	q.refused = append(q.refused, refusedSizes{symbols, is})
}

// Near returns sizes that satisfy the conditions and are close to the wanted ones. ok is false if
// there are none.
func (q *Search) Near(wanted map[string]int64) (sizes map[string]int64, ok bool) {
	targets := q.targets(all(1))
	for i, symbol := range q.system.Symbols {
		if n, is := wanted[symbol.Name]; is {
			targets[i].size = n
		}
	}
	found := q.solve(targets, false)
	if found == nil {
		return nil, false
	}
	return q.system.bySymbol(found), true
}

// Notes returns notes about chosen sizes that could not have been chosen freely, because a node
// accepts only one size, or only sizes that give a number together, or because a file beside the model
// states it.
func (q *Search) Notes(sizes map[string]int64) []string {
	out := q.jointNotes()
	for i, s := range q.system.Symbols {
		if _, given := q.fixed[i]; given {
			continue
		}
		n := sizes[s.Name]
		if c := q.system.only(i); c != nil {
			out = append(out, fmt.Sprintf("dimension %q is %d: %s takes no other size", s.Name, n, c.by()))
		} else if stated, file, ok := q.system.beside.size(s); ok && stated == n {
			out = append(out, fmt.Sprintf("dimension %q is %d: %s says so", s.Name, n, file))
		}
	}
	return append(out, q.promptNote()...)
}

// maxJoint limits the notes about sizes that give a number together.
const maxJoint = 2

// jointNotes says which numbers sizes have to give together, or in an expression. A model with such a
// condition runs at few sizes, which may be a fault of the model that no run at these sizes shows.
func (q *Search) jointNotes() []string {
	var out []string
	for _, c := range q.system.Conditions {
		_, numberA := c.A.Number()
		_, numberB := c.B.Number()
		_, plainA := c.A.IsSymbol()
		_, plainB := c.B.IsSymbol()
		inside := len(c.symbols) > 1 || !plainA && !plainB // a plain symbol that equals a number has a note of its own
		isGiven := !slices.ContainsFunc(c.symbols, func(i int) bool { _, given := q.fixed[i]; return !given })
		if c.Relation == shape.Equals && inside && c.weight >= needed && (numberA || numberB) && !isGiven && len(out) < maxJoint {
			out = append(out, fmt.Sprintf("the sizes are chosen so that %s, because %s takes nothing else; at other sizes the model does not run", c, c.by()))
		}
	}
	return out
}

// promptNote returns a note about a decoder with a cache, for which one token after a full cache is
// measured. It says which sizes measure a prompt instead.
func (q *Search) promptNote() []string {
	past := q.system.firstOf(kindPast)
	next := slices.IndexFunc(q.system.Symbols, func(s Symbol) bool { return s.Kind == kindSequence && !s.encoded })
	if q.purpose != Measure || past < 0 || next < 0 {
		return nil
	}
	for _, i := range []int{past, next} {
		if _, given := q.fixed[i]; given {
			return nil
		}
	}
	return []string{fmt.Sprintf(
		"this is one step of a decoder with a full cache; to run it on a prompt: --dim %s=0 --dim %s=%d",
		q.system.Symbols[past].Name, q.system.Symbols[next].Name, usualTokens,
	)}
}

// concerned returns the symbols that the node that rejected the sizes reads. If that node is not
// known or reads none, it returns all symbols. It leaves out symbols whose size the user gave.
func (q *Search) concerned(r Refusal) []int {
	var out []int
	add := func(name string) {
		i, ok := q.system.set.index[name]
		if _, given := q.fixed[i]; ok && !given && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	q.system.eachSymbolAt(r, add)
	if len(out) == 0 {
		for _, symbol := range q.system.Symbols {
			add(symbol.Name)
		}
	}
	slices.Sort(out)
	return out
}

// eachSymbolAt visits the symbols that reach a node: those in the shapes of its inputs, and those
// in inputs that are computed from shapes, such as the target of a Reshape.
func (s *System) eachSymbolAt(r Refusal, visit func(name string)) {
	if r.Place == nil || s.inferred == nil || r.Node >= len(r.Place.Graph.Nodes()) {
		return
	}
	for _, name := range r.Place.Graph.Nodes()[r.Node].Inputs() {
		v, ok := r.Place.Graph.Index().Value(name)
		if !ok {
			continue
		}
		value := s.inferred.Value(r.Place, v)
		for _, d := range slices.Concat(value.Type.Dims, value.Sizes()) {
			d.Symbols(visit)
		}
	}
}
