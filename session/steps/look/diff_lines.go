package look

import (
	"fmt"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/session/text"
)

func (c diffIOChange) write(p *text.Printer) {
	switch {
	case c.A == nil:
		p.Line("  %s added: %s", c.What, c.B.text())
	case c.B == nil:
		p.Line("  %s removed: %s", c.What, c.A.text())
	case c.Kind == "renamed":
		p.Line("  %s %s is called %s", c.What, text.Clean(c.A.Name), text.Clean(c.B.Name))
	case c.Kind == "retyped":
		p.Line("  %s %s: %s → %s", c.What, text.Clean(c.A.Name), typeText(c.A.Type, c.A.Shape), typeText(c.B.Type, c.B.Shape))
	case c.Kind == "reordered":
		p.Line("  %s %s: position %d → %d", c.What, text.Clean(c.A.Name), c.A.Index, c.B.Index)
	case c.Kind == "optional":
		p.Line("  %s %s has a default value in one of the models only", c.What, text.Clean(c.A.Name))
	case c.Follows:
		p.Line("  %s %s is computed by another node, because of nodes added or removed", c.What, text.Clean(c.A.Name))
	default:
		p.Line("  %s %s is another value of the graph", c.What, text.Clean(c.A.Name))
	}
}

func (v *diffPort) text() string { return text.Clean(v.Name) + " " + typeText(v.Type, v.Shape) }

func typeText(typ string, shape graphops.Shape) string {
	s := text.Clean(typ)
	if shape != nil {
		s += " " + text.Clean(shape.String())
	}
	return s
}

func (n diffNode) write(p *text.Printer) { p.Line("  %s", n.text()) }

// text describes a node by its operator and its name, or the name of its output.
func (n diffNode) text() string {
	op := n.Op
	if n.Domain != "" {
		op = n.Domain + "::" + op
	}
	name := n.Name
	if name == "" && len(n.Outputs) > 0 {
		name = n.Outputs[0]
	}
	s := "#" + strconv.Itoa(n.Index) + " " + text.Clean(op) + " " + text.Clean(name)
	return s + inPlace(n.Place)
}

// inPlace names the place of something that is not in the main graph.
func inPlace(hops []string) string {
	if len(hops) == 0 {
		return ""
	}
	return " in " + text.Clean(strings.Join(hops, " › "))
}

func writeHops(hops []string, p *text.Printer) {
	p.Line("  %s", text.Clean(strings.Join(hops, " › ")))
}

// writeChange writes how two nodes differ. If they differ in other ways, documentation and metadata
// are only counted, unless --all is set.
func (r *diffReport) writeChange(c diffChange, p *text.Printer) {
	line := c.A.text()
	if c.B.Name != c.A.Name || c.A.Name == "" {
		line += " (b: " + strings.TrimSuffix(c.B.text(), inPlace(c.B.Place)) + ")"
	}
	p.Line("  %s", line)
	about := 0
	for _, x := range c.Changes {
		if !r.all && !c.Describes && (x.What == string(diff.WhatDoc) || x.What == string(diff.WhatMetadata)) {
			about++
			continue
		}
		p.Line("    %s", x.text())
	}
	if about > 0 {
		p.Line("    documentation and metadata: %s; --all shows them", text.Plural(about, "change"))
	}
}

func (x diffPart) text() string {
	what := x.What
	if x.Name != "" {
		what += " " + text.Clean(x.Name)
	}
	if x.What == string(diff.WhatDoc) || x.What == string(diff.WhatMetadata) {
		return what + ": " + fromTo(shortText(x.Old), shortText(x.New))
	}
	return what + ": " + fromTo(x.Old, x.New)
}

// fromTo formats an old and a new value as "old → new".
func fromTo(from, to string) string {
	none := func(s string) string {
		if s == "" {
			return "none"
		}
		return text.CleanLine(s)
	}
	return none(from) + " → " + none(to)
}

