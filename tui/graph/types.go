package graph

import (
	"slices"
	"sync/atomic"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/session/reporting"
	"lathe/tui/cells"
)

// Typing is what is known about the types of a model's values: those that the file declares, and
// those that were inferred. It also has other facts that are kept for each model, such as costs.
// All code that shows a type gets it here.
type Typing struct {
	Model *graphops.Model
	// Inferred is the result of type inference. Only the goroutine of Update stores it; background
	// work reads it.
	Inferred atomic.Pointer[Inferred]
	Costs    atomic.Pointer[Costs]       // recomputed when the types are
	Errors   atomic.Pointer[NodeErrors]  // of the last validation, nil for none
	Times    atomic.Pointer[NodeTimes]   // of the last profile, nil for none
	Latency  atomic.Pointer[Latencies]   // of benchmarks, nil for none
	Signals  atomic.Pointer[NodeSignals] // of the last look at what to quantize, nil for none
	// Summary says what the model is; nil until it is known. Only the goroutine of Update uses it.
	Summary *reporting.Summary
	Checkup *Checkup // nil until it is known; only the goroutine of Update uses it
	Fitting *Fitting // as for checkup
}

// Inferred is the result of type inference. It is immutable.
type Inferred struct {
	*shape.Result        // nil if the inference has failed
	Err           error  // why
	Typed         []bool // for each place, whether most outputs of its nodes have a known type
}

// Of returns the type of a value of a place.
func (t *Typing) Of(p *graphops.Place, v graphops.ValueID) graphops.Type {
	return t.Inferred.Load().of(p, v)
}

// Of returns the inferred type of a value. If nothing was inferred, it is the type that the file
// declares.
func (in *Inferred) of(p *graphops.Place, v graphops.ValueID) graphops.Type {
	if r := in.result(); r != nil {
		return r.Stated(p, v, p.Type(v))
	}
	return p.Type(v)
}

// Result returns the result of the inference, or nil.
func (in *Inferred) result() *shape.Result {
	if in == nil {
		return nil
	}
	return in.Result
}

// Result returns the result of type inference, or nil if it is not finished.
func (t *Typing) Result() *shape.Result { return t.Inferred.Load().result() }

// Denied returns the type that the file declares for a value, and true if it contradicts the
// inferred type.
func (t *Typing) Denied(p *graphops.Place, v graphops.ValueID) (declared graphops.Type, is bool) {
	r, info := t.Result(), p.Graph.Index().Info(v)
	if r == nil || info == nil || p.Graph.Index().Producer(v) < 0 {
		return graphops.Type{}, false
	}
	declared = info.Type()
	return declared, r.Believe(p, v, declared).Denied != ""
}

// IsTyped reports whether a column of types would be filled in most rows of a place.
func (t *Typing) IsTyped(p *graphops.Place) bool {
	if in := t.Inferred.Load(); in.result() != nil {
		return in.Typed[p.ID]
	}
	return len(p.Graph.ValueInfo()) >= len(p.Graph.Nodes())/2
}

// keptTypings is for how many models the types are kept. Undo and redo then show them without
// inferring them again.
const keptTypings = 4

// Typings holds the typings of the models that were shown last, the newest first.
type Typings struct {
	List []*Typing
}

// Of returns the typing of a model.
func (t *Typings) Of(m *graphops.Model) *Typing {
	at := slices.IndexFunc(t.List, func(x *Typing) bool { return x.Model == m })
	kept := &Typing{Model: m}
	if at >= 0 {
		kept = t.List[at]
		t.List = slices.Delete(t.List, at, at+1)
	}
	t.List = slices.Insert(t.List, 0, kept)
	t.List = t.List[:min(len(t.List), keptTypings)]
	return kept
}

// TypedPlaces reports for each place whether at least half of its nodes have a first output with a
// known type.
func TypedPlaces(m *graphops.Model, r *shape.Result) []bool {
	out := make([]bool, len(m.Places()))
	for _, p := range m.Places() {
		x, typed := p.Graph.Index(), 0
		for i := range p.Graph.Nodes() {
			made := x.Makes(i)
			if len(made) > 0 && (r.Value(p, made[0]).Kind != graphops.TypeUnknown || p.Type(made[0]).Kind != graphops.TypeUnknown) {
				typed++
			}
		}
		out[p.ID] = 2*typed >= len(p.Graph.Nodes())
	}
	return out
}

// TypeText writes a type with its shape; "" if nothing is known.
func TypeText(t graphops.Type) string {
	switch {
	case t.Kind == graphops.TypeUnknown:
		return ""
	case t.Kind == graphops.TypeTensor, t.Kind == graphops.TypeSparse:
		return t.String() + " " + cells.Label(t.Shape.String())
	default:
		return t.String()
	}
}
