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
		a, b := g.lines[0].decoder, g.lines[1].decoder
		if at.First && g.lines[0].first != nil {
			a, b = g.lines[0].first, g.lines[1].first
		}
		if b == nil {
			report.Notes = append(report.Notes, "the node is not looked for: b makes the first run with another model than a")
			return nil
		}
		if err := g.locateIn(ctx, a, b, at.Words, at.Feeds, true, report); err != nil {
			return err
		}
		if report.FirstDivergence != nil || report.Generated.inModule() || at == at.Earlier {
			break
		}
	}
	report.nameCause()
	return nil
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

// locateIn compares one model with its counterpart on given inputs, by outputs and then by layers.
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
	one := *g.step
	one.Generate, one.NoStore, one.Layers, one.WithoutSteps, one.SaveFailing = 0, true, false, true, ""
	one.A, one.B = a.Path, b.Path
	if g.pair != nil {
		one.B = ""
		one.A = b.Path
	}
	one.Only = []inputs.Case{{Name: run, Feeds: maps.Clone(fed)}}
	g.env.Progress(session.Progress{Phase: "comparing " + text.Clean(a.Path)})
	judge := func() (*Report, error) {
		r, err := one.Judge(ctx, g.env, p, g.what, time.Now())
		if err != nil {
			return nil, err
		}
		return r.Report.(*Report), nil
	}
	found, err := judge()
	if err == nil && (layers || found.Verdict != compare.Pass) && g.what != againstTorch {
		one.Layers = true
		found, err = judge()
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

// pairAt pairs two stages. Closing the pair ends their workers, which start again if they are needed.
func (g *generated) pairAt(a, b *stage) (*Pairing, error) {
	if g.pair != nil {
		return g.pair, nil
	}
	p := PairOf(a.x, b.x)
	return p, b.x.TakeInputsOf(a.x)
}

// nameCause adds to the headline which model and which node cause the difference.
func (r *Report) nameCause() {
	for _, l := range r.Generated.Located {
		first := l.Report.FirstDivergence
		if m := l.Report.Modules; m != nil && m.First != nil {
			r.Headline += "; it begins in module " + moduleName{m.First.Module, m.First.Class}.String()
			return
		}
		if l.Report.Verdict == compare.Pass && first == nil {
			continue
		}
		where := "it begins"
		if l.Model != "" {
			where += " in " + text.Clean(l.Model)
		}
		if first == nil {
			r.Headline += "; " + where + ", in no single node"
			return
		}
		if !first.Local {
			r.Headline += "; the error accumulates, and most of it comes from node " + first.Called()
			return
		}
		r.Headline += "; " + where + " at node " + first.Called()
		return
	}
	r.Headline += "; on the same inputs no model differs beyond its tolerance"
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