func (w diffWeight) write(p *text.Printer) {
	line := "  " + w.A.nameText()
	if w.B.Name != w.A.Name {
		line += " (b: " + text.Clean(w.B.Name) + ")"
	}
	a, b := w.A.typeText(), w.B.typeText()
	if a != b {
		p.Line("%s: %s → %s%s", line, a, b, w.difference(", "))
		return
	}
	p.Line("%s %s%s", line, a, w.difference(": "))
}

// difference says how much the elements differ.
func (w diffWeight) difference(lead string) string {
	switch {
	case w.A.Elements != w.B.Elements && w.isShown():
		return lead + fromTo(braces(w.A.Elements), braces(w.B.Elements))
	case w.Mismatched == nil && fmt.Sprint(w.A.Shape) != fmt.Sprint(w.B.Shape):
		return ""
	case w.Mismatched == nil:
		return lead + "elements differ; --weights shows by how much"
	case *w.Mismatched == 0 && w.A.Type == w.B.Type:
		return lead + "the numbers are equal, but their bits differ (signs of zero, kinds of NaN)"
	case *w.Mismatched == 0:
		return lead + "the same numbers"
	}
	s := fmt.Sprintf("%s%s of %s differ", lead, text.Count(*w.Mismatched), text.Plural(int(*w.Total), "element"))
	if w.Worst == nil {
		return s
	}
	at := strings.ReplaceAll(fmt.Sprint(w.Worst.Index), " ", ",")
	if w.MaxAbs == nil {
		return s + fmt.Sprintf(", first at %s: %s → %s", at, strconv.Quote(fmt.Sprint(w.Worst.A)), strconv.Quote(fmt.Sprint(w.Worst.B)))
	}
	if w.NaNMismatched != nil && *w.NaNMismatched > 0 {
		return s + fmt.Sprintf(", %s with NaN in one model only, the first at %s: %.6g → %.6g", text.Count(*w.NaNMismatched), at, w.Worst.A, w.Worst.B)
	}
	s += fmt.Sprintf(", most by %.4g at %s: %.6g → %.6g", float64(*w.MaxAbs), at, w.Worst.A, w.Worst.B)
	if w.where != "" {
		s += "; " + w.where
	}
	return s
}

// maxShownNumbers is the largest number of elements for which all elements are printed. For larger
// constants, only the element with the largest difference is printed. Integers are an exception:
// short lists of them are often sizes, which are easier to understand together.
const maxShownNumbers = 4

func (w diffWeight) isShown() bool {
	if w.A.Elements == "" || w.B.Elements == "" {
		return false
	}
	return w.Total == nil || *w.Total <= maxShownNumbers || w.A.Type == "i64" || w.A.Type == "i32"
}

// braces returns the elements of a tensor literal, such as {1,2} of i64[2]{1,2}.
func braces(s string) string {
	if i := strings.IndexByte(s, '{'); i >= 0 {
		return s[i:]
	}
	return s
}

func (c diffConstant) write(p *text.Printer) {
	p.Line("  %s %s, %s", c.nameText(), c.typeText(), text.Bytes(c.Bytes))
}

func (c diffConstant) nameText() string {
	s := text.Clean(c.Name)
	if c.Attribute != "" {
		s += ":" + text.Clean(c.Attribute)
	}
	return s + inPlace(c.Place)
}

func (c diffConstant) typeText() string {
	return c.Type + " " + graphops.FixedShape(c.Shape).String()
}

func (v diffValue) write(p *text.Printer) {
	name := text.Clean(v.A.Name)
	if v.B.Name != v.A.Name {
		name += " (b: " + text.Clean(v.B.Name) + ")"
	}
	p.Line("  %s%s: %s → %s", name, inPlace(v.Place), typeText(v.A.Type, v.A.Shape), typeText(v.B.Type, v.B.Shape))
}

func (f diffField) write(p *text.Printer) {
	p.Line("  %s%s: %s", text.Clean(f.Name), inPlace(f.Place), fromTo(shortText(f.Old), shortText(f.New)))
}
