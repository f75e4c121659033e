package sizing

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/session/text"
)

// Description is what is known of a symbol, and what is chosen for it.
type Description struct {
	Symbol string   `json:"symbol"`
	Counts string   `json:"counts"` // what kind of size it is, "other" if that is not known
	Axes   []string `json:"axes"`   // INPUT:AXIS
	// Fits says which sizes fit by what is demanded of the symbol alone: "any size", "a
	// multiple of 32", "7 or more".
	Fits    string   `json:"fits"`
	Check   *int64   `json:"check"`   // the size for a check; null where it is given or nothing fits
	Measure *int64   `json:"measure"` // the size for a measurement
	Demands []Demand `json:"demands"`
}

// Demand is a condition on a symbol, and on others perhaps.
type Demand struct {
	Text string `json:"text"`
	By   string `json:"by"` // the first node that needs it, or what else states it
	// Nodes is how many nodes need it.
	Nodes int `json:"nodes"`
	// Sure is false of what a node needs that may not run, and of what names or files state.
	Sure bool `json:"sure"`
}

// Describe says of every symbol what is demanded of it, and what would be chosen beside
// sizes that are given.
func (s *System) Describe(ctx context.Context, given map[string]int64) []Description {
	check, _ := s.Search(given, Check).Next(ctx)
	measure, _ := s.Search(given, Measure).Next(ctx)
	out := []Description{}
	for i, symbol := range s.Symbols {
		d := Description{Symbol: symbol.Name, Counts: symbol.Kind.String(), Axes: []string{}, Fits: s.fits(i), Demands: []Demand{}}
		for _, a := range symbol.Axes {
			d.Axes = append(d.Axes, fmt.Sprintf("%s:%d", a.Input, a.Axis))
		}
		if n, ok := check[symbol.Name]; ok {
			d.Check = &n
		}
		if n, ok := measure[symbol.Name]; ok {
			d.Measure = &n
		}
		for _, c := range s.Conditions {
			if slices.Contains(c.symbols, i) {
				d.Demands = append(d.Demands, Demand{Text: c.String(), By: c.by(), Nodes: c.nodes(), Sure: c.weight >= needed})
			}
		}
		out = append(out, d)
	}
	return out
}

// by is the first node that needs a condition, or what else states it.
func (c *Condition) by() string {
	if c.Node != "" {
		return c.Node
	}
	return c.Why
}

func (c *Condition) nodes() int {
	if c.Node == "" {
		return 0
	}
	return c.Nodes
}

// looked is up to which size is looked at what fits.
const looked = 2048

// fits says which sizes fit a symbol, by the conditions on it alone.
func (s *System) fits(i int) string {
	var alone []*Condition
	for _, c := range s.Conditions {
		if len(c.symbols) == 1 && c.symbols[0] == i && c.weight >= needed {
			alone = append(alone, c)
		}
	}
	if len(alone) == 0 {
		return "any size"
	}
	sizes := make([]int64, len(s.Symbols))
	var fitting []int64
	for n := int64(1); n <= looked; n++ {
		sizes[i] = n
		if !slices.ContainsFunc(alone, func(c *Condition) bool { return !c.holds(sizes) }) {
			fitting = append(fitting, n)
		}
	}
	return rangeText(fitting)
}

// rangeText describes sizes of 1 to looked.
func rangeText(list []int64) string {
	if len(list) == 0 {
		return fmt.Sprintf("no size up to %d", looked)
	}
	first, last := list[0], list[len(list)-1]
	step := stepOf(list)
	switch {
	case len(list) == 1:
		return fmt.Sprintf("%d alone", first)
	case step == 1 && last == looked && first == 1:
		return "any size"
	case step == 1 && last == looked:
		return fmt.Sprintf("%d or more", first)
	case step == 1:
		return fmt.Sprintf("%d to %d", first, last)
	case step > 1 && first%step == 0 && last+step > looked && first == step:
		return fmt.Sprintf("a multiple of %d", step)
	case step > 1 && first%step == 0 && last+step > looked:
		return fmt.Sprintf("a multiple of %d, %d or more", step, first)
	case step > 1 && last+step > looked:
		return fmt.Sprintf("%d and every %d more", first, step)
	}
	return listText(list)
}

// stepOf is the distance of sizes that are equally far from each other, else 0.
func stepOf(list []int64) int64 {
	if len(list) < 2 {
		return 0
	}
	step := list[1] - list[0]
	for i := 1; i < len(list); i++ {
		if list[i]-list[i-1] != step {
			return 0
		}
	}
	return step
}

// shownSizes is how many sizes a list shows.
const shownSizes = 6

func listText(list []int64) string {
	parts := make([]string, 0, shownSizes)
	for _, n := range list[:min(len(list), shownSizes)] {
		parts = append(parts, fmt.Sprint(n))
	}
	if len(list) > shownSizes {
		return strings.Join(parts, ", ") + ", …"
	}
	return strings.Join(parts, ", ")
}

// WriteDescriptions writes a table of symbols, and below each what is demanded of it.
func WriteDescriptions(w io.Writer, list []Description) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "sizes\n  every input has a fixed shape")
		return err
	}
	p := text.NewPrinter(w)
	p.Line("sizes  chosen for a check and for a measurement; --dim gives others")
	t := text.Table{Titles: []string{"symbol", "counts", "fits", "check", "measurement", "axes"}}
	for _, d := range list {
		t.Add(text.Clean(d.Symbol), d.Counts, d.Fits, orNone(d.Check), orNone(d.Measure), text.Clean(axesText(d.Axes)))
	}
	p.Table(t)
	seen := map[Demand]bool{}
	for _, d := range list {
		for _, demand := range d.Demands {
			if !seen[demand] && len(seen) == 0 {
				p.Line("demands")
			}
			if !seen[demand] && len(seen) < shownDemands {
				p.Line("  %s", text.Clean(demand.line()))
			}
			seen[demand] = true
		}
	}
	if more := len(seen) - shownDemands; more > 0 {
		p.Line("  and %d more; --json has all", more)
	}
	return p.Err()
}

// shownDemands is how many demands are written.
const shownDemands = 24

func (d Demand) line() string {
	said := d.Text + ", by " + d.By
	if d.Nodes > 1 {
		said += fmt.Sprintf(" and %d more", d.Nodes-1)
	}
	if !d.Sure {
		said += " (may not hold)"
	}
	return said
}

func orNone(n *int64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// axesText lists the first axes.
func axesText(axes []string) string {
	const most = 3
	if len(axes) > most {
		return strings.Join(axes[:most], ", ") + fmt.Sprintf(" and %d more", len(axes)-most)
	}
	return strings.Join(axes, ", ")
}
