package search

import (
	"lathe/graphops/filter"
	"lathe/tui/cells"
)

// examples show the filter language, common forms first.
var examples = []struct{ expr, help string }{
	{"conv", "text in operators and names"},
	{"Conv", "a letter in upper case is exact"},
	{"op:Conv,Gemm", "either operator"},
	{"op:Conv shape:*x224", "both must hold"},
	{"gelu | op:Erf", "one must hold; also OR"},
	{"-op:Cast", "must not hold; also NOT"},
	{"(a | b) in:/layers.2", "what belongs together"},
	{"name:*/q_proj/*", "* stands for any characters, ? for one"},
	{`name:"a b"`, "quotes, if a name has blanks or signs"},
	{"params>1M bytes<=64KiB", "numbers, with K M G T and Ki Mi Gi Ti"},
	{"rank:2..4", "a range of numbers"},
	{"after:/layer3 before:#812", "along the data, from a name or position"},
	{"between:x..logits", "on paths from one to the other"},
	{"attr:axis=1 attr:to=f16", "attributes, and what they are"},
	{"meta:namespace=fc1", "metadata by key and text"},
	{"doc:model.py", "text in doc strings"},
	{"is:dead  has:body", "one of the words of the field"},
}

// Page implements explained. It explains the filter language.
func (p *SearchPrompt) Page() []string {
	st := p.WS.Styles
	line := func(left, right string, w int) string {
		return "  " + st.Key.On(left) + cells.Blanks(max(w-len(left), 1)) + right
	}
	lines := []string{"", st.Heading.On("what to type")}
	for _, e := range examples {
		lines = append(lines, line(e.expr, e.help, exampleColumn))
	}
	lines = append(lines, "", st.Heading.On("fields"))
	for _, f := range filter.Fields() {
		lines = append(lines, line(f.Name, f.Help, fieldColumn))
	}
	return lines
}

// Widths of the columns of examples and fields.
const (
	exampleColumn = 27
	fieldColumn   = 10
)
