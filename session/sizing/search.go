package sizing

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// MaxAttempts is how many proposals a search makes.
const MaxAttempts = 8

// maxChecks is how many inferences with numbers a search makes.
const maxChecks = 12

// Search proposes sizes, one after another.
type Search struct {
	// Attempts are what was proposed, with what was said of it.
	Attempts []Attempt

	system   *System
	purpose  Purpose
	given    map[string]int64
	store    Store
	recalled []int64 // to propose first; nil where nothing was learned
	fixed    map[int]int64
	asked    []*Condition
	profiles []profile
	pending  []profile  // those that were not tried
	level    weight     // of the conditions that are satisfied; those below contradict others
	hints    [][]target // to try before the next profile
	refused  []constraint
	checks   int
	rejected Refusal // by the last inference with numbers that found a contradiction
}

// Attempt is a proposal.
type Attempt struct {
	Sizes   map[string]int64 // of all symbols
	Refusal *Refusal         // nil while nobody refused it
}

// Search starts a search. Sizes that are given, by symbol or by what stands in a type,
// are never changed.
func (s *System) Search(given map[string]int64, p Purpose) *Search {
	fixed, rest := s.askedConditions(given)
	profiles := p.profiles()
	q := &Search{system: s, purpose: p, given: given, fixed: fixed, asked: rest, profiles: profiles, pending: profiles}
	q.level = q.satisfiable()
	return q
}

// Next is the next proposal: the sizes of all symbols. ok is false where there is no
// further one.
func (q *Search) Next(ctx context.Context) (sizes map[string]int64, ok bool) {
	if len(q.system.Symbols) == 0 || len(q.fixed) == len(q.system.Symbols) {
		return q.only()
	}
	if len(q.Attempts) == 0 && q.recalled != nil {
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

// Last is the last proposal, the first if none was made; ok is false where there is none.
func (q *Search) Last(ctx context.Context) (sizes map[string]int64, ok bool) {
	if n := len(q.Attempts); n > 0 {
		return maps.Clone(q.Attempts[n-1].Sizes), true
	}
	return q.Next(ctx)
}

// only is the single proposal where nothing is left to choose.
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

// lastResort is a proposal in spite of contradictions, if there was none without: the runtime
// says then what is wrong with the model.
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

// turn takes the next hint or profile and solves for it. The sizes are nil where it has
// no solution, or one that was proposed before; more is false where none is left.
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
		if symbol.Kind == Past {
			out[i].least = 0
		}
		if n, ok := q.fixed[i]; ok {
			out[i] = target{size: n, fixed: true}
		}
	}
	return out
}

// solve finds sizes near the targets that satisfy the conditions and were not refused.
func (q *Search) solve(targets []target, apart bool) []int64 {
	v := solver{targets: targets, apart: apart, order: q.system.order()}
	v.constraints = append(q.conditions(q.level), q.refused...)
	if v.solve() {
		return v.sizes
	}
	return nil
}

// conditions are those that are at least as sure as a weight. Of one whose sizes were all
// given it is not asked whether they satisfy it.
func (q *Search) conditions(least weight) []constraint {
	var out []constraint
	for _, c := range slices.Concat(q.asked, q.system.Conditions) {
		if c.weight >= least && !q.isGiven(c) {
			out = append(out, c)
		}
	}
	return out
}

// satisfiable is the lowest weight from which on the conditions can be satisfied together.
func (q *Search) satisfiable() weight {
	for _, least := range []weight{likely, named, inside, needed} {
		v := solver{targets: q.targets(all(1)), order: q.system.order(), constraints: q.conditions(least)}
		if v.solve() {
			return least
		}
	}
	return asked
}

// isGiven reports whether the user gave all sizes in a condition.
func (q *Search) isGiven(c *Condition) bool {
	return !slices.ContainsFunc(c.symbols, func(s int) bool { _, ok := q.fixed[s]; return !ok })
}

// order is that in which symbols are set: totals follow from the others.
func (s *System) order() []int {
	var first, last []int
	for i, symbol := range s.Symbols {
		if symbol.Kind == Total {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// contradiction infers the model with the sizes as numbers: which node cannot do with
// them, of those that say nothing against sizes that are open.
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

// isUnmet reports whether a demand on two numbers does not hold, and the runtime insists on it.
func isUnmet(d shape.Demand) bool {
	a, knownA := d.A.Size.Number()
	b, knownB := d.B.Size.Number()
	return knownA && knownB && !d.Tolerated && !d.Relation.Holds(a, b)
}

// alwaysClashes reports whether a node of the main graph has a contradiction whatever
// the sizes are.
func (s *System) alwaysClashes(node int) bool {
	return slices.ContainsFunc(s.inferred.Problems, func(p shape.Problem) bool {
		return p.Node == node && p.Kind == shape.Clash && p.Place.Kind == graphops.MainGraph
	})
}

// at is the model whose inputs have these sizes.
func (s *System) at(sizes map[string]int64) *graphops.Model {
	e := graphops.EditGraph(s.model.Graph())
	for i, v := range e.Inputs {
		in := graphops.NamedType{Name: v.Name(), Type: v.Type()}
		if in.Type.Kind != graphops.TypeTensor {
			continue
		}
		for axis, d := range ShapeAt(in, sizes) {
			e.Inputs[i] = e.Inputs[i].WithDim(axis, d)
		}
	}
	return s.model.WithGraph(s.model.Places()[0], e.Graph())
}

// Refused says that the model did not run at the last proposal.
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

// rule has the sizes of the symbols that reach the node that refused not be proposed
// again.
func (q *Search) rule(r Refusal, sizes []int64) {
	symbols := q.concerned(r)
	is := make([]int64, len(symbols))
	for i, s := range symbols {
		is[i] = sizes[s]
	}
	q.refused = append(q.refused, refusedSizes{symbols, is})
}

// Near are sizes close to others that are wanted; ok is false where none fit.
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

// Notes say what determined sizes that were chosen: a node that takes no other one, or a
// file beside the model.
func (q *Search) Notes(sizes map[string]int64) []string {
	var out []string
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

// promptNote says how a prompt is measured where a step behind a cache is.
func (q *Search) promptNote() []string {
	past := q.system.firstOf(Past)
	next := slices.IndexFunc(q.system.Symbols, func(s Symbol) bool { return s.Kind == Sequence && !isEncoded(s.Name) })
	if q.purpose != Measure || past < 0 || next < 0 {
		return nil
	}
	for _, i := range []int{past, next} {
		if _, given := q.fixed[i]; given {
			return nil
		}
	}
	return []string{fmt.Sprintf(
		"this is a step of a decoder behind its cache; for a prompt: --dim %s=0 --dim %s=%d",
		q.system.Symbols[past].Name, q.system.Symbols[next].Name, UsualTokens,
	)}
}

// concerned are the symbols in what a node reads, all of them where it is not known which
// node refused. Those that the user gave are left out if others are among them.
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

// eachSymbolAt visits the symbols in the sizes and in the small whole numbers that a node
// reads.
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
