package values

import (
	"time"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
)

// take stores the values of a finished run, and a lease that keeps their worker for the time idle.
func (r *Run) take(p *reporting.Probe, idle time.Duration) {
	r.Lease, r.Tensors = newLease(p, idle), []RowTensor{}
	for i, g := range p.Values {
		r.Tensors = append(r.Tensors, r.tensorsOf(g, r.roles[i])...)
	}
}

// MaxParts is the maximum number of tensors listed for one value.
const MaxParts = 1000

// tensorsOf returns a row for each tensor in a value. A value without tensors gets one row that
// describes it.
func (r *Run) tensorsOf(g execution.Got, role string) []RowTensor {
	var out []RowTensor
	for at, t := range g.Value.Tensors() {
		if len(out) == MaxParts {
			s := "further tensors of this value are not listed"
			out = append(out, RowTensor{TensorSource: Nowhere{s}, Role: role, Name: cells.Label(g.Name + at), Facts: s})
			break
		}
		c := describeTensor(r.source(g.Name, len(out), t), role, g.Name+at)
		if !g.Value.IsTensor() {
			c.Facts = wholeText(g.Value) + "; " + c.Facts
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		s := wholeText(g.Value)
		out = []RowTensor{{TensorSource: Nowhere{s}, Role: role, Name: cells.Label(g.Name), Short: g.Value.Type.String(), Facts: s}}
	}
	for i := range out {
		out[i].Run = r
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
func (r *Run) source(value string, nth int, t tensor.Tensor) TensorSource {
	p := r.Lease.Probe
	if !p.IsHeld() {
		return Fed{Stored{graphops.NewTensorOf(value, t)}, r, "fed from " + cells.Prose(p.Case)}
	}
	return &Held{Lease: r.Lease, value: value, nth: nth, dtype: t.DType, dims: t.Shape}
}

// Awaited returns a row for each value of a run that is running or has failed. The rows say so.
func (r *Run) Awaited() []RowTensor {
	out := make([]RowTensor, len(r.step.names))
	for i, name := range r.step.names {
		why := "not computed"
		if r.IsGoing() {
			why = "being computed"
		}
		out[i] = RowTensor{TensorSource: Nowhere{why}, Run: r, Role: r.roles[i], Name: cells.Label(name), Facts: why}
	}
	return out
}
