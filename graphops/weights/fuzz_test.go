package weights

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// FuzzLook looks at whatever tensors some bytes hold, from views that may fit none.
func FuzzLook(f *testing.F) {
	f.Add(graphtest.Bytes(f, alike), 0, 1, int64(0), int64(3))
	f.Add(graphtest.Bytes(f, "output y f32\ninit q u4[3,5] 1 2 3\ninit c f6e2m3[7] 1 2\ny = Identity(q)"), 1, 0, int64(-1), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, down, across int, at, size int64) {
		m, err := graphops.Decode(b)
		if err != nil {
			return
		}
		for item := range items(m) {
			lookFrom(t, item.Tensor, down, across, at, size)
		}
		e, err := Equal(ctx, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range e.Groups {
			if len(g.Items) < 2 || g.Copies > len(g.Items) || g.Wasted() < 0 {
				t.Errorf("a group of %d in %d copies of %d bytes", len(g.Items), g.Copies, g.Bytes)
			}
		}
	})
}

func lookFrom(t *testing.T, x *graphops.Tensor, down, across int, at, size int64) {
	v := tensor.View{Down: down, Across: across, At: make([]int64, len(x.Dims()))}
	for axis := range v.At {
		v.At[axis] = at
	}
	if p, err := Profile(ctx, x, nil); err == nil {
		n, err := x.Elements()
		if err != nil || p.Count != n*int64(x.DType().Components()) {
			t.Errorf("%d numbers of %d elements, %v", p.Count, n, err)
		}
	}
	if w, err := Window(ctx, x, v, tensor.Window{Row: at, Column: at, Rows: size, Columns: size}); err == nil {
		if err := w.Check(); err != nil {
			t.Error(err)
		}
	}
	if g, err := Grid(ctx, x, v, int(size), int(size), nil); err == nil && len(g.Cells) != g.Rows*g.Columns {
		t.Errorf("%d cells of %d×%d", len(g.Cells), g.Rows, g.Columns)
	}
}
