package proof

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/inputs"
)

// reference is what an original gives on generated inputs. It is made once for all models
// that are compared with it.
type reference struct {
	p     *Prover
	model *graphops.Model
	sizes map[string]int64
	names []string // of the outputs
	types []tensor.DType
	cases []given
	slow  bool // so that a single one is tried
	// silent is what all elements of an output are, where they are all the same.
	silent map[string]string
	faint  map[string]bool // outputs that inputs hardly move
}

// given is one of the inputs with what the original makes of it.
type given struct {
	in   graphops.Feeds
	want map[string]graphops.Value
	// declared are the outputs whose shape is as the original declares it.
	declared map[string]bool
	own      map[string]ownGap // nil until it is asked for
}

// reference runs the original.
func (p *Prover) reference(ctx context.Context, original *graphops.Model, sizes map[string]int64) (*reference, error) {
	s, err := p.settle(ctx, original, sizes, nearSizes)
	if err != nil {
		return nil, err
	}
	r := &reference{p: p, model: original, sizes: s.sizes, names: outputsOf(original), types: precisionOf(original)}
	r.add(s.in, s.got)
	if len(s.in) == 0 {
		return r, nil
	}
	r.slow = p.Patience > 0 && s.took > p.Patience
	for seed := 1; seed < p.seeds() && !r.slow; seed++ {
		in, err := p.feeds(original, original, s.sizes, seed)
		if err != nil {
			return nil, &UnprovedError{err}
		}
		want, err := p.original(ctx, original, in, r.names)
		if err != nil {
			return nil, err
		}
		r.add(in, want)
	}
	r.listen()
	if len(r.silent) == len(r.names) && !r.slow {
		return r, r.fromZeroToOne(ctx)
	}
	return r, nil
}

func (r *reference) add(in graphops.Feeds, want map[string]graphops.Value) {
	c := given{in: in, want: want, declared: map[string]bool{}}
	sizes := sizesIn(r.model, in)
	for _, v := range r.model.Graph().Outputs() {
		c.declared[v.Name()] = declaredOf(v, sizes, want[v.Name()]) == nil
	}
	r.cases = append(r.cases, c)
}

// fromZeroToOne tries numbers that are not negative, of which more operators make
// something, where an original gives one and the same for those of the usual distribution.
func (r *reference) fromZeroToOne(ctx context.Context) error {
	fill, err := inputs.ParseFill("uniform")
	if err != nil {
		return err
	}
	types := graphops.NamedTypes(r.model.Graph().FeedInputs())
	in, err := r.p.generated(types, inputs.Options{Model: r.model, Seed: uint64(len(r.cases)), Dims: dimsOf(types, r.sizes), Fill: fill})
	if err != nil {
		return &UnprovedError{err}
	}
	want, err := r.p.run(ctx, r.model, in, r.names)
	if err != nil {
		return ended(ctx, err) // an original need not run on these
	}
	r.add(in, want)
	r.listen()
	return nil
}

// faintest is by how much, in relation to its scale, at least one number of an output must
// change with the inputs to tell much of them.
const faintest = 1e-3

// listen finds the outputs that are the same everywhere, and those that are nearly so.
func (r *reference) listen() {
	r.silent, r.faint = map[string]string{}, map[string]bool{}
	for _, name := range r.names {
		var all []graphops.Value
		for _, c := range r.cases {
			all = append(all, c.want[name])
		}
		if what := uniform(all); what != "" {
			r.silent[name] = what
		} else if len(all) > 1 {
			g := r.gap(all[0], all[1])
			r.faint[name] = !g.otherShape && !g.exact && g.odd == 0 && g.maxRel < faintest
		}
	}
}

// fewUnits is how many units in the last place numbers may differ by before anybody asks
// what rounding does to the original: most fusions stay below.
const fewUnits = 8

// tolerance is that of a tensor of the original's: a few units in the last place of the
// coarsest type, and of types with few digits not more than is usual.
func (r *reference) tolerance(t tensor.Tensor) tensor.Tolerance {
	if !isFloat(t.DType) {
		return tensor.Tolerance{}
	}
	types := append(slices.Clone(r.types), t.DType)
	rtol, unit := compare.ToleranceOf(types...).RTol, 0.0
	for _, d := range types {
		unit = max(unit, units[d])
	}
	if unit > 0 {
		rtol = min(rtol, fewUnits*unit)
	}
	return tensor.Tolerance{RTol: rtol, ATol: rtol * Scale(t)}
}

// steadyEnough is an *UnprovedError where no output could be compared.
func (r *reference) steadyEnough(n *Near) error {
	unsteady := n.outputs(func(d Distance) bool { return d.Unsteady })
	if len(unsteady) == 0 || len(unsteady) < len(n.Outputs) {
		return nil
	}
	return &UnprovedError{fmt.Errorf("the original gives something else in each run: %s", graphops.QuoteNames(unsteady))}
}

// otherInterface is why a model cannot stand in the original's place: inputs and outputs
// must have the same names in the same order, and inputs take what they took. Stored
// tensors that an input could override may be gone.
func otherInterface(original, changed *graphops.Model) *Difference {
	was, is := original.Graph().FeedInputs(), changed.Graph().FeedInputs()
	why := otherNames("input", namesOf(was), namesOf(is))
	if why == "" {
		why = otherNames("output", namesOf(original.Graph().Outputs()), namesOf(changed.Graph().Outputs()))
	}
	for i := 0; i < len(was) && why == ""; i++ {
		a, b := was[i].Type(), is[i].Type()
		if a.String() != b.String() || !sameAxes(a.Shape, b.Shape) {
			why = fmt.Sprintf("takes %s of shape %s as input %q, the original %s of shape %s", b, b.Shape, was[i].Name(), a, a.Shape)
		}
	}
	if why == "" {
		return nil
	}
	return &Difference{Item: -1, Reason: why}
}

// otherNames tells the first name that is not where it was, "" where there is none.
func otherNames(what string, was, is []string) string {
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			return fmt.Sprintf("has no %s %q, the original has", what, was[i])
		case i >= len(was):
			return fmt.Sprintf("has an %s %q, the original has none", what, is[i])
		case was[i] != is[i]:
			return fmt.Sprintf("has the %s %q where the original has %q", what, is[i], was[i])
		}
	}
	return ""
}

func namesOf(list []*graphops.ValueInfo) []string {
	var names []string
	for _, v := range list {
		names = append(names, v.Name())
	}
	return names
}

// sameAxes reports whether two inputs can be fed the same. An axis without a name may get
// one.
func sameAxes(a, b graphops.Shape) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if a[i].IsFixed() != b[i].IsFixed() || a[i].IsFixed() && a[i].Value != b[i].Value || a[i].Symbol != "" && a[i].Symbol != b[i].Symbol {
			return false
		}
	}
	return true
}
