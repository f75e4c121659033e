package tensor

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// everyType is a tensor of each type of number, with the same shape and any bits.
func everyType(t *testing.T, shape []int64, rng *rand.Rand) []Tensor {
	t.Helper()
	n, err := Elements(shape)
	if err != nil {
		t.Fatal(err)
	}
	var out []Tensor
	for d := range DType(len(dtypes)) {
		if d.Bits() == 0 {
			continue
		}
		size, err := d.ByteLen(n)
		if err != nil {
			t.Fatal(err)
		}
		v := Tensor{DType: d, Shape: shape, Data: make([]byte, size)}
		for i := range v.Data {
			v.Data[i] = byte(rng.Uint32())
		}
		out = append(out, v)
	}
	return out
}

// randomView is any view of a shape, with reduced axes if asked for.
func randomView(shape []int64, rng *rand.Rand, reduce bool) View {
	v := View{Down: NoAxis, Across: NoAxis, At: make([]int64, len(shape))}
	if len(shape) > 0 && rng.IntN(8) > 0 {
		v.Across = rng.IntN(len(shape))
	}
	if down := rng.IntN(len(shape) + 1); down < len(shape) && down != v.Across {
		v.Down = down
	}
	for axis, length := range shape {
		v.At[axis] = rng.Int64N(length)
		if reduce && rng.IntN(2) == 0 {
			v.At[axis] = Reduced
		}
	}
	return v
}

// ascending fails where a byte is read twice or before one that was read.
type ascending struct {
	io.ReaderAt
	t     *testing.T
	to    int64
	total int64
}

func (a *ascending) ReadAt(b []byte, offset int64) (int, error) {
	if offset < a.to {
		a.t.Errorf("byte %d is read after byte %d", offset, a.to)
	}
	a.to = offset + int64(len(b))
	a.total += int64(len(b))
	return a.ReaderAt.ReadAt(b, offset)
}

func (a *ascending) of(t *testing.T, v Tensor) Stored {
	s, err := v.Stored()
	if err != nil {
		t.Fatal(err)
	}
	*a = ascending{ReaderAt: s.Data, t: t}
	s.Data = a
	return s
}

// position is the element of a tensor at an index.
func position(shape, index []int64) int64 {
	at := int64(0)
	for axis, i := range index {
		at = at*shape[axis] + i
	}
	return at
}

var viewedShapes = [][]int64{{}, {1}, {7}, {5, 9}, {4, 1, 6}, {3, 5, 2, 7}, {2, 3, 1, 2, 5}, {70, 3, 50}, {3, 5000}}

func TestWindowAgainstIndexing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, shape := range viewedShapes {
		for _, v := range everyType(t, shape, rng) {
			all, err := v.Texts()
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				view := randomView(shape, rng, false)
				rows, columns := view.Size(shape)
				w := Window{rng.Int64N(rows), rng.Int64N(columns), rng.Int64N(rows + 2), rng.Int64N(columns + 2)}
				name := fmt.Sprintf("%s %s %+v %+v", v.DType, FormatShape(shape), view, w)
				got, err := new(ascending).of(t, v).Window(view, w)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				texts, err := got.Texts()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if want := indexed(all, shape, view, w); !slices.Equal(texts, want) {
					t.Fatalf("%s:\n%v, want\n%v", name, texts, want)
				}
			}
		}
	}
}

// indexed picks the elements of a window one by one.
func indexed(all []string, shape []int64, v View, w Window) []string {
	rows, columns := v.Size(shape)
	var out []string
	for r := w.Row; r < min(rows, w.Row+w.Rows); r++ {
		for c := w.Column; c < min(columns, w.Column+w.Columns); c++ {
			index := slices.Clone(v.At)
			if v.Down != NoAxis {
				index[v.Down] = r
			}
			if v.Across != NoAxis {
				index[v.Across] = c
			}
			out = append(out, all[position(shape, index)])
		}
	}
	return out
}

func TestWindowOfStrings(t *testing.T) {
	v := FromStrings([]string{"a", "b", "c", "d", "e", "f"}, 2, 3)
	turned := View{Down: 1, Across: 0, At: []int64{0, 0}}
	got, err := v.Window(turned, Window{Row: 1, Column: 0, Rows: 9, Columns: 9})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b", "e", "c", "f"}; !slices.Equal(got.Strings, want) || !slices.Equal(got.Shape, []int64{2, 2}) {
		t.Errorf("%v %v, want %v", got.Shape, got.Strings, want)
	}
}

// TestWindowReadsLittle looks at a corner of a large matrix, and across it.
func TestWindowReadsLittle(t *testing.T) {
	v := Tensor{DType: F32, Shape: []int64{1000, 20000}, Data: make([]byte, 80_000_000)}
	for name, c := range map[string]struct {
		view View
		most int64
	}{
		"rows":    {View{Down: 0, Across: 1, At: []int64{0, 0}}, 40 * 50 * 4},
		"columns": {View{Down: 1, Across: 0, At: []int64{0, 0}}, 40 * 50 * 4},
	} {
		var a ascending
		if _, err := a.of(t, v).Window(c.view, Window{Row: 500, Column: 300, Rows: 40, Columns: 50}); err != nil {
			t.Fatal(err)
		}
		if a.total > c.most {
			t.Errorf("%s: %d bytes are read, at most %d are needed", name, a.total, c.most)
		}
	}
}

