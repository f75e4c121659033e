package tui

import (
	"context"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/tui/cells"
)

// typing is what is known about the types of a model's values: those that the file declares, and
// those that were inferred. It also has other facts that are kept for each model, such as costs.
// All code that shows a type gets it here.
type typing struct {
	model *graphops.Model
	// inferred is the result of type inference. Only the goroutine of Update stores it; background
	// work reads it.
	inferred atomic.Pointer[inferred]
	costs    atomic.Pointer[costs]      // recomputed when the types are
	errors   atomic.Pointer[nodeErrors] // of the last validation, nil for none
	times    atomic.Pointer[nodeTimes]  // of the last profile, nil for none
	checkup  *checkup                   // nil until it is known; only the goroutine of Update uses it
	fitting  *fitting                   // as for checkup
}

// inferred is the result of type inference. It is immutable.
type inferred struct {
	*shape.Result        // nil if the inference has failed
	err           error  // why
	typed         []bool // for each place, whether most outputs of its nodes have a known type
}

// of returns the type of a value of a place.
func (t *typing) of(p *graphops.Place, v graphops.ValueID) graphops.Type {
	return t.inferred.Load().of(p, v)
}

// of returns the inferred type of a value. If nothing was inferred, it is the type that the file
// declares.
func (in *inferred) of(p *graphops.Place, v graphops.ValueID) graphops.Type {
	if r := in.result(); r != nil {
		return r.Stated(p, v, p.Type(v))
	}
	return p.Type(v)
}

// result returns the result of the inference, or nil.
func (in *inferred) result() *shape.Result {
	if in == nil {
		return nil
	}
	return in.Result
}

// result returns the result of type inference, or nil if it is not finished.
func (t *typing) result() *shape.Result { return t.inferred.Load().result() }

// denied returns the type that the file declares for a value, and true if it contradicts the
// inferred type.
func (t *typing) denied(p *graphops.Place, v graphops.ValueID) (declared graphops.Type, is bool) {
	r, info := t.result(), p.Graph.Index().Info(v)
	if r == nil || info == nil || p.Graph.Index().Producer(v) < 0 {
		return graphops.Type{}, false
	}
	declared = info.Type()
	return declared, r.Believe(p, v, declared).Denied != ""
}

// isTyped reports whether a column of types would be filled in most rows of a place.
func (t *typing) isTyped(p *graphops.Place) bool {
	if in := t.inferred.Load(); in.result() != nil {
		return in.typed[p.ID]
	}
	return len(p.Graph.ValueInfo()) >= len(p.Graph.Nodes())/2
}

// keptTypings is for how many models the types are kept. Undo and redo then show them without
// inferring them again.
const keptTypings = 4

// typings holds the typings of the models that were shown last, the newest first.
type typings struct {
	list []*typing
}

// of returns the typing of a model.
func (t *typings) of(m *graphops.Model) *typing {
	at := slices.IndexFunc(t.list, func(x *typing) bool { return x.model == m })
	kept := &typing{model: m}
	if at >= 0 {
		kept = t.list[at]
		t.list = slices.Delete(t.list, at, at+1)
	}
	t.list = slices.Insert(t.list, 0, kept)
	t.list = t.list[:min(len(t.list), keptTypings)]
	return kept
}

// infer infers the types of the current model, unless they are known.
func (ws *workspace) infer() tea.Cmd {
	t := ws.types
	ws.inferring.Stop()
	ws.measuring.Stop()
	if t.inferred.Load() != nil {
		return tea.Batch(ws.measure(), ws.examine())
	}
	infer := func(ctx context.Context) *inferred {
		r, err := shape.Infer(ctx, t.model, shape.Options{NameAxes: true})
		in := &inferred{Result: r, err: err}
		if r != nil {
			in.typed = typedPlaces(t.model, r)
		}
		return in
	}
	return ask(ws, &ws.inferring, "inferring shapes", infer, func(in *inferred) tea.Cmd { return takeTypes(ws, t, in) })
}

// typedPlaces reports for each place whether at least half of its nodes have a first output with a
// known type.
func typedPlaces(m *graphops.Model, r *shape.Result) []bool {
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

// takeTypes stores types. It repeats searches and sorting, because their results may depend on the
// new types.
func takeTypes(ws *workspace, t *typing, in *inferred) tea.Cmd {
	t.inferred.Store(in)
	if t != ws.types {
		return nil
	}
	if in.err != nil {
		ws.log.Say("shapes could not be inferred, so those in the file are shown: " + in.err.Error())
	}
	cmds := []tea.Cmd{ws.measure(), ws.examine()}
	if f := &ws.found; f.query != "" {
		leads, kept := f.leads && !f.known, f.kept
		cmds = append(cmds, ws.find(f.query, leads))
		f.kept = kept
	}
	if ws.listing.order.isLate() {
		cmds = append(cmds, ws.arrange())
	}
	return tea.Batch(cmds...)
}

// typeText writes a type with its shape; "" if nothing is known.
func typeText(t graphops.Type) string {
	switch {
	case t.Kind == graphops.TypeUnknown:
		return ""
	case t.Kind == graphops.TypeTensor, t.Kind == graphops.TypeSparse:
		return t.String() + " " + cells.Label(t.Shape.String())
	default:
		return t.String()
	}
}
