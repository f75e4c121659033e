package proof

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// Pipeline is what makes a model of another one in passes, any of which can be left out.
type Pipeline struct {
	Original *graphops.Model
	// Passes are those that changed something, in their order. Leaving out others would
	// cost tries.
	Passes []string
	// Make makes the changed model without some of the passes. Its error ends the proof.
	Make func(ctx context.Context, without []string) (*graphops.Model, error)
	// Check tells what is wrong with a changed model beside what it computes, as "has a
	// node without a kernel", and "" for nothing; it may be nil.
	Check func(ctx context.Context, changed *graphops.Model) (string, error)
	// Remark says what is known of why a changed model differs, "" for nothing; it may be nil.
	Remark func(changed *graphops.Model) string
	Sizes  map[string]int64 // of symbols; the others are settled
	// MaxTries is how many models may be tried; 0 is DefaultTries.
	MaxTries int
	// Trying hears of every model before it is tried, and how many there will be at most;
	// it may be nil.
	Trying func(tries, most int)
}

// DefaultTries finds half a dozen guilty passes among fifty.
const DefaultTries = 40

// Sound is a changed model that is near its original.
type Sound struct {
	Model *graphops.Model
	Near  *Near
	// LeftOut are the passes that it was made without, in their order.
	LeftOut []LeftOut
	Tries   int
}

// LeftOut is a pass that a model was made without.
type LeftOut struct {
	Pass string
	// Difference is what the model was like with the pass; nil where it was left out
	// unexamined, since no tries were left.
	Difference *Difference
}

// Sound makes the changed model with all passes but those that take it away from the
// original. Of the passes in their order the shortest beginning is found, by halving, that
// is not near; its last pass is left out, and so on until the rest is near. Then each of
// several is put back on its own, and stays where that is near. So a pass is left out
// that does harm by itself, or together with those before it; of a smaller set of other
// passes, without which all of these would do none, nothing is known.
//
// Where the tries are used up, all passes are left out behind the longest beginning that is
// known to be near: what is given back is always proved.
//
// An original of which nothing can be shown is an *UnprovedError, with the model as all
// passes make it, unproved. A model that differs although all passes are left out, or that
// is made in no passes, is a *FailedError.
func (p *Prover) Sound(ctx context.Context, l Pipeline) (*Sound, error) {
	whole, err := l.Make(ctx, nil)
	if err != nil {
		return nil, err
	}
	r, err := p.reference(ctx, l.Original, l.Sizes)
	if err != nil {
		return &Sound{Model: whole}, err
	}
	s := &search{r: r, l: l, most: DefaultTries, examined: len(l.Passes)}
	if l.MaxTries > 0 {
		s.most = l.MaxTries
	}
	d, err := s.try(ctx, whole)
	if err != nil {
		return &Sound{Model: whole, Tries: s.tries}, err
	}
	if d != nil {
		if err := s.find(ctx, d); err != nil {
			return nil, err
		}
	}
	return &Sound{s.best, s.near, s.leftOut(), s.tries}, nil
}

// search looks for the passes to leave out.
type search struct {
	r           *reference
	l           Pipeline
	tries, most int
	out         []LeftOut // found so far, in their order
	best        *graphops.Model
	near        *Near // of best
	examined    int   // passes; those behind are left out, since no tries were left
}

// find leaves passes out until the rest is near. d is what all passes together do.
//
// What always holds: the first lo passes but those left out make a model that is near,
// which is the best one, and all of them but those make one that differs by d.
func (s *search) find(ctx context.Context, d *Difference) error {
	n := len(s.l.Passes)
	if n == 0 {
		return &FailedError{Difference: d}
	}
	bare, err := s.prefix(ctx, 0)
	if err != nil {
		return err
	}
	if bare != nil {
		return fmt.Errorf("%w, with every pass left out too", &FailedError{Difference: bare})
	}
	for lo := 0; d != nil && lo < n; {
		hi := n
		for hi-lo > 1 {
			if s.spent() {
				s.examined = lo
				return nil
			}
			mid := (lo + hi) / 2
			at, err := s.prefix(ctx, mid)
			switch {
			case err != nil:
				return err
			case at == nil:
				lo = mid
			default:
				hi, d = mid, at
			}
		}
		s.out = append(s.out, LeftOut{s.l.Passes[hi-1], d})
		if lo = hi; lo == n {
			break
		}
		if s.spent() {
			s.examined = lo
			return nil
		}
		if d, err = s.prefix(ctx, n); err != nil {
			return err
		}
	}
	return s.putBack(ctx)
}

func (s *search) spent() bool { return s.tries >= s.most }

// putBack tries each of several passes that were left out once more, with the others out.
func (s *search) putBack(ctx context.Context) error {
	for i := 0; i < len(s.out) && len(s.out) > 1 && !s.spent(); {
		all := s.out
		s.out = slices.Delete(slices.Clone(all), i, i+1)
		d, err := s.prefix(ctx, len(s.l.Passes))
		if err != nil {
			return err
		}
		if d != nil {
			s.out = all
			i++
		}
	}
	return nil
}

// prefix tries the first n passes but those left out.
func (s *search) prefix(ctx context.Context, n int) (*Difference, error) {
	without := slices.Clone(s.l.Passes[n:])
	for _, o := range s.out {
		if !slices.Contains(without, o.Pass) {
			without = append(without, o.Pass)
		}
	}
	m, err := s.l.Make(ctx, without)
	if err != nil {
		return nil, err
	}
	return s.try(ctx, m)
}

// try compares a model with the original. One that is near is the best one.
func (s *search) try(ctx context.Context, m *graphops.Model) (*Difference, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.l.Trying != nil {
		s.l.Trying(s.tries, s.most)
	}
	s.tries++
	if s.l.Check != nil {
		wrong, err := s.l.Check(ctx, m)
		if err != nil {
			return nil, err
		}
		if wrong != "" {
			return &Difference{Item: -1, Reason: wrong}, nil
		}
	}
	n, err := s.r.near(ctx, m)
	if err != nil {
		return nil, err
	}
	switch {
	case n.Difference == nil:
		s.best, s.near = m, n
	case s.l.Remark != nil:
		n.Difference.Remark = s.l.Remark(m)
	}
	return n.Difference, nil
}

// leftOut are all passes that the best model was made without, in their order.
func (s *search) leftOut() []LeftOut {
	out := slices.Clone(s.out)
	for _, pass := range s.l.Passes[s.examined:] {
		out = append(out, LeftOut{Pass: pass})
	}
	return out
}
