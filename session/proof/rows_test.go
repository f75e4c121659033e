package proof_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/proof"
)

// Outputs that have the axis in their own ways, or not at all.
func TestRowsOfOutputs(t *testing.T) {
	original := graphtest.Model(t, `
		input x f32[2,3]
		input scale f32[2]
		y, inner, merged, square, total, list = local::All(x, scale)
		output y f32
		output inner f32
		output merged f32
		output square f32
		output total f32
		output list f32
	`)
	changed := original.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		e.Inputs[0] = e.Inputs[0].WithDim(0, graphops.SymbolDim("batch"))
		return true
	})
	run := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		x := in["x"]
		n := x.Tensor.Shape[0]
		list := floats(t, x)
		inner, merged := make([]float32, 3*n), make([]float32, 3*n)
		for i := range n {
			for j := range int64(3) {
				inner[j*n+i] = list[i*3+j]  // [3,batch]
				merged[j*n+i] = list[i*3+j] // [3*batch], the batch inside
			}
		}
		return map[string]graphops.Value{
			"y": x, "inner": value(inner, 3, n), "merged": value(merged, 3*n),
			"square": value(make([]float32, n*n), n, n), "total": in["scale"],
			"list": graphops.SequenceValue(graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}, x),
		}, nil
	}
	p := proof.Prover{Runner: runner{original: run, changed: run}}
	got, err := p.Rows(context.Background(), original, changed, proof.Freed{Symbol: "batch", Old: 2}, nil, []int64{2, 5}, nil)
	if err != nil || got.Difference != nil {
		t.Fatal(got, err)
	}
	want := []proof.Unchecked{
		{Output: "square", Why: "its shape 4×4 is not that of 2 items of 2×2"},
		{Output: "list", Why: "it is seq(f32)"},
	}
	if !reflect.DeepEqual(got.Unchecked, want) || !reflect.DeepEqual([][]string{got.Compared, got.Constant, got.Interleaved}, [][]string{{"y", "inner", "merged"}, {"total"}, {"merged"}}) || !reflect.DeepEqual(got.Sizes, []int64{4, 10}) {
		t.Errorf("got %+v", got)
	}
}

// A batch that is neither in front of nor inside an axis that it is merged with is a
// difference.
func TestRowsOfMergedAxis(t *testing.T) {
	original := graphtest.Model(t, "input x f32[1,4]\ny = Flatten(x)\noutput y f32[4]")
	changed := graphtest.Model(t, "input x f32[batch,4]\ny = Flatten(x)\noutput y f32[4*batch]")
	run := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		x := in["x"]
		n := x.Tensor.Shape[0]
		list := floats(t, x)
		if n > 1 {
			list[1], list[4] = list[4], list[1]
		}
		return map[string]graphops.Value{"y": value(list, 4*n)}, nil
	}
	p := proof.Prover{Runner: runner{original: run, changed: run}}
	got, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2}, nil)
	if err != nil || got.Difference == nil || !strings.Contains(got.Difference.String(), `value "y", item 0 is`) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Integers must be equal, however large the tolerance of others is.
func TestRowsOfIntegers(t *testing.T) {
	original := graphtest.Model(t, "input x i64[1,2]\ny = Identity(x)\noutput y i64[1,2]")
	changed := graphtest.Model(t, "input x i64[batch,2]\ny = Identity(x)\noutput y i64[batch,2]")
	run := func(spoil int64) program {
		return func(in graphops.Feeds) (map[string]graphops.Value, error) {
			x := in["x"].Tensor
			list, err := x.Int64s()
			if err != nil {
				return nil, err
			}
			for i := range list {
				list[i] += 1 << 40
			}
			if x.Shape[0] > 1 {
				list[3] += spoil
			}
			return map[string]graphops.Value{"y": graphops.TensorValue(tensor.FromSlice(list, x.Shape...))}, nil
		}
	}
	for spoil, want := range map[int64]bool{0: false, 1: true} {
		p := proof.Prover{Runner: runner{original: run(0), changed: run(spoil)}}
		got, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2}, nil)
		if err != nil || (got.Difference != nil) != want || got.Tolerance.RTol != 0 {
			t.Errorf("off by %d: got %+v, %v", spoil, got, err)
		}
	}
}

// An input without the axis is the same for all items.
func TestRowsSharedInput(t *testing.T) {
	original := graphtest.Model(t, "input x f32[1,2]\ninput z f32[2]\ny = Add(x, z)\noutput y f32[1,2]")
	changed := graphtest.Model(t, "input x f32[batch,2]\ninput z f32[2]\ny = Add(x, z)\noutput y f32[batch,2]")
	run := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		x, z := floats(t, in["x"]), floats(t, in["z"])
		for i := range x {
			x[i] += z[i%2]
		}
		return map[string]graphops.Value{"y": value(x, in["x"].Tensor.Shape...)}, nil
	}
	p := proof.Prover{Runner: runner{original: run, changed: run}}
	got, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2, 5}, nil)
	if err != nil || got.Difference != nil {
		t.Errorf("got %+v, %v", got.Difference, err)
	}
}
