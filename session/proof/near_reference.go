package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"lathe/graphops"
	"lathe/graphops/perturb"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/sizing"
)

// reference has the results of an original. They are computed once for all models that are compared
// with it.
type reference struct {
	p     *Prover
	model *graphops.Model
	names []string      // names of the outputs
	cases []given       // the first one has the sizes from Settle
	took  time.Duration // time of the first case, including loading
	slow  bool          // took is too long, so only one case is tried
	kept  int64         // bytes of the inputs and results in cases
	large bool          // a second case was left out, because it would have taken too much memory
	// silent maps each output that shows little, because it is constant, to the reason.
	silent map[string]string
	faint  map[string]bool // outputs that hardly depend on the inputs
	// fixed are the outputs that depend on no input except through its sizes.
	fixed map[string]bool
	// facts are known properties of outputs by name, such as whether they are random.
	facts map[string]compare.Fact
	// perturbed is a copy of the model that rounds differently in every run. It is created when
	// perturbs is set. It is nil if there is none, or if it does not run.
	perturbed *perturb.Model
	perturbs  bool
	leastSNR  float64
	fit       *sizing.Search // the search that found the sizes of the first case
}

// given is one of the cases: a set of inputs and the original's results for them.
type given struct {
	sizes map[string]int64
	in    graphops.Feeds
	want  map[string]graphops.Value
	// declared are the outputs whose shape agrees with the original's declaration.
	declared map[string]bool
	own      map[string]ownGap // the original's distance from itself; nil until needed
	drawn    int               // number of other ways of rounding tried so far
}

// reference runs the original on all inputs that a proof tries. Changed models are then compared
// with the results.
func (p *Prover) reference(ctx context.Context, original *graphops.Model, sizes map[string]int64) (*reference, error) {
	s, err := p.settle(ctx, original, sizes)
	if err != nil {
		return nil, p.onlyOptimized(ctx, original, sizes, err)
	}
	r := &reference{
		p: p, model: original, names: outputsOf(original), fixed: fixedOutputs(original),
		facts: compare.FactsOf(original), took: s.took, fit: s.fit,
	}
	r.add(s.sizes, s.in, s.got)
	r.slow = p.Patience > 0 && s.took > p.Patience
	switch source := p.Inputs.Source(original); {
	case r.slow || len(s.in) == 0 || source == AsGiven: // there is only one case
		r.listen()
		return r, nil
	case source == OfData:
		err := r.addData(ctx)
		r.listen()
		return r, err
	}
	asked := p.Inputs.held(graphops.NamedTypes(original.Graph().FeedInputs()), sizes)
	if err := r.addMore(ctx, asked); err != nil {
		return nil, err
	}
	r.listen()
	return r, r.awaken(ctx, asked)
}

// onlyOptimized returns the error for an original that does not run. If it runs with the runtime's
// optimizations, the error says so, because these are never used to judge a change.
func (p *Prover) onlyOptimized(ctx context.Context, original *graphops.Model, sizes map[string]int64, err error) error {
	if p.Optimized == nil || !IsUnproved(err) {
		return err
	}
	q := *p
	q.Runner = p.Optimized
	if _, other := q.settle(ctx, original, sizes); other != nil {
		return cmp.Or(ended(ctx, other), err)
	}
	return &unprovedError{fmt.Errorf("the original runs only as ONNX Runtime optimizes it, and a change is judged by the original without optimizations: %w", errors.Unwrap(err))}
}

// hasRoom reports whether another case may be kept. Its results are taken to be as large as those of
// the first one, for inputs of the same size.
func (r *reference) hasRoom(in graphops.Feeds) bool {
	first := r.cases[0]
	size := bytesOfAll(in)
	if all := bytesOfAll(first.in); all > 0 {
		size += int64(float64(size) / float64(all) * float64(bytesOfAll(first.want)))
	}
	return r.kept+size <= r.p.limit()
}

func (r *reference) add(sizes map[string]int64, in graphops.Feeds, want map[string]graphops.Value) {
	c := given{sizes: sizes, in: in, want: want, declared: map[string]bool{}}
	known := sizesIn(r.model, in)
	for _, v := range r.model.Graph().Outputs() {
		c.declared[v.Name()] = declaredOf(v, known, want[v.Name()]) == nil
	}
	r.cases = append(r.cases, c)
	r.kept += bytesOfAll(in) + bytesOfAll(want)
}

// fewUnits is how many units in the last place numbers may differ by before the original's rounding
// is measured. Most fusions stay below.
const fewUnits = 8

// toleranceUpTo returns the tolerance for a tensor before the original's rounding is measured: a
// few units in the last place of its type, but for types with few digits no more than the usual
// tolerance.
func toleranceUpTo(t tensor.Tensor) tensor.Tolerance {
	if !isFloat(t.DType) {
		return tensor.Tolerance{}
	}
	rtol := compare.ToleranceOf(t.DType).RTol
	if unit := perturb.Unit(t.DType); unit > 0 {
		rtol = min(rtol, fewUnits*unit)
	}
	return tensor.Tolerance{RTol: rtol, ATol: rtol * Scale(t)}
}

// steadyEnough returns an *unprovedError if no output could be compared.
func (r *reference) steadyEnough(n *Near) error {
	unsteady := n.outputs(func(d Distance) bool { return d.Unsteady })
	if len(unsteady) == 0 || len(unsteady) < len(n.Outputs) {
		return nil
	}
	return &unprovedError{fmt.Errorf("the original gives different results in each run: %s", graphops.QuoteNames(unsteady))}
}

// otherInterface returns why a model cannot replace the original. Inputs and outputs must have the
// same names in the same order, and inputs must accept the same values. Initializers that an input
// could override may be missing.
func otherInterface(original, changed *graphops.Model) *Difference {
	was, is := original.Graph().FeedInputs(), changed.Graph().FeedInputs()
	why := otherNames("input", graphops.ValueNames(was), graphops.ValueNames(is))
	if why == "" {
		why = otherNames("output", graphops.ValueNames(original.Graph().Outputs()), graphops.ValueNames(changed.Graph().Outputs()))
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

// otherNames describes the first name that differs, or returns "".
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

// sameAxes reports whether two inputs accept the same shapes. An axis without a name may get one.
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
