package tui

import (
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/text"
	"lathe/tui/cells"
)

// take stores the values of a finished run, and a lease that keeps their worker for the time idle.
func (r *valueRun) take(p *session.Probe, idle time.Duration) {
	r.lease, r.tensors = newLease(p, idle), []rowTensor{}
	for i, g := range p.Values {
		r.tensors = append(r.tensors, r.tensorsOf(g, r.roles[i])...)
	}
}

// maxParts is the maximum number of tensors listed for one value.
const maxParts = 1000

// tensorsOf returns a row for each tensor in a value. A value without tensors gets one row that
// describes it.
func (r *valueRun) tensorsOf(g graphops.Got, role string) []rowTensor {
	var out []rowTensor
	for at, t := range g.Value.Tensors() {
		if len(out) == maxParts {
			s := "further tensors of this value are not listed"
			out = append(out, rowTensor{tensorSource: nowhere{s}, role: role, name: cells.Label(g.Name + at), facts: s})
			break
		}
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

// wholeText describes a value that is not a tensor.
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

// source returns where a tensor of a value is: at the worker, or in what was fed.
func (r *valueRun) source(value string, nth int, t tensor.Tensor) tensorSource {
	p := r.lease.probe
	if !p.IsHeld() {
		return fed{stored{graphops.NewTensorOf(value, t)}, r, "fed from " + cells.Prose(p.Case)}
	}
	return &held{lease: r.lease, value: value, nth: nth, dtype: t.DType, dims: t.Shape}
}

// awaited returns a row for each value of a run that is running or has failed. The rows say so.
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
