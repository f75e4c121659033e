package stepwise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops/roles"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/text"
)

// Kind is a kind of fault.
type Kind string

// The kinds that experiments can show.
const (
	Unknown    Kind = "unknown"
	Positions  Kind = "positions off"
	Masked     Kind = "mask too short"
	WrongPlace Kind = "cache written at the wrong place"
	Swapped    Kind = "caches of two layers swapped"
)

// Report is the result of comparing a model with itself.
type Report struct {
	compare.Judged
	Headline string `json:"headline"`
	// Tokens are compared in this number of sequences; Prefix of them come first.
	Tokens    int64 `json:"tokens"`
	Prefix    int64 `json:"prefix"`
	Sequences int64 `json:"sequences"`
	// Ways are the ways in which the tokens were run, beside all at once.
	Ways []Way `json:"ways"`
	// First is the first difference, and Kind its kind with the experiments that show it.
	First    *Difference `json:"first"`
	Kind     Kind        `json:"kind"`
	Evidence []string    `json:"evidence"`
	// Tolerance is what was allowed, and ToleranceWhy where it comes from. Nearest is the largest share
	// of it that was used by what does not differ.
	Tolerance    tensor.Tolerance `json:"tolerance"`
	ToleranceWhy string           `json:"tolerance_why"`
	Nearest      *tensor.Number   `json:"nearest"`
	// Sensitivity is by how many times the tolerance the last position changes with another first
	// token; null if that was not measured.
	Sensitivity *tensor.Number `json:"sensitivity"`
	NotCompared []string       `json:"not_compared"`
	Assumed     []string       `json:"assumed"`
}

// Way is a way to run the tokens, and how it compares with all at once.
type Way struct {
	Name      string `json:"name"`
	Same      bool   `json:"same"`
	Rows      int64  `json:"rows"`  // of outputs
	Slots     int64  `json:"slots"` // positions in caches
	Argmax    int64  `json:"argmax_same"`
	ArgmaxOf  int64  `json:"argmax_rows"`
	Different int    `json:"differences"`
}

func newReport() *Report {
	return &Report{Ways: []Way{}, Evidence: []string{}, NotCompared: []string{}, Assumed: []string{}, Judged: compare.Undecided.Judged()}
}

func number(x float64) *tensor.Number {
	n := tensor.Number(x)
	return &n
}

func (r *Report) undecided(why string) {
	r.Judged = compare.Undecided.Judged()
	r.Headline = "step by step was not compared with all at once: " + text.CleanLine(why)
}

func (r *Report) left(what string) { r.NotCompared = append(r.NotCompared, what) }

// describe records what is run.
func (r *Report) describe(d *decoder, copied string) {
	r.Tokens, r.Prefix, r.Sequences = d.tokens, d.prefix, d.batch
	if copied != "" {
		r.Assumed = append(r.Assumed, copied)
	}
	for _, c := range d.caches {
		switch {
		case c.way == sliding:
			r.left(fmt.Sprintf("the content of the cache %q: the operator decides about the order in a window", c.past))
		case c.way == constant && c.present == "":
			r.Assumed = append(r.Assumed, fmt.Sprintf("the cache %q has random numbers: nothing computes it here", c.past))
		}
		if port := d.roles.Output(c.present); port != nil && port.Kind == roles.Unknown {
			r.Assumed = append(r.Assumed, fmt.Sprintf("the cache %q continues in %q: only their names say so", c.past, c.present))
		}
		if c.window > d.tokens {
			r.left(fmt.Sprintf("tokens beyond the window of %d of the cache %q", c.window, c.past))
		}
	}
	for _, list := range [][]string{assumed(d)} {
		r.Assumed = append(r.Assumed, list...)
	}
}

