package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/origin"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// story is the text of the origin pane for one row or for the model. It is written in the
// background and reads only immutable values.
type story struct {
	page
	ctx   context.Context
	model *graphops.Model
	place *graphops.Place
	costs *costs // nil if they are not known
}

// nothing is shown for a row or model without metadata.
const nothing = "the file does not tell where this comes from"

// node describes a node.
func (s *story) node(n *graphops.Node) {
	s.add(theme.Strong, cells.Label(n.OpType()))
	if n.Name() != "" {
		s.add(theme.Plain, cells.Label(n.Name()))
	}
	v := origin.OfNode(n)
	s.modules(v.Modules())
	s.stack(v.Stack())
	s.fx(v.FX())
	s.names("rewrite rules", v.Rules())
	s.names("names of the inputs", v.InputNames())
	if e := v.InferenceError(); e.Present {
		s.head("shapes could not be inferred")
		s.prose(e.Value, "")
	}
	told := s.values(slices.Concat(n.Outputs(), n.Inputs(), n.Captured()))
	s.metadata("metadata", v.Entries())
	if len(v.Entries()) == 0 && !told {
		s.add(theme.Faint, nothing)
	}
}

// port describes an input or output, or a value that a body captures.
func (s *story) port(p port) {
	s.add(theme.Strong, p.what)
	s.add(theme.Plain, cells.Label(p.name))
	x := s.place.Graph.Index()
	id, ok := x.Value(p.name)
	if !ok {
		s.add(theme.Faint, nothing)
		return
	}
	entries := origin.ValueMetadata(x, id)
	if facts := valueFacts(entries); facts != "" {
		s.head("value")
		s.add(theme.Plain, facts)
	}
	s.specs(p.name, entries)
	s.metadata("metadata", entries)
	if len(entries) == 0 {
		s.add(theme.Faint, nothing)
	}
}

// specs lists what the signature of the exported program says about a value.
func (s *story) specs(name string, entries []graphops.Entry) {
	sig := origin.OfGraph(s.place.Graph).Signature()
	original := origin.OfValue(entries).OriginalName()
	var rows [][]string
	for _, spec := range slices.Concat(sig.Value.Inputs, sig.Value.Outputs) {
		if spec.Name == name || original.Present && spec.Name == original.Value {
			rows = append(rows, specRow(spec))
		}
	}
	if len(rows) > 0 {
		s.head("in the signature of the program")
		s.table(rows)
	}
}

// specRow returns an input or output of the program as a row of a table.
func specRow(spec origin.Spec) []string {
	return []string{cells.Label(spec.Name), cells.Label(spec.Kind.String()), cells.Label(spec.Target), persistenceText(spec.Persistence)}
}

// values describes what the exporter recorded about the values that a node reads or computes,
// including constants. It returns false if nothing was recorded.
func (s *story) values(names []string) bool {
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
			s.head("values")
			told = true
		}
		s.add(theme.Plain, cells.Label(name))
		if facts := valueFacts(entries); facts != "" {
			s.add(theme.Faint, "  "+facts)
		}
		for _, e := range origin.OfValue(entries).Rest() {
			s.entry(e, false, "  ")
		}
	}
	return told
}

// modules draws the path to a node through the modules of its program.
func (s *story) modules(m origin.Said[origin.Modules]) {
	if !m.Present {
		return
	}
	s.head("module")
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
		s.add(theme.Plain, line)
	}
}

// module draws a line of that path: a name with its class, which goes on the next line if there is
// no room beside the name.
func (s *story) module(indent, name, class string) {
	line := twig(indent) + name
	if cells.Width(line)+2+cells.Width(class) <= s.w {
		s.add(theme.Plain, strings.TrimRight(line+"  "+class, " "))
		return
	}
	s.add(theme.Plain, line)
	s.add(theme.Faint, indent+"    "+class)
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
func (s *story) fx(f origin.Said[origin.FX]) {
	if !f.Present {
		return
	}
	s.head("fx node")
	if !f.Understood {
		s.notUnderstood()
		return
	}
	v := f.Value
	s.add(theme.Plain, fmt.Sprintf("%%%s = %s %s", cells.Label(v.Name), cells.Label(v.Op), cells.Label(v.Target)))
	if v.Args != "" {
		s.prose("("+v.Args+")", "  ")
	}
	if v.Kwargs != "" && v.Kwargs != "{}" {
		s.prose(v.Kwargs, "  ")
	}
}

// names lists names under a title.
func (s *story) names(title string, list origin.Said[[]string]) {
	if !list.Present {
		return
	}
	s.head(title)
	if !list.Understood {
		s.notUnderstood()
	}
	for _, name := range list.Value {
		s.add(theme.Plain, cells.Label(name))
	}
}

// notUnderstood points to the metadata below, where every entry is shown as it is.
func (s *story) notUnderstood() {
	s.add(theme.Warning, "not understood; it stands below as it is")
}

// metadata lists every entry as it is in the file. If a key occurs more than once, the last entry
// counts.
func (s *story) metadata(title string, entries []graphops.Entry) {
	if len(entries) == 0 {
		return
	}
	s.head(fmt.Sprintf("%s, %s", title, entryCount(len(entries))))
	again := map[string]bool{}
	for _, key := range origin.Repeated(entries) {
		again[key] = true
	}
	for _, e := range entries {
		s.entry(e, again[e.Key], "")
	}
}

func (s *story) entry(e graphops.Entry, again bool, indent string) {
	s.add(theme.Faint, indent+cells.Label(e.Key))
	if again {
		s.add(theme.Warning, indent+"  this key stands more than once; the last entry counts")
	}
	s.prose(e.Value, indent+"  ")
}
