package proof_test

import (
	"reflect"
	"testing"

	"lathe/graphops/tensor"
	"lathe/session/proof"
)

func TestCutAndJoin(t *testing.T) {
	nibbles, err := tensor.FromInt64s(tensor.I4, []int64{0, 1, 2, 3, 4, 5, 6, 7}, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]int32, 24)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	for _, c := range []struct {
		name string
		t    tensor.Tensor
		axis int
		at   int64
	}{
		{"first axis", tensor.FromSlice(numbers, 2, 3, 4), 0, 1},
		{"middle axis", tensor.FromSlice(numbers, 2, 3, 4), 1, 2},
		{"last axis", tensor.FromSlice(numbers, 2, 3, 4), 2, 1},
		{"nothing in front", tensor.FromSlice(numbers, 24), 0, 0},
		{"texts", tensor.FromStrings([]string{"a", "b", "c", "d", "e", "f"}, 3, 2), 1, 1},
		{"bools", tensor.FromSlice([]bool{true, false, true, true}, 2, 2), 1, 1},
		{"half bytes", nibbles, 1, 2},
		{"no elements", tensor.FromSlice([]float32{}, 3, 0), 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			lo, err := proof.Cut(c.t, c.axis, 0, c.at)
			if err != nil {
				t.Fatal(err)
			}
			hi, err := proof.Cut(c.t, c.axis, c.at, c.t.Shape[c.axis])
			if err != nil {
				t.Fatal(err)
			}
			both, err := proof.Join([]tensor.Tensor{lo, hi}, c.axis)
			if err != nil || !reflect.DeepEqual(both.Shape, c.t.Shape) || string(both.Data) != string(c.t.Data) || !reflect.DeepEqual(both.Strings, c.t.Strings) {
				t.Errorf("got %+v, %v, want %+v", both, err, c.t)
			}
		})
	}
	middle, err := proof.Cut(tensor.FromSlice(numbers, 2, 3, 4), 1, 1, 2)
	want := tensor.FromSlice([]int32{4, 5, 6, 7, 16, 17, 18, 19}, 2, 1, 4)
	if err != nil || !reflect.DeepEqual(middle, want) {
		t.Errorf("got %+v, %v, want %+v", middle, err, want)
	}
}

func TestCutRefuses(t *testing.T) {
	nibbles, err := tensor.FromInt64s(tensor.I4, []int64{0, 1, 2, 3, 4, 5}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	three := tensor.FromSlice([]float32{1, 2, 3}, 3)
	for name, c := range map[string]struct {
		t      tensor.Tensor
		axis   int
		lo, hi int64
	}{
		"half a byte":     {nibbles, 0, 1, 2},
		"past the end":    {three, 0, 2, 4},
		"before it":       {three, 0, -1, 2},
		"backwards":       {three, 0, 2, 1},
		"no such axis":    {three, 1, 0, 1},
		"too little data": {tensor.Tensor{DType: tensor.F32, Shape: []int64{1 << 40}}, 0, 0, 1},
	} {
		if got, err := proof.Cut(c.t, c.axis, c.lo, c.hi); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
