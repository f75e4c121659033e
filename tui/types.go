package tui

import (
	"context"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// typing is what is known of the types of a model's values: what the file
// declares, and what follows from the graph as soon as that is inferred. Who
// shows a type asks here.
type typing struct {
	model *graphops.Model
	// inferred is stored by Update's goroutine alone, and read by others too.
	inferred atomic.Pointer[inferred]
	costs    atomic.Pointer[costs]      // follow the types
	errors   atomic.Pointer[nodeErrors] // of the last validation, nil for none
	times    atomic.Pointer[nodeTimes]  // of the last profile, nil for none
	checkup  *checkup                   // nil until it is known; Update's goroutine alone asks for it
	fitting  *fitting                   // likewise
}

// inferred is what an inference has found out. It never changes.
type inferred struct {
	*shape.Result        // nil where the inference has failed
	err           error  // why
	typed         []bool // by the number of a place: most of what its nodes make has a type
}

// of is the type of a value of a place.
func (t *typing) of(p *graphops.Place, v graphops.ValueID) graphops.Type {
	return t.inferred.Load().of(p, v)
}

// of is the type of a value of a place, what the file declares where nothing is
// inferred.
func (in *inferred) of(p *graphops.Place, v graphops.ValueID) graphops.Type {
	if r := in.result(); r != nil {
		return r.Stated(p, v, p.Type(v))
	}
	return p.Type(v)
}

// result is nil where nothing is inferred.
func (in *inferred) result() *shape.Result {
	if in == nil {
		return nil
	}
	return in.Result
}

// result is what was inferred, nil where that is not known.
func (t *typing) result() *shape.Result { return t.inferred.Load().result() }

// denied is what the file declares of a value where the graph contradicts it.
func (t *typing) denied(p *graphops.Place, v graphops.ValueID) (declared graphops.Type, is bool) {
	r, info := t.result(), p.Graph.Index().Info(v)
	if r == nil || info == nil || p.Graph.Index().Producer(v) < 0 {
		return graphops.Type{}, false
	}
	declared = info.Type()
	return declared, r.Believe(p, v, declared).Denied != ""
}

// isTyped reports whether a column of types would tell something in most rows of a
// place.
func (t *typing) isTyped(p *graphops.Place) bool {
	if in := t.inferred.Load(); in.result() != nil {
		return in.typed[p.ID]
	}
	return len(p.Graph.ValueInfo()) >= len(p.Graph.Nodes())/2
}

// keptTypings is for how many models types are kept, so that undo and redo show
// them at once.
const keptTypings = 4

// typings are those of the last models that were shown, the newest first.
type typings struct {
	list   []*typing
	cancel context.CancelFunc // of what is worked out, if anything is
}

// begin cancels what is worked out for what comes next.
func (t *typings) begin(ctx context.Context) context.Context {
	if t.cancel != nil {
		t.cancel()
	}
	ctx, t.cancel = context.WithCancel(ctx)
	return ctx
}

// of is the typing of a model.
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

// inferredMsg brings the types of a model.
type inferredMsg struct {
	typing *typing
	*inferred
}

// infer infers the types of the model that shows, unless they are known.
func (ws *workspace) infer() tea.Cmd {
	ctx, t := ws.typings.begin(ws.ctx), ws.types
	if t.inferred.Load() != nil {
		return tea.Batch(ws.measure(), ws.examine())
	}
	return guarded("inferring shapes", func() tea.Msg {
		r, err := shape.Infer(ctx, t.model, shape.Options{NameAxes: true})
		if ctx.Err() != nil {
			return nil
		}
		in := &inferred{Result: r, err: err}
		if r != nil {
			in.typed = typedPlaces(t.model, r)
		}
		return inferredMsg{t, in}
	})
}

// typedPlaces tells for every place whether at least half of its nodes make
// something of a type that is known.
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

// take implements answer. What was found, or ordered, by types that the file
// declares is asked for again.
func (m inferredMsg) take(a *App) tea.Cmd {
	m.typing.inferred.Store(m.inferred)
	ws := a.ws
	if m.typing != ws.types {
		return nil
	}
	if m.err != nil {
		ws.log.say("shapes are those that the file declares: " + m.err.Error())
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
