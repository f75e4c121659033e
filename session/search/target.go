package search

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Measure is what a target limits.
type Measure string

// The measures of targets.
const (
	// SNR is the signal-to-noise ratio of an output in dB; of the worst one, if no output is named.
	SNR Measure = "snr"
	// KL is the Kullback-Leibler divergence of an output in nats, the mean over its rows. A row is
	// the softmax along the last axis.
	KL Measure = "kl"
	// Top1Loss is how much less often the label of a row has the highest score than in the original: a
	// difference of shares of all rows.
	Top1Loss Measure = "top1-loss"
	// Size is the size of the file relative to the original.
	Size Measure = "size"
)

// Target is a limit that a result must keep.
type Target struct {
	Measure Measure
	Output  string  // the output that is meant, or "" if none is named
	Bound   float64 // in dB, in nats, or as a fraction, also of percentage points
}

// syntax says how each measure is written.
var syntax = []struct {
	measure  Measure
	relation string
	unit     string // "" if the number has none
	scale    float64
	named    bool // an output can be named
}{
	{SNR, ">=", "dB", 1, true},
	{KL, "<=", "", 1, true},
	{Top1Loss, "<=", "", 0.01, false},
	{Size, "<=", "%", 0.01, false},
}

// Examples are targets as they are written, for help and errors.
const Examples = "snr>=30dB, kl<=0.01, top1-loss<=0.5 in percentage points, size<=25%; with the name of an output, snr:NAME>=30dB or kl:NAME<=0.01"

// ParseTarget reads a target such as snr>=30dB.
func ParseTarget(s string) (Target, error) {
	wrong := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("%s; expected one of %s", why, Examples)
	}
	for _, x := range syntax {
		rest, ok := strings.CutPrefix(s, string(x.measure))
		if !ok || rest == "" || !strings.ContainsRune("<>=:", rune(rest[0])) {
			continue
		}
		at := strings.LastIndex(rest, x.relation)
		if at < 0 {
			return wrong(fmt.Sprintf("%s needs %s", x.measure, x.relation))
		}
		t := Target{Measure: x.measure}
		if of := rest[:at]; of != "" {
			t.Output = strings.TrimPrefix(of, ":")
			if of[0] != ':' || t.Output == "" || !x.named {
				return wrong(fmt.Sprintf("%q stands before %s", of, x.relation))
			}
		}
		number := rest[at+len(x.relation):]
		if digits, has := strings.CutSuffix(number, x.unit); has {
			number = digits
		} else {
			return wrong(fmt.Sprintf("the number has no unit %s", x.unit))
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return wrong(fmt.Sprintf("%q is not a number", number))
		}
		t.Bound = v * x.scale
		if x.measure == Top1Loss && t.Bound < 0 {
			return wrong("the limit must not be negative")
		}
		if (x.measure == KL || x.measure == Size) && !(t.Bound > 0) {
			return wrong("the limit must be greater than 0")
		}
		return t, nil
	}
	return wrong("its measure is not known")
}

// ParseTargets reads targets. At least one must limit the error.
func ParseTargets(list []string) (out []Target, err error) {
	errors := false
	for _, s := range list {
		t, err := ParseTarget(s)
		if err != nil {
			return nil, fmt.Errorf("target %q: %w", s, err)
		}
		errors = errors || t.Measure != Size
		out = append(out, t)
	}
	if !errors {
		return nil, fmt.Errorf("no target limits the error, so that the smallest model would always be chosen; give one such as snr>=30dB")
	}
	return out, nil
}

// String returns the target as it is written.
func (t Target) String() string {
	for _, x := range syntax {
		if x.measure == t.Measure {
			of := ""
			if t.Output != "" {
				of = ":" + t.Output
			}
			return string(t.Measure) + of + x.relation + strconv.FormatFloat(t.Bound/x.scale, 'g', 6, 64) + x.unit
		}
	}
	return ""
}

// loads returns how much of the limit an outcome uses, for each output that counts: above 1 it is
// exceeded. For errors it is a ratio of powers, so that the loads of noises that do not depend on each
// other add. It is empty for a limit on the size.
func (t Target) loads(o *Outcome) (out []float64) {
	if t.Measure == Top1Loss && o.Top1 != nil {
		return []float64{o.Top1.load(t.Bound)}
	}
	for _, e := range o.Errors {
		if t.Output != "" && t.Output != e.Output {
			continue
		}
		switch t.Measure {
		case SNR:
			out = append(out, float64(e.Noise)*math.Pow(10, t.Bound/10))
		case KL:
			if !math.IsNaN(float64(e.KL)) { // such an output has no rows of numbers
				out = append(out, float64(e.KL)/t.Bound)
			}
		}
	}
	return out
}

// CheckOutputs returns an error for a target whose output does not exist or cannot be measured, or which
// must name one. o is any outcome of the model that did not fail.
func CheckOutputs(targets []Target, o *Outcome) error {
	var all, rows []string
	for _, e := range o.Errors {
		all = append(all, e.Output)
		if !math.IsNaN(float64(e.KL)) {
			rows = append(rows, e.Output)
		}
	}
	for _, t := range targets {
		switch {
		case t.Measure == Top1Loss && o.Top1 == nil:
			return fmt.Errorf("target %s: the correct classes of the rows are not known", t)
		case t.Output != "" && !slices.Contains(all, t.Output):
			return fmt.Errorf("target %s: no output is named %q; expected one of %q", t, t.Output, all)
		case t.Measure == KL && len(rows) == 0:
			return fmt.Errorf("target %s: no output has floating-point numbers along a last axis of at least 2", t)
		case t.Measure == KL && t.Output != "" && !slices.Contains(rows, t.Output):
			return fmt.Errorf("target %s: %q has no floating-point numbers along a last axis of at least 2; expected one of %q", t, t.Output, rows)
		case t.Measure == KL && t.Output == "" && len(rows) > 1:
			return fmt.Errorf("target %s: which output is meant? Name one of %q, such as kl:%s<=0.01", t, rows, rows[0])
		}
	}
	return nil
}
