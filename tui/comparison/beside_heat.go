package comparison

import (
	"context"
	"fmt"

	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/tui/tensors"
)

// heatInquiry asks for a heat map that has as many cells as the screen has room for.
func (d *BesideDialog) heatInquiry() (tensors.Inquiry, tensors.Work) {
	p, x := d.Pair, d.Axes
	if d.Shown != BesideHeat || p == nil || p.Why != "" || x == nil || d.W <= 0 {
		return tensors.Inquiry{}, nil
	}
	v := tensor.View{Down: x.Down, Across: x.Across, At: append([]int64(nil), x.At...)}
	rows, columns := max(d.BodyHeight()-tensors.HeatHead, 1), max(d.W, 1)
	return tensors.Inquiry{Of: p, What: fmt.Sprintf("grid %s in %d×%d", x.Key(), rows, columns)}, func(ctx context.Context, progress func(done, total int64)) (any, error) {
		g, err := weights.GridBeside(ctx, p.a, p.b, v, rows, columns, progress)
		return &g, err
	}
}

// grid returns the cells of the heat map, or nil.
func (d *BesideDialog) grid() *tensor.PairGrid {
	q, f := d.heatInquiry()
	if f == nil {
		return nil
	}
	if a := d.passes.Answer(q); a != nil && a.Err == nil {
		return a.Value.(*tensor.PairGrid)
	}
	return nil
}
