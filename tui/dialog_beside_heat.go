package tui

import (
	"context"
	"fmt"

	"lathe/graphops/tensor"
	"lathe/graphops/weights"
)

// heatInquiry asks for a heat map that has as many cells as the screen has room for.
func (d *besideDialog) heatInquiry() (inquiry, work) {
	p, x := d.pair, d.axes
	if d.shown != besideHeat || p == nil || p.why != "" || x == nil || d.w <= 0 {
		return inquiry{}, nil
	}
	v := tensor.View{Down: x.Down, Across: x.Across, At: append([]int64(nil), x.At...)}
	rows, columns := max(d.bodyHeight()-heatHead, 1), max(d.w, 1)
	return inquiry{p, fmt.Sprintf("grid %s in %d×%d", x.key(), rows, columns)}, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		g, err := weights.GridBeside(ctx, p.a, p.b, v, rows, columns, progress)
		return &g, err
	}
}

// grid returns the cells of the heat map, or nil.
func (d *besideDialog) grid() *tensor.PairGrid {
	q, f := d.heatInquiry()
	if f == nil {
		return nil
	}
	if a := d.passes.answer(q); a != nil && a.err == nil {
		return a.value.(*tensor.PairGrid)
	}
	return nil
}
