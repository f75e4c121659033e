package origin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/origin"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// Story is the text of the origin pane for one row or for the model. It is written in the
// background and reads only immutable values.
type Story struct {
	graph.Page
	Ctx   context.Context
	model *graphops.Model
	place *graphops.Place
	costs *graph.Costs // nil if they are not known
}

// nothing is shown for a row or model without metadata.
const nothing = "the file does not tell where this comes from"

// node describes a node.
func (s *Story) node(n *graphops.Node) {
	s.Add(theme.Strong, cells.Label(n.OpType()))
	if n.Name() != "" {
		s.Add(theme.Plain, cells.Label(n.Name()))
	}
	v := origin.OfNode(n)
	s.modules(v.Modules())
	s.stack(v.Stack())
	s.fx(v.FX())
	s.names("rewrite rules", v.Rules())
	s.names("names of the inputs", v.InputNames())
	if e := v.InferenceError(); e.Present {
		s.Head("shapes could not be inferred")
		s.Prose(e.Value, "")
	}
	told := s.values(slices.Concat(n.Outputs(), n.Inputs(), n.Captured()))
	s.metadata("metadata", v.Entries())
	if len(v.Entries()) == 0 && !told {
		s.Add(theme.Faint, nothing)
	}
}

// port describes an input or output, or a value that a body captures.
func (s *Story) port(p graph.Port) {
	s.Add(theme.Strong, p.What)
	s.Add(theme.Plain, cells.Label(p.Name))
	x := s.place.Graph.Index()
	id, ok := x.Value(p.Name)
	if !ok {
		s.Add(theme.Faint, nothing)
		return
	}
	entries := origin.ValueMetadata(x, id)
	if facts := graph.ValueFacts(entries); facts != "" {
		s.Head("value")
		s.Add(theme.Plain, facts)
	}
	s.specs(p.Name, entries)
	s.metadata("metadata", entries)
	if len(entries) == 0 {
		s.Add(theme.Faint, nothing)
	}
}

// specs lists what the signature of the exported program says about a value.
func (s *Story) specs(name string, entries []graphops.Entry) {
	sig := origin.OfGraph(s.place.Graph).Signature()
	original := origin.OfValue(entries).OriginalName()
	var rows [][]string
	for _, spec := range slices.Concat(sig.Value.Inputs, sig.Value.Outputs) {
		if spec.Name == name || original.Present && spec.Name == original.Value {
			rows = append(rows, specRow(spec))
		}
	}
	if len(rows) > 0 {
		s.Head("in the signature of the program")
		s.Table(rows)
	}
}

// specRow returns an input or output of the program as a row of a table.
func specRow(spec origin.Spec) []string {
	return []string{cells.Label(spec.Name), cells.Label(spec.Kind.String()), cells.Label(spec.Target), graph.PersistenceText(spec.Persistence)}
}

// values describes what the exporter recorded about the values that a node reads or computes,
// including constants. It returns false if nothing was recorded.
func (s *Story) values(names []string) bool {
	x := s.place.Graph.Index()
	seen, told := map[string]bool{"": true}, false
	for _, name := range names {
		id, ok := x.Value(name)
		if seen[name] || !ok {
			continue
		}
		seen[name] = true
		entries := origin.ValueMetadata(x, id)
		if len(entries) == 0 {
			continue
		}
		if !told {
			s.Head("values")
			told = true
		}
		s.Add(theme.Plain, cells.Label(name))
		if facts := graph.ValueFacts(entries); facts != "" {
			s.Add(theme.Faint, "  "+facts)
		}
		for _, e := range origin.OfValue(entries).Rest() {
			s.entry(e, false, "  ")
		}
	}
	return told
}

// modules draws the path to a node through the modules of its program.
func (s *Story) modules(m origin.Said[origin.Modules]) {
	if !m.Present {
		return
	}
	s.Head("module")
	if !m.Understood {
		s.notUnderstood()
	}
	indent, outer := "", ""
	for _, module := range m.Value.Path {
		name := cells.Label(innerName(outer, module.Name))
		if name == "" {
			name = "(the model)"
		}
		s.module(indent, name, cells.Label(module.Class))
		indent += "  "
		if outer = module.Name; outer != "" {
			outer += "."
		}
	}
	if m.Value.Leaf != "" {
		line := twig(indent) + cells.Label(m.Value.Leaf)
		if m.Value.Target != "" {
			line += " → " + cells.Label(m.Value.Target)
		}
		s.Add(theme.Plain, line)
	}
}

// module draws a line of that path: a name with its class, which goes on the next line if there is
// no room beside the name.
func (s *Story) module(indent, name, class string) {
	line := twig(indent) + name
	if cells.Width(line)+2+cells.Width(class) <= s.W {
		s.Add(theme.Plain, strings.TrimRight(line+"  "+class, " "))
		return
	}
	s.Add(theme.Plain, line)
	s.Add(theme.Faint, indent+"    "+class)
}

// twig returns the indentation and the corner that connect a module to its parent.
func twig(indent string) string {
	if indent == "" {
		return ""
	}
	return indent[2:] + cells.Corners[cells.Up|cells.Right] + " "
}

// innerName returns a module's name without the name of the module around it.
func innerName(outer, name string) string {
	if outer != "" && len(name) > len(outer) && name[:len(outer)] == outer {
		return name[len(outer):]
	}
	return name
}

// fx describes the node of the PyTorch graph (torch.fx) from which a node was exported.
func (s *Story) fx(f origin.Said[origin.FX]) {
	if !f.Present {
		return
	}
	s.Head("fx node")
	if !f.Understood {
		s.notUnderstood()
		return
	}
	v := f.Value
	s.Add(theme.Plain, fmt.Sprintf("%%%s = %s %s", cells.Label(v.Name), cells.Label(v.Op), cells.Label(v.Target)))
	if v.Args != "" {
		s.Prose("("+v.Args+")", "  ")
	}
	if v.Kwargs != "" && v.Kwargs != "{}" {
		s.Prose(v.Kwargs, "  ")
	}
}

// names lists names under a title.
func (s *Story) names(title string, list origin.Said[[]string]) {
	if !list.Present {
		return
	}
	s.Head(title)
	if !list.Understood {
		s.notUnderstood()
	}
	for _, name := range list.Value {
		s.Add(theme.Plain, cells.Label(name))
	}
}

// notUnderstood points to the metadata below, where every entry is shown as it is.
func (s *Story) notUnderstood() {
	s.Add(theme.Warning, "not understood; it stands below as it is")
}

// metadata lists every entry as it is in the file. If a key occurs more than once, the last entry
// counts.
func (s *Story) metadata(title string, entries []graphops.Entry) {
	if len(entries) == 0 {
		return
	}
	s.Head(fmt.Sprintf("%s, %s", title, graph.EntryCount(len(entries))))
	again := map[string]bool{}
	for _, key := range origin.Repeated(entries) {
		again[key] = true
	}
	for _, e := range entries {
		s.entry(e, again[e.Key], "")
	}
}

func (s *Story) entry(e graphops.Entry, again bool, indent string) {
	s.Add(theme.Faint, indent+cells.Label(e.Key))
	if again {
		s.Add(theme.Warning, indent+"  this key stands more than once; the last entry counts")
	}
	s.Prose(e.Value, indent+"  ")
}