// assumed returns what the roles assume about the inputs.
func assumed(d *decoder) []string {
	var out []string
	for i := range d.roles.Inputs {
		p := &d.roles.Inputs[i]
		for _, a := range p.Assumed {
			if s := fmt.Sprintf("%q: %s", p.Name, a); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

func (r *Report) tolerance(j *judge) {
	r.Tolerance, r.ToleranceWhy, r.Nearest = j.tol, j.why, number(j.nearest)
}

// pass records a way that does not differ. It decides the verdict unless a later one differs.
func (r *Report) pass(way string, c *compared, runs []*seen, of *reference) {
	w := Way{Name: way, Same: true, Rows: c.rows, Slots: c.slots}
	w.Argmax, w.ArgmaxOf = argmax(of, runs)
	r.Ways = append(r.Ways, w)
	r.Judged = compare.Pass.Judged()
}

// conclude writes the headline of what does not differ. It says what was not compared.
func (r *Report) conclude() {
	var ways []string
	for _, w := range r.Ways {
		ways = append(ways, w.Name)
	}
	r.Headline = fmt.Sprintf("step by step equals all at once: %d tokens of %s as %s", r.Tokens, text.Plural(int(r.Sequences), "sequence"), strings.Join(ways, "; as "))
	if n := len(r.NotCompared); n > 0 {
		r.Headline += "; not compared: " + text.CleanLine(r.NotCompared[0])
		if n > 1 {
			r.Headline += fmt.Sprintf(" and %d more", n-1)
		}
	}
}

// fail records a way that differs. what says so.
func (r *Report) fail(what, way string, c *compared, e explanation) {
	r.Ways = append(r.Ways, Way{Name: way, Rows: c.rows, Slots: c.slots, Different: len(c.differences)})
	r.First, r.Kind, r.Evidence = &c.differences[0], e.kind, e.evidence
	r.Judged = compare.Fail.Judged()
	r.Headline = fmt.Sprintf("%s, first at position %d: %s; kind: %s", what, r.First.Position, r.First, e.kind)
}

// stopped records a way in which a run fails after a run with a past did not.
func (r *Report) stopped(way string, c *compared, at int64, err error) {
	r.Ways = append(r.Ways, Way{Name: way, Rows: c.rows, Slots: c.slots})
	r.Kind, r.Judged = Unknown, compare.Fail.Judged()
	r.Headline = fmt.Sprintf("step by step ends at position %d, and all at once does not (%s): %s", at, way, text.CleanLine(err.Error()))
}

// String describes a difference, safe to print.
func (d *Difference) String() string {
	name := `"` + text.Clean(d.Output) + `"`
	switch d.What {
	case whatLength:
		return fmt.Sprintf("%s does not have the expected %d positions", name, d.Slot)
	case whatOld:
		return fmt.Sprintf("the run changes position %d in the cache %s", d.Slot, name)
	case whatNew:
		return fmt.Sprintf("position %d in the cache %s is off by %.3g, %.3g times what is allowed", d.Slot, name, float64(d.MaxAbs), float64(d.Used))
	case whatState:
		return fmt.Sprintf("the state %s is off by %.3g, %.3g times what is allowed", name, float64(d.MaxAbs), float64(d.Used))
	}
	return fmt.Sprintf("output %s of sequence %d is off by %.3g, %.3g times what is allowed", name, d.Sequence, float64(d.MaxAbs), float64(d.Used))
}

// argmax counts the rows of scores with the same highest score.
func argmax(of *reference, runs []*seen) (same, rows int64) {
	for i := range of.roles.Outputs {
		p := &of.roles.Outputs[i]
		if p.Kind != roles.Logits {
			continue
		}
		for _, s := range runs {
			for at := s.from; at < s.end(); at++ {
				a, errA := rowAt(of.whole, p.Name, at)
				b, errB := rowAt(s, p.Name, at)
				width := len(a) / int(of.batch)
				if errA != nil || errB != nil || len(a) != len(b) || width == 0 {
					continue
				}
				for from := 0; from+width <= len(a); from += width {
					rows++
					if highest(a[from:from+width]) == highest(b[from:from+width]) {
						same++
					}
				}
			}
		}
	}
	return same, rows
}

func highest(a []float64) int {
	at := 0
	for i, x := range a {
		if x > a[at] || math.IsNaN(a[at]) {
			at = i
		}
	}
	return at
}

// WriteDetails writes what led to the headline for people.
func (r *Report) WriteDetails(p *text.Printer) {
	for _, x := range r.Ways {
		what := "the same"
		if !x.Same {
			what = text.Plural(x.Different, "difference")
		}
		line := fmt.Sprintf("%s: %s, %s and %s in caches", x.Name, what, text.Plural(int(x.Rows), "row"), text.Plural(int(x.Slots), "position"))
		if x.ArgmaxOf > 0 {
			line += fmt.Sprintf("; the highest score is the same in %d of %d", x.Argmax, x.ArgmaxOf)
		}
		p.Line("  %s", line)
	}
	for _, e := range r.Evidence {
		p.Line("  because %s", text.CleanLine(e))
	}
	if r.ToleranceWhy != "" {
		p.Line("  tolerance: rtol %g atol %.3g (%s)", r.Tolerance.RTol, r.Tolerance.ATol, r.ToleranceWhy)
	}
	if r.Sensitivity != nil {
		p.Line("  with another first token the last position changes by %.3g times the tolerance", float64(*r.Sensitivity))
	}
	for _, n := range r.NotCompared {
		p.Line("  not compared: %s", text.CleanLine(n))
	}
	for _, a := range r.Assumed {
		p.Line("  assumed: %s", text.CleanLine(a))
	}
}
