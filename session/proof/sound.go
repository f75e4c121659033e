package proof

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// Pipeline makes a model from another one in passes, any of which can be left out.
type Pipeline struct {
	Original *graphops.Model
	// Passes are the passes that changed something, in their order. Others are not listed, because
	// leaving them out would only cost attempts.
	Passes []string
	// Make returns the changed model without some of the passes. If it returns an error, the proof
	// ends with this error.
	Make func(ctx context.Context, without []string) (*graphops.Model, error)
	// Check returns what is wrong with a changed model besides its results, such as "has a node
	// without a kernel", or "". It may be nil.
	Check func(ctx context.Context, changed *graphops.Model) (string, error)
	// Remark returns what is known about the cause of a difference, or "". It may be nil.
	Remark func(changed *graphops.Model) string
	Sizes  map[string]int64 // given sizes of symbols; Settle chooses the others
	// MaxTries is how many models may be tried; 0 means defaultTries.
	MaxTries int
	// Trying is called before each model is tried, with the number of tries so far and the maximum.
	// It may be nil.
	Trying func(tries, most int)
}

// defaultTries is enough to find half a dozen guilty passes among fifty.
const defaultTries = 40

// Sound is a changed model that is near its original.
type Sound struct {
	Model *graphops.Model
	Near  *Near
	// LeftOut are the passes that were left out, in their order.
	LeftOut []LeftOut
	Tries   int
}

// LeftOut is a pass that was left out, and why.
type LeftOut struct {
	Pass string
	// Difference is the difference of the model with the pass. It is nil if the pass was left out
	// without being examined, because no tries were left.
	Difference *Difference
}

// Sound makes the changed model with all passes except those that move it away from the original.
// By binary search it finds the shortest beginning of the list of passes whose result is not near,
// and leaves out the last pass of that beginning. It repeats this until the rest is near. Then it
// tries to put back each of the passes left out, one at a time, and keeps it if the result is near.
// So a pass is left out if it does harm by itself or together with passes before it. There may be a
// smaller set of other passes whose removal would be enough; this is not examined.
//
// If the tries are used up, all passes after the longest beginning that is known to be near are
// left out. The returned model is always proved.
//
// If nothing can be shown about the original, IsUnproved holds for the error, and the model is that
// of all passes, unproved. If the model differs although all passes are left out, or if it was not
// made by passes, the error is a *FailedError.
func (p *Prover) Sound(ctx context.Context, l Pipeline) (*Sound, error) {
	whole, err := l.Make(ctx, nil)
	if err != nil {
		return nil, err
	}
	r, err := p.reference(ctx, l.Original, l.Sizes)
	if err != nil {
		return &Sound{Model: whole}, err
	}
	s := &search{r: r, l: l, most: defaultTries, examined: len(l.Passes)}
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

// search finds out which passes have to be left out, by binary search.
type search struct {
	r           *reference
	l           Pipeline
	tries, most int
	out         []LeftOut // found so far, in their order
	best        *graphops.Model
	near        *Near // result for best
	examined    int   // number of passes examined; later ones are left out because no tries were left
}

// find leaves passes out until the rest is near. d is the difference with all passes.
//
// Invariant: the first lo passes, without those left out, give a model that is near; it is the best
// one. All passes, without those left out, give a model that differs by d.
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

// putBack tries to include each of several passes again while the others stay left out.
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

// prefix tries the first n passes without those left out.
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

// try compares a model with the original. A model that is near becomes the best one.
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

// leftOut returns all passes that the best model was made without, in their order.
func (s *search) leftOut() []LeftOut {
	out := slices.Clone(s.out)
	for _, pass := range s.l.Passes[s.examined:] {
		out = append(out, LeftOut{Pass: pass})
	}
	return out
}
