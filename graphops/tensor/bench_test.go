package tensor

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func randomTensor(b *testing.B, d DType, seed uint64) Tensor {
	rng := rand.New(rand.NewPCG(seed, 0))
	xs := make([]float64, 1<<20)
	for i := range xs {
		xs[i] = rng.NormFloat64()
	}
	t, err := FromFloat64s(d, xs, 1<<10, 1<<10)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(t.Data)))
	return t
}

func BenchmarkProfile(b *testing.B) {
	for _, d := range []DType{F32, F64, F16, I8, I4, I64} {
		b.Run(d.String(), func(b *testing.B) {
			t := randomTensor(b, d, 1)
			for b.Loop() {
				if _, err := ProfileOf(t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, d := range []DType{F32, F64, F16, BF16, F8E4M3FN, I64} {
		x, y := randomTensor(b, d, 1), randomTensor(b, d, 2)
		near := Tensor{DType: d, Shape: x.Shape, Data: slices.Clone(x.Data)}
		for i := 0; i < len(near.Data); i += d.Bits() / 8 {
			near.Data[i] ^= 1
		}
		for name, other := range map[string]Tensor{"equal": x, "near": near, "different": y} {
			b.Run(d.String()+" "+name, func(b *testing.B) {
				b.SetBytes(int64(len(x.Data))) // of one side
				for b.Loop() {
					if _, err := Compare(x, other, Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, d := range []DType{F16, BF16, F8E4M3FN, I8} {
		b.Run(d.String(), func(b *testing.B) {
			xs, err := randomTensor(b, F32, 1).Float64s()
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]byte, 2*len(xs))
			b.SetBytes(int64(4 * len(xs)))
			for b.Loop() {
				if err := EncodeFloat64(dst, d, xs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGrid(b *testing.B) {
	t := randomTensor(b, F32, 1)
	for name, shape := range map[string][]int64{"matrix": {1 << 10, 1 << 10}, "kernels": {1 << 8, 1 << 9, 2, 4}} {
		b.Run(name, func(b *testing.B) {
			t.Shape = shape
			s, err := t.Stored()
			if err != nil {
				b.Fatal(err)
			}
			v := ViewOf(shape)
			if len(shape) == 4 {
				v = View{Down: 0, Across: 1, At: []int64{0, 0, Reduced, Reduced}}
			}
			b.SetBytes(int64(len(t.Data)))
			for b.Loop() {
				if _, err := s.Grid(v, 50, 150); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
