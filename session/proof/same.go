package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Same is the result of a comparison of whole values.
type Same struct {
	Sizes    map[string]int64
	Seeds    int
	Compared []string
	// Difference is the first one, or nil if all bits are equal.
	Difference *Difference
}

// SameAt compares values of two models bit by bit; names nil means all outputs of the original. The
// inputs are those of the original, at sizes of its symbols from Settle. IsUnproved
// holds for the error if the original gives something else in a second run, or if its values contain
// nothing that could differ.
func (p *Prover) SameAt(ctx context.Context, original, changed *graphops.Model, sizes map[string]int64, names []string) (*Same, error) {
	if names == nil {
		names = outputsOf(original)
	}
	s := &Same{Sizes: maps.Clone(sizes), Seeds: p.seeds(), Compared: names}
	seen := map[string]*sameness{}
	for _, name := range names {
		seen[name] = &sameness{}
	}
	for seed := range p.seeds() {
		if err := p.sameOn(ctx, original, changed, s, seed, seen); err != nil || s.Difference != nil {
			return s.orNil(err)
		}
	}
	return s, showsNothing(names, seen)
}

// orNil returns the result of a comparison that ended early.
func (s *Same) orNil(err error) (*Same, error) {
	if s.Difference == nil {
		return nil, err
	}
	return s, err
}

// sameOn compares the values for one seed, and keeps none of them.
func (p *Prover) sameOn(ctx context.Context, original, changed *graphops.Model, s *Same, seed int, seen map[string]*sameness) error {
	in, err := p.feeds(original, original, s.Sizes, seed)
	if err != nil {
		return &unprovedError{err}
	}
	want, err := p.original(ctx, original, in, s.Compared)
	if err != nil {
		return err
	}
	found := map[string]*Difference{}
	err = p.each(ctx, p.Runner, changed, in, s.Compared, func(name string, v graphops.Value) { found[name] = valueBits(want[name], v) })
	if err != nil {
		if end := ended(ctx, err); end != nil {
			return end
		}
		s.Difference = &Difference{Sizes: maps.Clone(s.Sizes), Item: -1, Err: err}
		return nil
	}
	for _, name := range s.Compared {
		if d := found[name]; d != nil {
			d.Value, d.Item, d.Sizes = name, -1, maps.Clone(s.Sizes)
			s.Difference = d
			return p.steady(ctx, original, in, s.Compared, want)
		}
	}
	for name, v := range want {
		seen[name].add(v)
	}
	return nil
}

// showsNothing returns an *unprovedError if every value is empty or only NaN for all inputs. Equal
// bits of such values prove nothing.
func showsNothing(names []string, seen map[string]*sameness) error {
	why := ""
	for _, name := range names {
		s := seen[name].silence(true)
		if s == "" {
			return nil
		}
		why = fmt.Sprintf("output %q shows little: %s", name, s)
	}
	if why == "" {
		why = "nothing was compared"
	}
	return &unprovedError{errors.New(why)}
}

// original runs the original. If it does not run, the error is an *unprovedError.
func (p *Prover) original(ctx context.Context, m *graphops.Model, in graphops.Feeds, names []string) (map[string]graphops.Value, error) {
	got, err := p.run(ctx, m, in, names)
	if err == nil {
		return got, nil
	}
	if end := ended(ctx, err); end != nil {
		return nil, end
	}
	return nil, p.notRun(m, err)
}

// steady returns an *unprovedError if the original gives different results in another run on the
// same inputs.
func (p *Prover) steady(ctx context.Context, m *graphops.Model, in graphops.Feeds, names []string, before map[string]graphops.Value) error {
	again, err := p.original(ctx, m, in, names)
	if err != nil {
		return err
	}
	if d := firstBits(names, before, again); d != nil {
		return &unprovedError{fmt.Errorf("the original gives different results in each run: value %q", d.Value)}
	}
	return nil
}

// firstBits returns the first value, in the order of names, whose bits differ.
func firstBits(names []string, want, got map[string]graphops.Value) *Difference {
	for _, name := range names {
		if d := valueBits(want[name], got[name]); d != nil {
			d.Value, d.Item = name, -1
			return d
		}
	}
	return nil
}

// part is a tensor within a value, for example an element of a sequence. at says which.
type part struct {
	at string
	tensor.Tensor
}

func partsOf(v graphops.Value) []part {
	var out []part
	for at, t := range v.Tensors() {
		out = append(out, part{at, t})
	}
	return out
}

func valueBits(want, got graphops.Value) *Difference {
	as, bs := partsOf(want), partsOf(got)
	if want.Type.Kind != got.Type.Kind || len(as) != len(bs) {
		return &Difference{Reason: fmt.Sprintf("%s of %d tensors, expected %s of %d", got.Type, len(bs), want.Type, len(as))}
	}
	for i, a := range as {
		if d := tensorBits(a.Tensor, bs[i].Tensor); d != nil {
			d.At = a.at
			return d
		}
	}
	return nil
}

func tensorBits(a, b tensor.Tensor) *Difference {
	if d := unlike(a, b); d != nil {
		return d
	}
	if bytes.Equal(a.Data, b.Data) && slices.Equal(a.Strings, b.Strings) {
		return nil
	}
	d := &Difference{}
	m, err := tensor.Compare(a, b, tensor.Tolerance{})
	switch {
	case err != nil:
		d.Reason = err.Error()
	case m.Mismatched == 0:
		d.Reason = "the bits differ, as those of 0 and -0 do"
	default:
		d.element(m.Worst)
	}
	return d
}

// unlike returns a difference if two tensors have different types or shapes, and otherwise nil.
func unlike(a, b tensor.Tensor) *Difference {
	if a.DType == b.DType && slices.Equal(a.Shape, b.Shape) {
		return nil
	}
	return &Difference{Reason: fmt.Sprintf("%s %s, expected %s %s", b.DType, tensor.FormatShape(b.Shape), a.DType, tensor.FormatShape(a.Shape))}
}

// IsUnproved reports whether an error says that the models could not be compared. Such an error does
// not judge the changed model.
func IsUnproved(err error) bool {
	var u *unprovedError
	return errors.As(err, &u)
}
