package npz

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/tensor"
)

// TestElements writes every type of number element by element and expects the
// same values, in a wider type where numpy has none for them, and the type itself
// when they are converted back.
func TestElements(t *testing.T) {
	wider := map[tensor.DType]tensor.DType{
		tensor.BF16: tensor.F32, tensor.F8E4M3FN: tensor.F32, tensor.F8E4M3FNUZ: tensor.F32, tensor.F8E5M2: tensor.F32,
		tensor.F8E5M2FNUZ: tensor.F32, tensor.F8E8M0: tensor.F32, tensor.F6E2M3: tensor.F32, tensor.F6E3M2: tensor.F32,
		tensor.F4E2M1: tensor.F32, tensor.I4: tensor.I8, tensor.I2: tensor.I8, tensor.U4: tensor.U8, tensor.U2: tensor.U8,
	}
	types := 0
	for d := tensor.F32; d.Valid(); d++ {
		if d == tensor.String {
			continue
		}
		types++
		code := make([]float64, 5000)
		for i := range code {
			code[i] = float64(int64(1) << (i % 2))
		}
		v, err := tensor.FromFloat64s(d, code[:len(code)/d.Components()*d.Components()], int64(len(code)/d.Components()))
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w := NewWriter(&file)
		if err := w.Elements("a", d, v.Shape, bytes.NewReader(v.Data)); err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := readArchive(bytes.NewReader(file.Bytes()), int64(file.Len()), newBudget(Options{}))
		if err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		held := d
		if to, ok := wider[d]; ok {
			held = to
		}
		values, err := v.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		want, err := tensor.FromFloat64s(held, values, v.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Name != "a" || got[0].Tensor.DType != held || !bytes.Equal(got[0].Tensor.Data, want.Data) {
			t.Errorf("%s does not come back as %s with the same values", d, held)
		}
	}
	if types != 27 {
		t.Errorf("%d types, want all 27 that hold numbers or bools", types)
	}
}

// TestWideningKeepsEveryValue goes through all codes of the types that numpy
// does not have.
func TestWideningKeepsEveryValue(t *testing.T) {
	for d := tensor.F32; d.Valid(); d++ {
		held, ok := HeldAs(d)
		if !ok || held == d {
			continue
		}
		n := 1 << d.Bits()
		all := make([]byte, n*d.Bits()/8)
		for i := range n {
			bit := i * d.Bits()
			for b := range d.Bits() {
				all[(bit+b)/8] |= byte(i>>b&1) << ((bit + b) % 8)
			}
		}
		v := tensor.Tensor{DType: d, Shape: []int64{int64(n)}, Data: all}
		values, err := v.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		wide, err := tensor.FromFloat64s(held, values, v.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		back, err := wide.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		if !slices.EqualFunc(values, back, same) {
			t.Errorf("%s as %s: a value is not the same", d, held)
		}
	}
}

func TestElementsRefuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		dtype tensor.DType
		shape []int64
		bytes int
		text  string
	}{
		{"short", tensor.F32, []int64{3}, 8, "3 elements of type f32 take 12 bytes, got 8"},
		{"long", tensor.F32, []int64{1}, 8, "take 4 bytes, got 8"},
		{"short and widened", tensor.BF16, []int64{3}, 4, "are missing"},
		{"text", tensor.String, []int64{1}, 4, "elements of type str cannot be written one by one"},
		{"no type", tensor.Undefined, []int64{1}, 4, "elements of type undefined cannot be written one by one"},
		{"negative", tensor.F32, []int64{-1}, 4, "negative dimension"},
		{"rank", tensor.U8, make([]int64, 65), 0, "numpy has at most 64"},
	} {
		err := NewWriter(io.Discard).Elements("a", c.dtype, c.shape, bytes.NewReader(make([]byte, c.bytes)))
		if err == nil || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), `array "a": `) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.text)
		}
	}
	w := NewWriter(io.Discard)
	one := tensor.FromSlice([]float32{1}, 1)
	if err := w.Tensor("a", one); err != nil {
		t.Fatal(err)
	}
	if err := w.Elements("a", one.DType, one.Shape, bytes.NewReader(one.Data)); err == nil || !strings.Contains(err.Error(), `array "a" occurs twice`) {
		t.Error(err)
	}
}
