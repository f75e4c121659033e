package sides

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/generating"
	"lathe/session/inputs"
	"lathe/session/text"
)

// generatedReport says what both sides generate.
type generatedReport struct {
	*generating.Report
	// Located compares each model that runs up to the first token that differs, on the inputs that side
	// a gave its own model. Only a model that differs there causes the difference.
	Located []located `json:"located"`
}

// located is how a model compares with its counterpart on the inputs of side a.
type located struct {
	Model  string  `json:"model"` // "" if it is the only one
	Run    string  `json:"run"`   // such as "seed 0, token 5"
	Report *Report `json:"report"`
}

// locate compares the models of both sides on the inputs that a gave them up to a run.
func (g *generated) locate(ctx context.Context, spot *generating.Spot, report *Report) error {
	for _, a := range g.lines[0].before {
		fed := g.lines[0].inputsAt(a, spot.Prompt)
		if err := g.locateIn(ctx, a, g.lines[1].named(a.Name), report.Generated.Prompts[spot.Prompt].Name, fed, false, report); err != nil {
			return err
		}
	}
	for at := spot; at != nil; at = at.Earlier {
		if err := g.locateIn(ctx, g.lines[0].at(at), g.lines[1].at(at), at.Words, at.Feeds, true, report); err != nil {
			return err
		}
		if report.FirstDivergence != nil || report.Generated.inModule() {
			break
		}
	}
	report.nameCause(len(report.Generated.Located) > len(g.lines[0].before))
	return nil
}

// at returns the model that makes a run.
func (l *line) at(run *generating.Spot) *stage {
	if run.Empty && l.first != nil {
		return l.first
	}
	return l.decoder
}

// inModule reports whether a module of the PyTorch model is known to cause the difference.
func (r *generatedReport) inModule() bool {
	return slices.ContainsFunc(r.Located, func(l located) bool { return l.Report.Modules != nil && l.Report.Modules.First != nil })
}

// inputsAt returns what a stage was fed for a prompt.
func (l *line) inputsAt(st *stage, prompt int) graphops.Feeds {
	out := graphops.Feeds{}
	if prompt < len(l.made) {
		for _, t := range st.x.types.inputs {
			if v, ok := l.made[prompt][Source{st.Name, t.Name}]; ok {
				out[t.Name] = v
			}
		}
	}
	return out
}

// locateIn compares one model with its counterpart on given inputs, by outputs and then, if layers is set
// or these differ, by layers.
func (g *generated) locateIn(ctx context.Context, a, b *stage, run string, fed graphops.Feeds, layers bool, report *Report) error {
	if g.pair == nil {
		var end func()
		var err error
		if a, b, fed, end, err = branchesOf(ctx, a, b, fed); err != nil {
			return err
		}
		defer end()
	}
	p, err := g.pairAt(a, b)
	if err != nil {
		report.Notes = append(report.Notes, "the node is not looked for: "+err.Error())
		return nil
	}
	g.env.Progress(session.Progress{Phase: "comparing " + text.Clean(a.Path)})
	one := g.only(a, b, inputs.Case{Name: run, Feeds: maps.Clone(fed)})
	found, err := g.judged(ctx, one, p)
	if err == nil && (layers || found.Verdict != compare.Pass) && g.what != againstTorch {
		one.Layers = true
		found, err = g.judged(ctx, one, p)
	}
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%s on the inputs of a: %w", text.Clean(a.Path), err)
		}
		return err
	}
	report.Generated.Located = append(report.Generated.Located, located{Model: a.Name, Run: run, Report: found})
	if report.FirstDivergence == nil && found.FirstDivergence != nil || report.layersReport == nil {
		report.FirstDivergence, report.layersReport, report.again = found.FirstDivergence, found.layersReport, found.again
	}
	return nil
}

// only returns a comparison of the outputs of two stages in one case.
func (g *generated) only(a, b *stage, c inputs.Case) *Comparison {
	one := *g.step
	one.Generate, one.NoStore, one.Layers, one.WithoutSteps = 0, true, false, true
	one.A, one.B, one.Only = a.Path, b.Path, []inputs.Case{c}
	if g.pair != nil || a.Path == b.Path && len(one.sides.A)+len(one.sides.B) > 0 {
		one.A, one.B = b.Path, "" // one model that is run in two ways
	}
	return &one
}

// judged compares the outputs of a pair.
func (g *generated) judged(ctx context.Context, one *Comparison, p *Pairing) (*Report, error) {
	r, err := one.Judge(ctx, g.env, p, g.what, time.Now())
	if err != nil {
		return nil, err
	}
	report, ok := r.Report.(*Report)
	if !ok {
		return nil, fmt.Errorf("the report is a %T", r.Report)
	}
	return report, nil
}

// pairAt pairs two stages. Closing the pair ends their workers, which start again if they are needed.
func (g *generated) pairAt(a, b *stage) (*Pairing, error) {
	if g.pair != nil {
		return g.pair, nil
	}
	p := PairOf(a.x, b.x)
	return p, b.x.TakeInputsOf(a.x)
}

// nameCause adds to the headline which model and which node cause the difference. all says that each model
// was compared.
func (r *Report) nameCause(all bool) {
	for _, l := range r.Generated.Located {
		first := l.Report.FirstDivergence
		if m := l.Report.Modules; m != nil && m.First != nil {
			r.Headline += "; it begins in module " + moduleName{m.First.Module, m.First.Class}.String()
			return
		}
		if l.Report.Verdict == compare.Pass && first == nil {
			continue
		}
		where := ""
		if l.Model != "" {
			where = " in " + text.Clean(l.Model)
		}
		switch {
		case first == nil:
			r.Headline += "; it begins" + where + ", in no single node"
		case first.Local:
			r.Headline += "; it begins" + where + " at node " + first.Called()
		default:
			r.Headline += "; the error accumulates" + where + ", and most of it comes from node " + first.Called()
		}
		return
	}
	if all {
		r.Headline += "; on the same inputs no model differs beyond its tolerance"
	}
}

// write writes what was generated, and where a difference comes from.
func (r *generatedReport) write(p *text.Printer) {
	if r == nil {
		return
	}
	r.WriteDetails(p)
	for _, l := range r.Located {
		name := "the model"
		if l.Model != "" {
			name = text.Clean(l.Model)
		}
		p.Line("%s on the inputs of a (%s): %s", name, text.Clean(l.Run), text.CleanLine(l.Report.Headline))
		l.Report.Modules.write(p)
	}
}
