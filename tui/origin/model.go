package origin

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/origin"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// whole describes the model, and the place that is visible.
func (s *Story) whole() {
	m := s.model
	s.Add(theme.Strong, "model")
	v := origin.OfModel(m)
	rows := [][]string{}
	for _, fact := range [][2]string{
		{"producer", strings.TrimSpace(v.Producer + " " + v.Version)},
		{"IR version", fmt.Sprint(m.IRVersion())},
		{"model version", graph.BlankZero(m.Version(), text.Count)},
		{"domain", m.Domain()},
	} {
		if fact[1] != "" {
			rows = append(rows, []string{fact[0], cells.Label(fact[1])})
		}
	}
	for _, o := range m.Opsets() {
		rows = append(rows, []string{"opset", opsetText(o)})
	}
	s.Table(rows)
	s.Doc(m.Doc())
	s.costsOfModel()
	s.graph()
	s.functions()
	s.metadata("metadata of the model", v.Entries())
	s.metadata("metadata of the "+s.place.Kind.String(), s.entries())
}

// costsOfModel writes the costs of one run of the model.
func (s *Story) costsOfModel() {
	if s.costs.Known() == nil {
		return
	}
	s.Head("one run")
	var rows [][]string
	for _, f := range s.costs.Facts() {
		rows = append(rows, []string{f.Name, f.What})
	}
	s.Table(rows)
}

// opsetText formats an opset, such as "ai.onnx 17". The default domain is written as ai.onnx.
func opsetText(o graphops.Opset) string {
	domain := o.Domain
	if domain == graphops.DefaultDomain {
		domain = "ai.onnx"
	}
	return fmt.Sprintf("%s %d", cells.Label(domain), o.Version)
}

// entries returns the metadata of the place that is shown.
func (s *Story) entries() []graphops.Entry {
	if s.place.Kind == graphops.FunctionBody {
		return s.place.Function.Metadata()
	}
	return s.place.Graph.Metadata()
}

// View returns what the exporter has recorded about the visible graph or function.
func (s *Story) View() origin.Graph {
	if s.place.Kind == graphops.FunctionBody {
		return origin.OfFunction(s.place.Function)
	}
	return origin.OfGraph(s.place.Graph)
}

// graph describes the place that is shown.
func (s *Story) graph() {
	g := s.place.Graph
	s.Head(s.place.Kind.String())
	if name := g.Name(); name != "" {
		s.Add(theme.Plain, cells.Label(name))
	}
	s.Add(theme.Faint, text.Plural(len(g.Nodes()), "node"))
	v := s.View()
	if id := v.Subgraph(); id.Present {
		s.Add(theme.Plain, "called "+cells.Label(id.Value)+" by PyTorch")
	}
	s.Doc(g.Doc())
	s.signature(v.Signature())
	s.ranges(v.Ranges())
}

// signature describes the inputs and outputs of the exported program.
func (s *Story) signature(sig origin.Said[origin.Signature]) {
	if !sig.Present {
		return
	}
	if !sig.Understood {
		s.Head("signature of the program")
		s.notUnderstood()
	}
	s.side("takes", sig.Value.Inputs)
	s.side("gives", sig.Value.Outputs)
}

// side lists the inputs or the outputs of the exported program, with the number of each kind in the
// heading. what names the side.
func (s *Story) side(what string, specs []origin.Spec) {
	if len(specs) == 0 {
		return
	}
	count := map[origin.Kind]int{}
	var kinds []origin.Kind
	rows := make([][]string, len(specs))
	for i, spec := range specs {
		if count[spec.Kind]++; count[spec.Kind] == 1 {
			kinds = append(kinds, spec.Kind)
		}
		rows[i] = specRow(spec)
	}
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = text.Plural(count[k], cells.Label(k.String()))
	}
	s.Head("the program " + what)
	s.Add(theme.Faint, strings.Join(words, ", "))
	s.Table(rows)
}

// ranges lists the sizes of symbols for which the exporter has proved the program valid.
func (s *Story) ranges(list origin.Said[[]origin.Range]) {
	if !list.Present {
		return
	}
	s.Head("range of symbols")
	if !list.Understood {
		s.notUnderstood()
	}
	for _, r := range list.Value {
		s.Add(theme.Plain, cells.Label(r.Symbol)+"  "+rangeText(r))
	}
}

// rangeText writes a range, or "or more" if it has no upper end.
func rangeText(r origin.Range) string {
	if r.Min.Finite && !r.Max.Finite {
		return cells.Label(r.Min.Text) + " or more"
	}
	return "from " + cells.Label(r.Min.Text) + " to " + cells.Label(r.Max.Text)
}

// functions lists the functions of the model.
func (s *Story) functions() {
	list := s.model.Functions()
	if len(list) == 0 {
		return
	}
	s.Head(text.Plural(len(list), "function"))
	for _, f := range list {
		if s.Ctx.Err() != nil {
			return
		}
		s.function(f)
	}
}

func (s *Story) function(f *graphops.Function) {
	k := f.Key()
	name := cells.Label(k.Domain) + "::" + cells.Label(k.Name)
	if k.Overload != "" {
		name += " (" + cells.Label(k.Overload) + ")"
	}
	s.Add(theme.Plain, name)
	facts := []string{text.Plural(len(f.Graph().Nodes()), "node")}
	for _, o := range f.Opsets() {
		facts = append(facts, opsetText(o))
	}
	s.Add(theme.Faint, "  "+strings.Join(facts, ", "))
	if f.Doc() != "" {
		s.Prose(f.Doc(), "  ")
	}
	for _, e := range f.Metadata() {
		s.entry(e, false, "  ")
	}
}
