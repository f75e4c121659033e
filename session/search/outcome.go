package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// Unit is what gets one type: a node, or nodes that share a weight.
type Unit struct {
	Choices []Choice // besides choice 0, which leaves the unit as it is
}

// Choice is a type for a unit, with what is known before it is tried.
type Choice struct {
	Saves int64   // bytes
	Noise float64 // the estimated noise power at the outputs, relative to the signal
}

// Assignment has the index of a choice for each unit; 0 leaves the unit as it is.
type Assignment []byte

// MarshalText writes a digit for each unit.
func (a Assignment) MarshalText() ([]byte, error) {
	out := make([]byte, len(a))
	for i, c := range a {
		if c > 9 {
			return nil, fmt.Errorf("choice %d of unit %d: expected at most 9", c, i)
		}
		out[i] = '0' + c
	}
	return out, nil
}

// UnmarshalText reads what MarshalText writes.
func (a *Assignment) UnmarshalText(text []byte) error {
	out := make(Assignment, len(text))
	for i, c := range text {
		if c < '0' || c > '9' {
			return fmt.Errorf("choice %q of unit %d: expected a digit", c, i)
		}
		out[i] = c - '0'
	}
	*a = out
	return nil
}

// with returns a copy in which one unit has another choice.
func (a Assignment) with(unit, choice int) Assignment {
	out := slices.Clone(a)
	out[unit] = byte(choice)
	return out
}

// changed counts the units that do not stay as they are.
func (a Assignment) changed() (count int) {
	for _, c := range a {
		if c != 0 {
			count++
		}
	}
	return count
}

// Outcome is what a trial found out.
type Outcome struct {
	// Failed says why the model could not be made or run; "" if it could.
	Failed string      `json:"failed,omitempty"`
	Bytes  int64       `json:"bytes"`
	Errors []OutputGap `json:"errors"`
	// Top1 is nil if the correct classes are not known.
	Top1 *Top1 `json:"top1,omitempty"`
}

// OutputGap is how far an output is from that of the original.
type OutputGap struct {
	Output string `json:"output"`
	// Noise is the noise power relative to the signal.
	Noise tensor.Number `json:"noise"`
	// KL is the Kullback-Leibler divergence; NaN if the output has no rows of floating-point numbers.
	KL tensor.Number `json:"kl"`
}

// Worst returns the gap with the largest noise; nil if no output was compared.
func (o *Outcome) Worst() *OutputGap {
	if len(o.Errors) == 0 {
		return nil
	}
	at := slices.MaxFunc(o.Errors, func(a, b OutputGap) int { return cmp.Compare(a.Noise, b.Noise) })
	return &at
}

// Trial is an assignment and its outcome.
type Trial struct {
	Assignment Assignment
	Outcome    Outcome
}

// Oracle finds out what an assignment makes of the model. A failure of the model is an outcome; an
// error ends the search.
type Oracle interface {
	Try(ctx context.Context, a Assignment) (Outcome, error)
}

// loads returns what an outcome uses of the limits on errors.
func loads(targets []Target, o *Outcome) (out []float64) {
	for _, t := range targets {
		for _, v := range t.loads(o) {
			if math.IsNaN(v) {
				v = math.Inf(1)
			}
			out = append(out, v)
		}
	}
	return out
}

// Load returns the largest part of a limit on errors that an outcome uses: at most 1 if it keeps all of
// them. It is infinite for a failure.
func Load(targets []Target, o *Outcome) float64 {
	if o.Failed != "" {
		return math.Inf(1)
	}
	return most(loads(targets, o))
}

func most(list []float64) (out float64) {
	for _, v := range list {
		out = max(out, v)
	}
	return out
}
