package detail

import (
	"fmt"

	"lathe/session/text"
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
	d.Add(theme.Plain, "writes "+graph.TotalText(t.Written, text.Bytes)+", reads "+graph.TotalText(t.Read, text.Bytes))
	work := "no MACs"
	if !t.MACs.Known.Is(0) || t.MACs.Left > 0 {
		work = graph.TotalText(t.MACs, text.Count) + " MACs"
	}
	time := d.ws.Wiring.TimeLine(row)
	if per, ok := c.Node(d.ws.Outline.Place, i).Intensity(); ok && per > 0 && time != "" {
		work += fmt.Sprintf(", %.2g op/byte", per)
	}
	d.Add(theme.Plain, work)
	if time != "" {
		d.Add(theme.Plain, time)
	}
}
