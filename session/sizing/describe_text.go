package sizing

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lathe/session/text"
)

// WriteDescriptions writes a table of symbols with the chosen sizes. Below it, it lists the demands
// that decide which sizes fit.
func WriteDescriptions(w io.Writer, list []Description) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "sizes\n  every input has a fixed shape")
		return err
	}
	p := text.NewPrinter(w)
	p.Line("sizes  chosen for a check and for a measurement; --dim gives others")
	t := text.Table{Titles: []string{"  symbol", "counts", "fits", ">check", ">measurement", "axes"}}
	for _, d := range list {
		t.Add("  "+text.Clean(d.Symbol), d.Counts, text.Clean(d.Allowed()), orNone(d.Check), orNone(d.Measure), text.Clean(axesText(d.Axes)))
	}
	p.Table(t)
	writeDemands(p, list)
	return p.Err()
}

// shownDemands is the largest number of demands that are written.
const shownDemands = 24

// writeDemands writes the demands that decide which sizes fit, each one once.
func writeDemands(p *text.Printer, list []Description) {
	said := sayings(list)
	if len(said.lines) == 0 && said.follow == 0 {
		return
	}
	p.Line("demands")
	for _, s := range said.lines[:min(len(said.lines), shownDemands)] {
		p.Line("  %s", s.line())
	}
	if more := len(said.lines) - shownDemands; more > 0 {
		p.Line("  and %d more; --json has all", more)
	}
	if said.follow > 0 {
		p.Line("  and %d that hold at every such size; --json has all", said.follow)
	}
}

// saying is a demand and the symbols to which it applies in the same way.
type saying struct {
	Demand
	symbol   string
	likewise []string
}

// said are the demands to write.
type said struct {
	lines  []*saying
	follow int // number of demands that are left out because they follow from others
}

// sayings collects the demands to write, the certain ones first. A demand on several symbols occurs
// once. If a node makes the same demand on several symbols separately, these are combined too.
func sayings(list []Description) said {
	var out said
	known := map[Demand]*saying{}
	for _, d := range list {
		for _, demand := range d.Demands {
			key := demand
			if demand.Fits != "" {
				key.Text = "" // the text contains the symbol, so it is not compared
			}
			old := known[key]
			switch {
			case demand.likely:
			case old != nil && demand.Fits != "":
				old.likewise = append(old.likewise, d.Symbol)
			case old != nil:
			case demand.Follows:
				out.follow++
			default:
				known[key] = &saying{Demand: demand, symbol: d.Symbol}
				out.lines = append(out.lines, known[key])
			}
		}
	}
	slices.SortStableFunc(out.lines, func(a, b *saying) int { return a.rank() - b.rank() })
	return out
}

// maxText is the largest width of a demand's formula, in columns. Longer ones are cut.
const maxText = 100

func (s *saying) line() string {
	said := s.Explained()
	if s.isExplained() {
		said = s.symbol + " is " + strings.TrimPrefix(said, only)
	}
	said = ansi.Truncate(text.Clean(said), maxText, "…") + ", by " + text.Clean(s.By)
	if s.Nodes > 1 {
		said += fmt.Sprintf(" and %d more", s.Nodes-1)
	}
	if len(s.likewise) > 0 {
		said += "; likewise " + text.Clean(strings.Join(s.likewise, ", "))
	}
	if !s.Sure {
		said += " (not always needed)"
	}
	return said
}

// Explained returns the text of the demand. If that is a formula, the sizes that satisfy it come
// first, as in "a multiple of 4: 4*floor(height/4) = height".
func (d Demand) Explained() string {
	if !d.isExplained() {
		return d.Text
	}
	return d.Fits + ": " + d.Text
}

// isExplained reports whether the text is a formula from which it is not obvious which sizes
// satisfy it.
func (d Demand) isExplained() bool {
	return d.Fits != "" && d.Fits != anySize && d.Fits != noSize && !d.plain
}

// Allowed says which sizes fit, and names the symbols on which that depends.
func (d Description) Allowed() string {
	const most = 2
	switch n := len(d.DependsOn); {
	case n == 0:
		return d.Fits
	case n > most:
		return fmt.Sprintf("%s, depends on %d others", d.Fits, n)
	}
	return d.Fits + ", depends on " + strings.Join(d.DependsOn, " and ")
}

func orNone(n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// axesText lists the first axes and the number of the others.
func axesText(axes []string) string {
	const most = 3
	if len(axes) > most {
		return strings.Join(axes[:most], ", ") + fmt.Sprintf(" and %d more", len(axes)-most)
	}
	return strings.Join(axes, ", ")
}
