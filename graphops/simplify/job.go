package simplify

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/rewrite"
)

// job is one run of Simplify.
type job struct {
	ctx    context.Context
	o      Options
	m      *rewrite.Model
	grown  int64
	passes map[string]*PassReport
	// now is the report of the current pass.
	now     *PassReport
	changed bool
	refused map[refusal]bool
	// scaledWeights maps constants that passes created to the weights that they were made from.
	scaledWeights map[*graphops.Tensor]*scaledWeight
	// measuring are weights whose magnitudes are read in advance.
	measuring map[*graphops.Tensor]*measuring
	// warnings are added to the report.
	warnings []string
	// scratch stores computed constants.
	scratch graphops.Scratch
	// exactBytes is the size of the constants that were computed without a runtime.
	exactBytes int64
	// inexact are nodes that a runtime has to compute, with the reason.
	inexact map[*rewrite.Node]error
	// digests are the checksums of compared constants, and their beginnings.
	digests map[digestKey]string
	// verify checks the model after each pass; set by tests.
	verify func(pass string, m *rewrite.Model)
}

type refusal struct {
	pass string
	site rewrite.Site
	why  string
}

// did records a change for the report, with the original nodes of all nodes that were changed since
// the last call.
func (j *job) did(text string) {
	j.changed = true
	j.now.Changes = append(j.now.Changes, Change{Sites: j.m.Touched(), Text: text})
}

// refuse records why a pass does not change node n, where a pattern almost matches. The report has
// it once, for the first original node that n stands for.
func (j *job) refuse(n *rewrite.Node, why string) {
	from, ok := n.From().First()
	if !ok {
		return
	}
	r := refusal{j.now.Name, from, why}
	if !j.refused[r] {
		j.refused[r] = true
		j.now.Refused = append(j.now.Refused, Refusal{from, why})
	}
}

// grow reserves bytes of the growth that Options.MaxGrowth allows, and reports whether there were
// enough. A negative number frees bytes.
func (j *job) grow(bytes int64) bool {
	if bytes > 0 && bytes > j.o.MaxGrowth-j.grown {
		return false
	}
	j.grown += bytes
	return true
}

// run runs a pass once over the model.
func (j *job) run(p *pass) error {
	j.now = j.passes[p.name]
	j.m.Touched()
	switch {
	case p.model != nil:
		if err := p.model(j); err != nil {
			return err
		}
	case p.ops != nil && p.graph == nil && !j.m.MayHave(p.ops):
		// No node has an operator that it looks for.
	default:
		for _, g := range j.m.Graphs() {
			if err := j.runGraph(p, g); err != nil {
				return err
			}
		}
	}
	if j.verify != nil {
		j.verify(p.name, j.m)
	}
	return j.ctx.Err()
}

func (j *job) runGraph(p *pass, g *rewrite.Graph) error {
	if h := g.Holder(); h != nil && h.Gone() {
		return nil
	}
	if p.graph != nil {
		return p.graph(j, g)
	}
	looked := 0
	for n := range g.Nodes() {
		if looked++; looked%1024 == 0 && j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		if !p.looksAt(n) {
			continue
		}
		if text := p.node(j, n); text != "" {
			j.did(text)
		}
	}
	return nil
}

func (p *pass) looksAt(n *rewrite.Node) bool {
	if p.ops == nil {
		return true
	}
	for _, op := range p.ops {
		if n.Op() == op {
			return true
		}
	}
	return false
}
