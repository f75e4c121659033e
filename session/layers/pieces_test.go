//go:build cgo

package layers_test

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/layers"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// TestPieces checks that a node that runs on some rows at a time gives the whole result: with
// operands of every rank, with operands that have one row for all, and along the first axis.
func TestPieces(t *testing.T) {
	on, err := sessiontest.Workers(t).Stay(runtime.Execution{Opt: "disable"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = on.Close() })
	const rows, columns = 37, 64
	x := make([]float32, rows*columns)
	mask := make([]bool, rows)
	for i := range x {
		x[i] = float32(i%23) - 11.5
	}
	for i := range mask {
		mask[i] = i%3 == 0
	}
	in := graphops.Feeds{
		"x": graphops.TensorValue(tensor.FromSlice(x, rows, columns)),
		"m": graphops.TensorValue(tensor.FromSlice(mask, rows, 1)),
		"r": graphops.TensorValue(tensor.FromSlice(x[:rows], rows)),
		"o": graphops.TensorValue(tensor.FromSlice(x[:columns], 1, columns)),
	}
	const head = "input x f32[37,64]\ninput m bool[37,1]\ninput r f32[37]\ninput o f32[1,64]\ninit c f32[1] -1e9\ninit k f32[37,1]" +
		" 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37\noutput y f32[?,?]\n"
	for name, nodes := range map[string]string{
		"a mask":            "a = Where(m, c, x)\ny = Softmax(a) axis=-1",
		"the first axis":    "a = Add(x, o)\ny = Softmax(a) axis=0",
		"from the back":     "a = Add(o, x)\ny = Softmax(a) axis=-2",
		"rows of constants": "a = Mul(x, k)\ny = Neg(a)",
		"another rank":      "t = Transpose(x) perm=[1,0]\na = Add(t, r)\ny = Neg(a)",
		"to bytes":          "a = Cast(x) to=3\nb = Cast(a) to=1\ny = Neg(b)",
	} {
		t.Run(name, func(t *testing.T) {
			a := graphtest.Model(t, head+nodes)
			b := graphtest.Model(t, head+strings.ReplaceAll(nodes, "a = ", "a0 = Abs(m0)\nm0 = Cast(o) to=1\na = "))
			for _, m := range []*graphops.Model{a, b} {
				want, err := layers.Compare(t.Context(), layers.Side{Model: a, On: on}, layers.Side{Model: m, On: on}, in, layers.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := layers.Compare(t.Context(), layers.Side{Model: a, On: on}, layers.Side{Model: m, On: on}, in, layers.Options{Memory: 24 << 10})
				if err != nil {
					t.Fatal(err)
				}
				for i, l := range got.Layers {
					if w := want.Layers[i]; l.A != w.A || l.Judgement != w.Judgement || l.Bytes != w.Bytes || l.Type.String() != w.Type.String() || l.Judgement != layers.Equal {
						t.Errorf("%q is %s, of %d bytes as %s: %s; want %s, %d, %s", l.A, l.Judgement, l.Bytes, l.Type, l.Reason, w.Judgement, w.Bytes, w.Type)
					}
				}
			}
		})
	}
}
