package weights

import (
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// TestModels computes the statistics of every tensor of the corpora.
func TestModels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, corpus := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Others()} {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue // opening is tested elsewhere
				}
				t.Run(filepath.Base(path), func(t *testing.T) { lookAt(t, m) })
			}
		})
	}
}

func lookAt(t *testing.T, m *graphops.Model) {
	for item := range items(m) {
		if _, err := item.Data(); err != nil {
			continue // strings, data that is missing, what is wrong in the file
		}
		p, err := Profile(ctx, item.Tensor, nil)
		if err != nil {
			t.Errorf("%s: %v", item, err)
			continue
		}
		if n, _ := item.Elements(); p.Count != n*int64(item.DType().Components()) {
			t.Errorf("%s: %d numbers for %d elements", item, p.Count, n)
		}
		inBins := int64(0)
		for _, n := range p.Histogram.Bars(60).Counts {
			inBins += n
		}
		if inBins != p.Count-p.NaN-p.Inf {
			t.Errorf("%s: %d numbers in the histogram of %+v", item, inBins, p.Stats)
		}
		lookInto(t, item, p)
	}
	e, err := Equal(ctx, m, nil)
	if err != nil {
		t.Error(err)
	}
	for _, g := range e.Groups {
		for _, item := range g.Items {
			if n, err := item.ByteLen(); err != nil || n != g.Bytes {
				t.Errorf("%s is in a group of %d bytes", item, g.Bytes)
			}
		}
	}
}

// lookInto compares a grid of one cell, and a window, with the profile.
func lookInto(t *testing.T, item Item, p tensor.Profile) {
	v := tensor.View{Down: tensor.NoAxis, Across: tensor.NoAxis, At: make([]int64, len(item.Dims()))}
	for i := range v.At {
		v.At[i] = tensor.Reduced
	}
	g, err := Grid(ctx, item.Tensor, v, 1, 1, nil)
	if err != nil {
		t.Errorf("%s: %v", item, err)
		return
	}
	if finite := p.Count - p.NaN - p.Inf; finite > 0 && item.DType().Components() == 1 {
		c := g.Cells[0]
		if c.Finite != finite || c.Min != float64(p.Min) || c.Max != float64(p.Max) || c.AbsMax() != float64(p.AbsMax) {
			t.Errorf("%s: one cell is %+v, want %+v", item, c, p.Stats)
		}
	}
	w, err := Window(ctx, item.Tensor, tensor.ViewOf(item.Dims()), tensor.Window{Rows: 20, Columns: 10})
	if err == nil {
		err = w.Check()
	}
	if err != nil {
		t.Errorf("%s: %v", item, err)
	}
}
