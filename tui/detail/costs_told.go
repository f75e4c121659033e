package detail

import (
	"fmt"

	"lathe/graphops/cost"
	"lathe/graphops/dim"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// costs writes the cost of a node including its bodies and functions, and its time in the last
// profile. The intensity stands beside the time, because only together do they say what limits a node.
func (d *description) costs(row int) {
	c := d.ws.Types.Costs.Load()
	if c.Known() == nil || d.ws.Wiring == nil {
		return
	}
	_, i := d.ws.Outline.At(row)
	t := d.ws.Wiring.Within(row)
	d.Head("cost")
	// Every node has the same lines, so that what follows stays in place while the cursor moves.
	d.Add(theme.Plain, "writes "+graph.TotalText(d.sized(t.Written), text.Bytes)+", reads "+graph.TotalText(d.sized(t.Read), text.Bytes))
	work := "no MACs"
	if !t.MACs.Known.Is(0) || t.MACs.Left > 0 {
		work = graph.TotalText(d.sized(t.MACs), text.Count) + " MACs"
	}
	time := d.ws.Wiring.TimeLine(row)
	if per, ok := c.Node(d.ws.Outline.Place, i).Intensity(); ok && per > 0 && time != "" {
		work += fmt.Sprintf(", %.2g op/byte", per)
	}
	d.Add(theme.Plain, work)
	d.sizes(c.Total(), t.MACs)
	if time != "" {
		d.Add(theme.Plain, time)
	}
}

// sized returns a sum at the sizes that the first screen names, if they make it a number. Otherwise
// it returns the sum as it is.
func (d *description) sized(s cost.Sum) cost.Sum {
	summary := d.ws.Types.Summary
	if _, number := s.Known.Number(); number || summary == nil {
		return s
	}
	n, err := s.Known.Eval(func(symbol string) (int64, bool) { n, ok := summary.Sizes[symbol]; return n, ok })
	if err != nil {
		return s
	}
	return cost.Sum{Known: dim.Number(n), Left: s.Left}
}

// sizes writes the sizes to which sized refers, if the cost of the model depends on any, and the MACs
// of the node as an expression if it is short.
func (d *description) sizes(model cost.Total, macs cost.Sum) {
	summary := d.ws.Types.Summary
	_, number := model.Written.Known.Number()
	if summary == nil || summary.SizesText() == "" || number {
		return
	}
	line := "at " + cells.Prose(summary.SizesText())
	if _, number := macs.Known.Number(); !number && macs.Known.Known() {
		if long := line + "; in general " + graph.SizeText(macs.Known, text.Count) + " MACs"; cells.Width(long) <= d.W {
			line = long
		}
	}
	d.Add(theme.Faint, line)
}
