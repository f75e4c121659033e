package detail

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// costs writes the cost of a node including its bodies and functions.
func (d *description) costs(row int) {
	c := d.ws.Types.Costs.Load()
	if c.Known() == nil || d.ws.Wiring == nil {
		return
	}
	_, i := d.ws.Outline.At(row)
	t := d.ws.Wiring.Within(row)
	d.Head("cost")
	// All costs are on one line. Those whose text has nearly the same length for all nodes come
	// first, so that the others move little while the cursor moves.
	words := []string{"writes " + graph.TotalText(t.Written, text.Bytes), "reads " + graph.TotalText(t.Read, text.Bytes)}
	if !t.MACs.Known.Is(0) || t.MACs.Left > 0 {
		words = append(words, graph.TotalText(t.MACs, text.Count)+" MACs")
	}
	if per, ok := c.Node(d.ws.Outline.Place, i).Intensity(); ok && per > 0 {
		words = append(words, fmt.Sprintf("%.2g op/byte", per))
	}
	for _, line := range cells.WrapWords(strings.Join(words, ", "), d.W) {
		d.Add(theme.Plain, line)
	}
}
