package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/text"
	"lathe/tui/cells"
)

// take takes over what a run came to.
func (r *valueRun) take(p *session.Probe, idle time.Duration) {
	r.lease, r.tensors = newLease(p, idle), []rowTensor{}
	for i, g := range p.Values {
		r.tensors = append(r.tensors, r.tensorsOf(g, r.roles[i])...)
	}
}

// tensorsOf are what a value is made of; one that stands for the value where it is
// made of nothing.
func (r *valueRun) tensorsOf(g graphops.Got, role string) []rowTensor {
	var out []rowTensor
	for at, t := range g.Value.Tensors() {
		c := describeTensor(r.source(g.Name, len(out), t), role, g.Name+at)
		if !g.Value.IsTensor() {
			c.facts = wholeText(g.Value) + "; " + c.facts
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		s := wholeText(g.Value)
		out = []rowTensor{{tensorSource: nowhere{s}, role: role, name: cells.Label(g.Name), short: g.Value.Type.String(), facts: s}}
	}
	for i := range out {
		out[i].run = r
	}
	return out
}

// wholeText tells what a value is that is no tensor.
func wholeText(v graphops.Value) string {
	switch v.Type.Kind {
	case graphops.TypeOptional:
		if len(v.Items) == 0 {
			return v.Type.String() + " without a value"
		}
		return v.Type.String() + " with a value"
	case graphops.TypeSequence:
		return v.Type.String() + " of " + text.Plural(len(v.Items), "item")
	default:
		return v.Type.String()
	}
}

// source is where a tensor of a value is: with the worker, or in what was fed.
func (r *valueRun) source(value string, nth int, t tensor.Tensor) tensorSource {
	p := r.lease.probe
	if !p.IsHeld() {
		return fed{stored{graphops.NewTensorOf(value, t)}, "fed from " + cells.Prose(p.Case)}
	}
	return &held{lease: r.lease, value: value, nth: nth, dtype: t.DType, dims: t.Shape}
}

// awaited stand for the values of a run that has brought none.
func (r *valueRun) awaited() []rowTensor {
	out := make([]rowTensor, len(r.step.names))
	for i, name := range r.step.names {
		why := "not computed"
		if r.isGoing() {
			why = "being computed"
		}
		out[i] = rowTensor{tensorSource: nowhere{why}, run: r, role: r.roles[i], name: cells.Label(name), facts: why}
	}
	return out
}

// valuesKey is what the values that a row shows depend on.
type valuesKey struct {
	at    spot
	run   *valueRun
	going bool
}

// takeValues puts the values of the row before its constants, if there are any.
func (p *tensorPane) takeValues() {
	r := p.ws.valuesAt(p.at)
	key := valuesKey{p.at, r, r != nil && r.isGoing()}
	if key == p.valued {
		return
	}
	var shown []rowTensor
	switch {
	case r == nil:
	case r.tensors != nil:
		shown = r.tensors
	default:
		shown = r.awaited()
	}
	isNew := r != nil && r != p.valued.run
	p.valued = key
	n := len(p.constants)
	p.constants = append(append([]rowTensor(nil), shown...), p.stored...)
	at := p.chosen.Cursor
	if isNew || len(p.constants) != n {
		at = 0
	}
	if isNew && p.shown == viewEqual {
		p.shown = viewStatistics
	}
	p.chosen.Reset(len(p.constants), at)
	p.chosen.Resize(p.listed())
	p.turnTo()
}

// awaitedRun is the run that the chosen tensor waits for, or for which it waited in
// vain; nil for one that is there.
func (p *tensorPane) awaitedRun() *valueRun {
	if c := p.current(); c != nil && c.run != nil && c.run.tensors == nil {
		return c.run
	}
	return nil
}

// showsValue reports whether something that a worker holds can be seen.
func (p *tensorPane) showsValue(r *valueRun) bool {
	c := p.current()
	return p.w > 0 && !p.rest.isOn() && c != nil && c.run == r
}

// runLines tell how far a run is, or why it has failed and what can be done.
func (p *tensorPane) runLines(r *valueRun, w int) []string {
	st, keys := p.ws.styles, p.ws.keys
	switch {
	case r.err != nil:
		lines := painted(troubleLines(r.err, w), st.Warn)
		if r.job != nil {
			for _, line := range p.ws.blameLines(r.job.blame, placeMain) {
				lines = append(lines, painted(cells.WrapWords(line, w), st.Name)...)
			}
		}
		return append(append(lines, ""), painted(cells.WrapWords(p.remedies(), w), st.Faint)...)
	case r.job == nil:
		return painted(cells.WrapWords("waiting for the run before to end", w), st.Faint)
	}
	lines := r.job.status(w)
	if !r.job.asked {
		lines = append(lines, keys.key(placeTensor, actionStop)+" stops it")
	}
	return painted(lines, st.Faint)
}

// remedies are what can be done about a run that has failed.
func (p *tensorPane) remedies() string {
	keys := p.ws.keys
	return keys.key(placeMain, actionValue) + " runs it again, " + keys.key(placeMain, actionValueForm) + " with other inputs or on another provider"
}

// maxLastWords is how many lines are told of what a worker wrote last.
const maxLastWords = 12

// troubleLines are an error as a whole; of a worker that crashed also what it wrote
// last.
func troubleLines(err error, w int) []string {
	var out []string
	for _, line := range cells.SafeLines(err.Error()) {
		out = append(out, cells.WrapWords(line, w)...)
	}
	var crash *ort.CrashError
	if !errors.As(err, &crash) || strings.TrimSpace(crash.Stderr) == "" {
		return out
	}
	last := cells.SafeLines(strings.TrimSpace(crash.Stderr))
	out = append(out, "", "the last that it wrote:")
	for _, line := range last[max(len(last)-maxLastWords, 0):] {
		out = append(out, cells.WrapWords(line, w)...)
	}
	return out
}

// fact is a line of a name and what it is, safe to print.
type fact struct{ name, what string }

// maxFed is how many inputs, notes or warnings of a run are told.
const maxFed = 30

// ranOn tells what values were made of, and how.
func ranOn(p *session.Probe) []fact {
	out := []fact{{"made from", cells.Prose(p.Case)}}
	out = append(out, some(p.Fed, func(f inputs.Fed) fact { return fact{"input", fedText(f)} })...)
	out = append(out, some(p.Notes, func(s string) fact { return fact{"note", cells.Prose(s)} })...)
	if !p.IsHeld() {
		return out
	}
	out = append(out, fact{"provider", cells.Prose(p.Facts.Provider + ", ONNX Runtime " + p.Facts.LibraryVersion)})
	if p.On != "" {
		out = append(out, fact{"behind", cells.Prose(p.On)})
	}
	for _, r := range p.Facts.Refused {
		out = append(out, fact{"refused", cells.Prose(r.Provider + ": " + r.Reason)})
	}
	level := cells.Prose(p.Opt)
	if p.IsProbing {
		level += ": what is fused has no values inside"
	}
	out = append(out, fact{"optimized", level}, fact{"loaded in", text.Elapsed(p.Facts.LoadTime)})
	return append(out, some(p.Facts.Warnings, func(s string) fact { return fact{"warning", cells.Prose(s)} })...)
}

// fedText tells what an input was given, and why.
func fedText(f inputs.Fed) string {
	s := f.Name + "  " + f.Type
	if f.Shape != nil {
		s += " " + f.Shape.String()
	}
	s += ": "
	if f.Source != "" {
		s += f.Source + " "
	}
	s += f.What
	if f.Why != "" {
		s += "; " + f.Why
	}
	return cells.Prose(s)
}

func some[T any](list []T, tell func(T) fact) []fact {
	var out []fact
	for i, x := range list {
		if i == maxFed {
			return append(out, fact{"", fmt.Sprintf("and %s more", text.Count(int64(len(list)-i)))})
		}
		out = append(out, tell(x))
	}
	return out
}

// origin tells what the chosen value was made of; nothing of a constant.
func (p *tensorPane) origin(w int) []string {
	c := p.current()
	if c.run == nil || c.run.lease == nil {
		return nil
	}
	f := &factLines{p: p, w: w}
	f.head("where it comes from")
	for _, fact := range ranOn(c.run.lease.probe) {
		for i, line := range cells.WrapWords(fact.what, max(w-factWidth, 1)) {
			if i > 0 {
				fact.name = ""
			}
			f.add(fact.name, line)
		}
	}
	return f.lines
}