func TestGridAgainstIndexing(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, shape := range viewedShapes {
		for _, v := range everyType(t, shape, rng) {
			for range 8 {
				view := randomView(shape, rng, true)
				rows, columns := 1+rng.IntN(12), 1+rng.IntN(12)
				name := fmt.Sprintf("%s %s %+v %d×%d", v.DType, FormatShape(shape), view, rows, columns)
				got, err := new(ascending).of(t, v).Grid(view, rows, columns)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got.Rows > rows || got.Columns > columns || len(got.Cells) != got.Rows*got.Columns {
					t.Fatalf("%s: %d×%d cells", name, got.Rows, got.Columns)
				}
				checkGrid(t, name, got, v, view)
			}
		}
	}
}

// checkGrid compares the cells with sums over every element that is in the view.
func checkGrid(t *testing.T, name string, got Grid, v Tensor, view View) {
	t.Helper()
	values, err := v.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	cells := make([][]float64, len(got.Cells))
	for i := range v.Len() {
		index := unravel(i, v.Shape)
		r, c, in := int64(0), int64(0), true
		for axis, at := range index {
			switch {
			case axis == view.Down:
				r = at / got.Down
			case axis == view.Across:
				c = at / got.Across
			case view.At[axis] != Reduced && view.At[axis] != at:
				in = false
			}
		}
		if !in {
			continue
		}
		x := values[i*int64(v.DType.Components())]
		if v.DType.Components() == 2 {
			x = math.Hypot(x, values[2*i+1])
		}
		to := &cells[r*int64(got.Columns)+c]
		*to = append(*to, x)
	}
	for i, xs := range cells {
		s := Summary{}
		s.Add(xs)
		want := s.Stats()
		c := got.Cells[i]
		if c.Finite != want.Count-want.NaN-want.Inf || c.Other != want.NaN+want.Inf {
			t.Fatalf("%s: cell %d takes in %d and %d, want %+v", name, i, c.Finite, c.Other, want)
		}
		if c.Finite == 0 {
			continue
		}
		slack := 1e-13 * math.Abs(c.AbsMax())
		if c.Min != float64(want.Min) || c.Max != float64(want.Max) || !near(c.Mean, float64(want.Mean), slack) {
			t.Fatalf("%s: cell %d is %+v, want %+v", name, i, c, want)
		}
	}
}

func TestViewsRefused(t *testing.T) {
	shape := []int64{2, 3, 4}
	stored, err := FromSlice(make([]float32, 24), shape...).Stored()
	if err != nil {
		t.Fatal(err)
	}
	whole := Window{Rows: 9, Columns: 9}
	for want, do := range map[string]func() error{
		"2 indices for shape 2×3×4": func() error {
			_, err := stored.Window(View{Down: 0, Across: 1, At: []int64{0, 0}}, whole)
			return err
		},
		"has no axis 3": func() error {
			_, err := stored.Window(View{Down: 0, Across: 3, At: []int64{0, 0, 0}}, whole)
			return err
		},
		"axis 1 cannot go down and across": func() error {
			_, err := stored.Grid(View{Down: 1, Across: 1, At: []int64{0, 0, 0}}, 4, 4)
			return err
		},
		"index 4 along axis 2": func() error {
			_, err := stored.Grid(View{Down: 0, Across: 1, At: []int64{0, 0, 4}}, 4, 4)
			return err
		},
		"axis 2 has no index": func() error {
			_, err := stored.Window(View{Down: 0, Across: 1, At: []int64{0, 0, Reduced}}, whole)
			return err
		},
		"none of these can be negative": func() error {
			_, err := stored.Window(ViewOf(shape), Window{Row: -1, Rows: 1, Columns: 1})
			return err
		},
		"a grid has 0×5 cells": func() error {
			_, err := stored.Grid(ViewOf(shape), 0, 5)
			return err
		},
		"needs numbers": func() error {
			_, err := Stored{DType: String, Shape: shape}.Grid(ViewOf(shape), 4, 4)
			return err
		},
		"at most 1048576": func() error {
			large := []int64{1 << 20, 1 << 20}
			_, err := Stored{DType: F32, Shape: large}.Window(ViewOf(large), Window{Rows: 1 << 20, Columns: 1 << 20})
			return err
		},
		"unexpected EOF": func() error {
			_, err := Stored{DType: F32, Shape: shape, Data: strings.NewReader("short")}.Window(ViewOf(shape), whole)
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestViewsOfNothing looks at tensors without elements, some with axes that would
// take for ever to walk along.
func TestViewsOfNothing(t *testing.T) {
	for _, shape := range [][]int64{{0}, {0, 3}, {3, 0}, {1 << 62, 0}, {0, 1 << 31, 1 << 31}} {
		s := Stored{DType: F32, Shape: shape, Data: strings.NewReader("")}
		w, err := s.Window(ViewOf(shape), Window{Rows: 5, Columns: 5})
		if err != nil || w.Len() != 0 || w.Check() != nil {
			t.Errorf("%v: window %v, %v", shape, w.Shape, err)
		}
		g, err := s.Grid(ViewOf(shape), 5, 5)
		if err != nil || len(g.Cells) != 0 {
			t.Errorf("%v: grid %v, %v", shape, g, err)
		}
	}
}

func TestGridOfHugeNumbers(t *testing.T) {
	big := math.MaxFloat64
	s, err := FromSlice([]float64{big, big, -big, big / 2, 5e-324, 5e-324}, 3, 2).Stored()
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Grid(ViewOf(s.Shape), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Cell{{big, big, big, 2, 0}, {-big, big / 2, -big / 4, 2, 0}, {5e-324, 5e-324, 5e-324, 2, 0}} {
		if g.Cells[i] != want {
			t.Errorf("cell %d: %+v, want %+v", i, g.Cells[i], want)
		}
	}
}
