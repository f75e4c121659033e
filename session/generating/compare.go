package generating

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Prompt is what both sides begin with.
type Prompt struct {
	Name string
	IDs  []int64
	// Given are inputs that earlier models of either side made for this prompt.
	Given [2]Given
}

// Options are the options of Compare.
type Options struct {
	Tokens int // how many are generated
	// Avoid are tokens that are never chosen, such as the one that ends a text.
	Avoid []int64
	// Tolerance of a score, and where it comes from. The absolute one is multiplied by the root mean
	// square of the scores of A, if that is above 1, unless Asked is set.
	Tolerance tensor.Tolerance
	Why       string
	Asked     bool
	Progress  func(done, total int)
}

// Spot is a run in which the sides differ, with the inputs of A.
type Spot struct {
	Place
	Words string // "seed 0, token 5"
	Empty bool   // the caches were empty before it
	Feeds graphops.Feeds
	// Earlier is the run of the prompt, which wrote the caches of this one; nil if this is that run.
	Earlier *Spot
}

// comparison is a comparison in progress.
type comparison struct {
	o      Options
	sides  [2]*Side
	report *Report

	same, of   int // positions where both prefer the same token
	kl         divergences
	spot, most *Spot // of the first difference, and of the largest divergence
	excess     float64
}

// Compare lets both sides generate from the same prompts. The spot is where they differ by the most, or
// nil if all scores are equal. An error of one side is a *SideError. Side a runs first, so that an error
// of b means that a ran.
func Compare(ctx context.Context, a, b *Side, prompts []Prompt, o Options) (*Report, *Spot, error) {
	c := &comparison{o: o, sides: [2]*Side{a, b}, report: newReport(o)}
	if x, y := a.Words(), b.Words(); x > 0 && y > 0 && x != y {
		return nil, nil, fmt.Errorf("a has %d different tokens and b has %d: expected two models with the same vocabulary", x, y)
	}
	for i, p := range prompts {
		if err := c.prompt(ctx, i, p); err != nil {
			return nil, nil, err
		}
	}
	r := c.report
	r.Agreement, r.KL = agreement(c.same, c.of), c.kl.summary()
	r.judge()
	if c.spot == nil {
		c.spot = c.most
	}
	return r, c.spot, nil
}

// step is one run of both sides over the same tokens.
type step struct {
	c       *comparison
	result  *PromptReport
	walks   [2]*walk
	own     *walk // B by itself, from the first token on that differs
	ids     []int64
	prompt  int
	words   string
	earlier *Spot
}

func (c *comparison) prompt(ctx context.Context, at int, p Prompt) error {
	c.report.Prompts = append(c.report.Prompts, PromptReport{Name: p.Name, Prompt: p.IDs, A: []int64{}, B: []int64{}})
	s := &step{c: c, result: &c.report.Prompts[at], prompt: at, words: p.Name, ids: p.IDs}
	for i, side := range c.sides {
		var err error
		if s.walks[i], err = side.begin(p.Given[i], int64(len(p.IDs)+c.o.Tokens)); err != nil {
			return named(i, err)
		}
	}
	for n := range c.o.Tokens {
		if c.o.Progress != nil {
			c.o.Progress(at*c.o.Tokens+n, len(c.report.Prompts)*c.o.Tokens)
		}
		if err := s.run(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// SideError is an error of one side.
type SideError struct {
	B   bool
	Err error
}

func (e *SideError) Error() string {
	if e.B {
		return "b: " + e.Err.Error()
	}
	return "a: " + e.Err.Error()
}

// Unwrap returns what went wrong.
func (e *SideError) Unwrap() error { return e.Err }

func named(side int, err error) error { return &SideError{side == 1, err} }

// run feeds both sides and chooses token n.
func (s *step) run(ctx context.Context, n int) error {
	var rows [2][]row
	for i, w := range s.walks {
		var err error
		if rows[i], err = w.feed(ctx, s.ids); err != nil {
			return named(i, err)
		}
	}
	here := s.spotOf(n)
	count := min(len(rows[0]), len(rows[1]))
	if n == 0 {
		s.result.Scored = count
		s.earlier = here
	}
	var last scored
	for k := range count {
		place := Place{Prompt: s.prompt, Position: len(s.result.Prompt) + n - (count - 1 - k)}
		if k == count-1 {
			place.Generated = n + 1
		}
		var err error
		if last, err = s.score(rows[0][len(rows[0])-count+k], rows[1][len(rows[1])-count+k], place, here); err != nil {
			return err
		}
	}
	s.result.A = append(s.result.A, int64(last.a.token))
	s.ids = []int64{int64(last.a.token)}
	return s.follow(ctx, last, here)
}

// spotOf returns the run that was just made, with the inputs of A.
func (s *step) spotOf(n int) *Spot {
	w := s.walks[0]
	return &Spot{
		Place: Place{Prompt: s.prompt, Position: len(s.result.Prompt) + n, Generated: n + 1}, Words: fmt.Sprintf("%s, token %d", s.words, n+1),
		Empty: w.last.empty, Feeds: w.last.fed, Earlier: s.earlier,
	}
}

// differs remembers the run with the largest excess over the tolerance.
func (c *comparison) differs(here *Spot, excess float64) {
	if c.spot == nil || excess > c.excess {
		c.spot, c.excess = here, excess
	}
}

// follow adds the token that B chooses. Before the first difference both have the same tokens, and
// afterwards B goes on alone.
func (s *step) follow(ctx context.Context, last scored, here *Spot) error {
	if last.a.token != last.b.token && last.unusable == [2]bool{} {
		d := s.c.difference(last)
		if s.result.Differs == nil {
			s.result.Differs = d
		}
		if !d.Rounding && s.result.Beyond == nil {
			s.result.Beyond = d
			s.c.differs(here, float64(d.Used))
		}
	}
	token := int64(last.b.token)
	if s.own != nil {
		var err error
		if token, err = s.alone(ctx); err != nil {
			return named(1, err)
		}
	} else if last.a.token != last.b.token {
		s.own = s.walks[1].branch()
	}
	s.result.B = append(s.result.B, token)
	return nil
}

// alone feeds B its last token and returns the next one.
func (s *step) alone(ctx context.Context) (int64, error) {
	rows, err := s.own.feed(ctx, s.result.B[len(s.result.B)-1:])
	if err != nil {
		return 0, err
	}
	scores, err := rows[len(rows)-1].of.Float64s()
	return int64(bestOf(scores, s.c.o.Avoid).token), err
}
