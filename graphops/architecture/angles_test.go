package architecture

import (
	"bytes"
	"math"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// tables returns tables of cosines and sines in a type.
func tables(t testing.TB, d tensor.DType, rows int, frequencies []float64, scale float64) (cos, sin *graphops.Tensor) {
	t.Helper()
	var c, s []float64
	for at := range rows {
		for _, f := range frequencies {
			angle := float64(float32(at) * float32(f))
			c, s = append(c, scale*math.Cos(angle)), append(s, scale*math.Sin(angle))
		}
	}
	shape := []int64{int64(rows), int64(len(frequencies))}
	made := func(name string, list []float64) *graphops.Tensor {
		v, err := tensor.FromFloat64s(d, list, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return graphops.NewTensorOf(name, v)
	}
	return made("cos", c), made("sin", s)
}

func powers(base float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Pow(base, -float64(i)/float64(n))
	}
	return out
}

// lowered divides frequencies as the scaling of Llama 3 does.
func lowered(list []float64, factor, original float64) []float64 {
	out := make([]float64, len(list))
	for i, f := range list {
		smooth := (original*f/(2*math.Pi) - 1) / 3
		smooth = min(max(smooth, 0), 1)
		out[i] = (1-smooth)*f/factor + smooth*f
	}
	return out
}

func divided(list []float64, by float64) []float64 {
	out := make([]float64, len(list))
	for i, f := range list {
		out[i] = f / by
	}
	return out
}

func TestAngles(t *testing.T) {
	for name, c := range map[string]struct {
		elem        tensor.DType
		rows        int
		frequencies []float64
		scale       float64
		want        angles
	}{
		"10,000":             {tensor.F32, 64, powers(10_000, 64), 1, angles{base: 10_000, factor: 1, uniform: true}},
		"500,000, long":      {tensor.F32, 131_072, powers(500_000, 8), 1, angles{base: 500_000, factor: 1, uniform: true}},
		"1,000,000":          {tensor.F32, 2048, powers(1e6, 64), 1, angles{base: 1e6, factor: 1, uniform: true}},
		"not round":          {tensor.F32, 512, powers(40_890.34, 32), 1, angles{base: 40_890.3, factor: 1, uniform: true}},
		"f16":                {tensor.F16, 2048, powers(500_000, 64), 1, angles{base: 500_000, factor: 1, uniform: true}},
		"bf16":               {tensor.BF16, 128, powers(10_000, 32), 1, angles{base: 10_000, factor: 1, uniform: true}},
		"linear":             {tensor.F32, 512, divided(powers(10_000, 16), 4), 1, angles{base: 10_000, factor: 4, uniform: true}},
		"llama 3":            {tensor.F32, 512, lowered(powers(500_000, 64), 8, 8192), 1, angles{base: 500_000, factor: 8}},
		"longer rows":        {tensor.F32, 512, powers(10_000, 16), 1.19, angles{base: 10_000, factor: 1, uniform: true}},
		"no powers":          {tensor.F32, 64, []float64{1, 0.5, 0.3, 0.28, 0.1, 0.01}, 1, angles{}},
		"one column":         {tensor.F32, 64, []float64{1}, 1, angles{}},
		"llama 3 in f16":     {tensor.F16, 4096, lowered(powers(500_000, 64), 8, 512), 1, angles{}},
		"rising":             {tensor.F32, 64, []float64{0.1, 0.2, 0.3}, 1, angles{}},
		"huge":               {tensor.F32, 64, powers(1e30, 8), 1, angles{}},
		"not a number":       {tensor.F32, 64, []float64{1, math.NaN(), 0.1, 0.01}, 1, angles{}},
		"scaled to zero":     {tensor.F32, 64, powers(10_000, 8), 0, angles{}},
		"scaled without end": {tensor.F32, 64, powers(10_000, 8), math.Inf(1), angles{}},
	} {
		cos, sin := tables(t, c.elem, c.rows, c.frequencies, c.scale)
		got := readAngles(cos, sin)
		if got.base != c.want.base || got.factor != c.want.factor || got.uniform != c.want.uniform {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// TestDamagedAngles expects no base for a table in which one element is wrong.
func TestDamagedAngles(t *testing.T) {
	for _, at := range []int{3, 8*57 + 4, 8*63 + 7} {
		cos, sin := tables(t, tensor.F32, 64, powers(10_000, 8), 1)
		if a := readAngles(cos, sin); a.base != 10_000 || a.examined != 64 {
			t.Fatalf("whole: %+v", a)
		}
		v, err := cos.Read()
		if err != nil {
			t.Fatal(err)
		}
		list, _ := v.Float64s()
		list[at] += 0.01
		changed, _ := tensor.FromFloat64s(tensor.F32, list, v.Shape...)
		if a := readAngles(graphops.NewTensorOf("cos", changed), sin); a.base != 0 {
			t.Errorf("element %d is wrong: %+v", at, a)
		}
	}
}

// TestOddAngles reads tensors that are not tables of angles.
func TestOddAngles(t *testing.T) {
	cos, sin := tables(t, tensor.F32, 8, powers(10_000, 8), 1)
	short := graphops.NewTensor("short", tensor.F32, []int64{8, 8}, graphops.StoredPayload(bytes.NewReader(make([]byte, 12)), 256))
	vast := graphops.NewTensorOf("vast", tensor.FromSlice(make([]float32, 10_000), 2, 5000))
	flat := graphops.NewTensorOf("flat", tensor.FromSlice(make([]float32, 64), 64))
	words := graphops.NewTensorOf("words", tensor.FromStrings([]string{"a", "b"}, 2, 1))
	for name, pair := range map[string][2]*graphops.Tensor{
		"no sines": {cos, nil}, "short": {short, sin}, "short sines": {cos, short}, "vast": {vast, vast}, "flat": {flat, flat}, "words": {words, words},
	} {
		if a := readAngles(pair[0], pair[1]); a.base != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add(10_000.0, 1.0, uint8(8), 0.0)
	f.Fuzz(func(t *testing.T, base, by float64, n uint8, change float64) {
		list := divided(powers(base, int(n)), by)
		if len(list) > 2 {
			list[2] += change
		}
		got, factor, uniform := fit(list, 1.2e-7)
		if got == 0 {
			return
		}
		if !tensor.IsFinite(got) || got < leastBase || got > mostBase || !tensor.IsFinite(factor) || factor <= 0 {
			t.Fatalf("base %v, factor %v", got, factor)
		}
		for i, v := range list {
			if want := math.Pow(got, -float64(i)/float64(len(list))) / factor; uniform && math.Abs(v/want-1) > 1e-3 {
				t.Fatalf("frequency %d is %v, and not %v", i, v, want)
			}
		}
	})
}
