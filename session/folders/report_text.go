package folders

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"lathe/session/text"
)

// Columns of text.
const (
	summaryWidth = 100
	shownWires   = 40 // rows of wires; JSON has all
)

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s  %s: %s", text.Clean(r.Path), r.LayoutText(), text.CleanLine(r.Why))
	for i := range r.Members {
		r.Members[i].write(p)
	}
	r.writeWires(w, p)
	writePorts(w, "from the caller", r.Callers)
	for _, s := range r.Shared {
		for _, line := range text.Wrap(fmt.Sprintf("  one value: %s (%s)", portsText(s.Ports), s.Why), summaryWidth, "    ") {
			p.Line("%s", line)
		}
	}
	writePorts(w, "not known where they come from", r.Unknown)
	writePorts(w, "results", r.Results)
	writeNotes(p, "assumed", append(r.assumptions(), r.Assumed...))
	writeNotes(p, "not searched", r.Limits)
	for _, x := range r.Problems {
		p.Line("%s", text.CleanLine(x.String()))
	}
	return p.Err()
}

// layouts describes layouts in a few words.
var layouts = map[string]string{
	"genai": "ONNX Runtime GenAI", "optimum": "encoder and decoders of optimum", "merged": "merged decoder", "diffusers": "diffusers pipeline", "whisper": "encoder and decoder of sound",
	"sherpa": "sherpa-onnx", "parts": "embeddings, decoder and further parts", "single": "folder", "loose": "several models",
}

// LayoutText describes the layout in a few words.
func (r *Report) LayoutText() string { return cmp.Or(layouts[r.Layout], r.Layout) }

func (m *MemberReport) write(p *text.Printer) {
	if m.Error != "" {
		p.Line("  %s  %s  cannot be opened: %s", text.Clean(m.Name), text.Clean(m.File), text.CleanLine(m.Error))
		return
	}
	p.Line("  %s  %s  %s", text.Clean(m.Name), text.Clean(m.File), text.Bytes(m.Bytes))
	for _, line := range text.Wrap("    "+text.CleanLine(m.Summary), summaryWidth, "    ") {
		p.Line("%s", line)
	}
}

// String returns the problem as a line.
func (x ProblemReport) String() string {
	if x.Member == "" {
		return x.Severity + ": " + x.Message
	}
	return x.Severity + ": " + x.Member + ": " + x.Message
}

func (r *Report) writeWires(w io.Writer, p *text.Printer) {
	p.Line("wires")
	rows := Fold(r.Wires)
	t := text.Table{}
	for i, g := range rows {
		if i == shownWires {
			break
		}
		t.Add(text.Clean(g.From), "→ "+text.Clean(g.To), g.Note())
	}
	if len(rows) == 0 {
		t.Add("none")
	}
	_ = t.WriteText(w, "  ") // the writer remembers its error
	if more := len(rows) - shownWires; more > 0 {
		p.Line("  and %s; --json has them all", text.Plural(more, "more row"))
	}
}

// WireGroup is a group of wires that differ only in numbers, such as those of the layers of a cache.
type WireGroup struct {
	From, To string // with * in place of the numbers that differ
	Count    int
	Of       WireReport // the first wire
}

// Note says what shows the wires of a group, and when they have a value.
func (g *WireGroup) Note() string {
	words := []string{g.Of.Evidence}
	if g.Of.Turn != "always" {
		words = append([]string{g.Of.Turn}, words...)
	}
	if g.Count > 1 {
		words = append([]string{text.Count(int64(g.Count)) + " wires"}, words...)
	}
	if g.Of.Via != "" {
		words = append(words, "through "+text.CleanLine(g.Of.Via))
	}
	if g.Of.Misfit != "" {
		words = append(words, "cannot fit")
	}
	return strings.Join(words, ", ")
}

// Fold groups the wires that differ only in numbers.
func Fold(wires []WireReport) []WireGroup {
	var out []WireGroup
	at := map[string]int{}
	for _, w := range wires {
		from, to := w.From.Member+"."+digitsToStar(w.From.Name), w.To.Member+"."+digitsToStar(w.To.Name)
		key := fmt.Sprintf("%q %q %s %s %s %t", from, to, w.Evidence, w.Turn, w.Via, w.Misfit == "")
		if i, again := at[key]; again {
			out[i].Count, out[i].From, out[i].To = out[i].Count+1, from, to
			continue
		}
		at[key] = len(out)
		out = append(out, WireGroup{w.From.Member + "." + w.From.Name, w.To.Member + "." + w.To.Name, 1, w})
	}
	return out
}

// digitsToStar replaces each number of a name by a star.
func digitsToStar(name string) string {
	var b strings.Builder
	in := false
	for _, c := range name {
		digit := c >= '0' && c <= '9'
		switch {
		case digit && !in:
			b.WriteByte('*')
		case !digit:
			b.WriteRune(c)
		}
		in = digit
	}
	return b.String()
}

// writePorts writes ports, those that differ only in numbers once.
func writePorts(w io.Writer, title string, list []PortReport) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s\n", title)
	t := text.Table{}
	at, count := map[string]int{}, map[string]int{}
	for _, o := range list {
		folded := o.Member + "." + digitsToStar(o.Name)
		key := folded + " " + o.About
		if count[key]++; count[key] == 1 {
			at[key] = len(t.Rows)
			t.Add(text.Clean(o.Member+"."+o.Name), text.CleanLine(o.About))
			continue
		}
		t.Rows[at[key]] = []string{text.Clean(folded), strings.TrimSpace(fmt.Sprintf("%s (%d)", text.CleanLine(o.About), count[key]))}
	}
	_ = t.WriteText(w, "  ") // the writer remembers its error
}

func writeNotes(p *text.Printer, title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.Line("%s", title)
	for _, s := range list {
		for _, line := range text.Wrap("  "+text.CleanLine(s), summaryWidth, "    ") {
			p.Line("%s", line)
		}
	}
}

// assumptions returns what was assumed about wires, once for each group.
func (r *Report) assumptions() (list []string) {
	for _, g := range Fold(r.Wires) {
		if g.Of.Assumed != "" {
			list = append(list, fmt.Sprintf("%s → %s: %s", g.From, g.To, g.Of.Assumed))
		}
	}
	return list
}

func portsText(list []PortName) string {
	var names []string
	for _, p := range list {
		names = append(names, text.Clean(p.Member+"."+p.Name))
	}
	return strings.Join(names, ", ")
}
