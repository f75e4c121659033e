package sides

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/generating"
	"lathe/session/generation"
	"lathe/session/text"
)

// Pipeline is what generates on one side: models that run once for each prompt, such as an encoder, and
// a decoder.
type Pipeline struct {
	Path    string
	Before  []Stage // in the order in which they run
	First   *Stage  // makes the decoder's first run, if the decoder does not
	Decoder Stage
	// Carry says which outputs of First the inputs of Decoder get.
	Carry map[string]string
	Notes []string
}

// Stage is a model of a pipeline.
type Stage struct {
	Name  string // "" if it is the only one
	Path  string
	Input []string // values of --input about it
	// From says which values of earlier stages its inputs get.
	From map[string]Source
}

// Source is an input or an output of a stage.
type Source struct{ Stage, Value string }

// stage is a stage that is loaded.
type stage struct {
	Stage
	x    *Executor
	run  generating.Run
	plan *generation.Plan // nil if it runs before the decoder
}

// line is a pipeline that is loaded.
type line struct {
	path           string
	before         []*stage
	first, decoder *stage
	carry          map[string]string
	made           []values // by prompt
}

// all returns the stages in the order in which they run.
func (l *line) all() []*stage {
	list := slices.Clone(l.before)
	if l.first != nil {
		list = append(list, l.first)
	}
	return append(list, l.decoder)
}

func (l *line) close() {
	for _, st := range l.all() {
		if st != nil {
			st.x.Close()
		}
	}
}

// side returns the line without what runs before the decoder.
func (l *line) side() *generating.Side {
	model := func(st *stage) generating.Model {
		return generating.Model{Name: st.Name, Run: st.run, Plan: st.plan}
	}
	s := &generating.Side{Decoder: model(l.decoder), Carry: l.carry}
	if l.first != nil {
		m := model(l.first)
		s.First = &m
	}
	return s
}

// open loads both pipelines; if there is only one, it is both sides. The error is an unloadedError if the runtime rejects a model.
func (g *generated) open(ctx context.Context, pipes ...Pipeline) error {
	said := [2][]string{g.step.sides.A, g.step.sides.B}
	var errs [2]error
	for i, p := range pipes {
		l := &line{path: p.Path, carry: p.Carry}
		g.notes = append(g.notes, p.Notes...)
		load := func(st Stage) *stage {
			x, err := g.step.Executor(g.env, st.Path, string(rune('a'+i)), said[i])
			if err != nil {
				errs[i] = err
				return nil
			}
			if errs[i] == nil {
				errs[i] = x.Load(ctx)
			}
			return &stage{Stage: st, x: x, run: x.own}
		}
		for _, st := range p.Before {
			l.before = append(l.before, load(st))
		}
		if p.First != nil {
			l.first = load(*p.First)
		}
		l.decoder = load(p.Decoder)
		if slices.Contains(l.all(), nil) {
			return errs[i]
		}
		g.lines[i] = l
	}
	if err := unloadedBy(errs[0], errs[1]); err != nil {
		return err
	}
	if len(pipes) == 1 {
		g.lines[1] = g.lines[0]
	}
	return g.alike()
}

// alike checks that both lines consist of the same models.
func (g *generated) alike() error {
	for _, a := range g.lines[0].before {
		if g.lines[1].named(a.Name) == nil {
			return fmt.Errorf("%s has the model %s, and %s has none of that name: expected folders with the same models", text.Clean(g.lines[0].path), text.Clean(a.Name), text.Clean(g.lines[1].path))
		}
	}
	if len(g.lines[0].before) != len(g.lines[1].before) {
		return fmt.Errorf("%s has %s before the decoder, and %s has %d: expected folders with the same models", text.Clean(g.lines[0].path), text.Plural(len(g.lines[0].before), "model"), text.Clean(g.lines[1].path), len(g.lines[1].before))
	}
	return nil
}

// named returns the stage with a name, or nil.
func (l *line) named(name string) *stage {
	for _, st := range l.all() {
		if st.Name == name {
			return st
		}
	}
	return nil
}

// single reports whether each side is one model.
func (g *generated) single() bool { return len(g.lines[0].all())+len(g.lines[1].all()) == 2 }

// models are the models of both sides; the last one is the decoder of b.
func (g *generated) models() (list []*graphops.Model) {
	for _, l := range g.lines {
		for _, st := range l.all() {
			list = append(list, st.x.Model)
		}
	}
	return list
}

// scored is the element type of the scores.
func (l *line) scored() tensor.DType {
	return typeOf(l.decoder.x.types.outputs, l.decoder.plan.Logits).Elem
}

// own runs a model on inputs with its own names and types.
func (x *Executor) own(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	got, err := x.runOwn(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text.Clean(x.Path), err)
	}
	return got, nil
}
