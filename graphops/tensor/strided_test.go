package tensor

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
)

// naive picks the elements one by one.
func (s Strided) naive(src []byte, size int64) []byte {
	n, _ := Elements(s.Shape)
	var out []byte
	index := make([]int64, len(s.Shape))
	for range n {
		at := s.Base
		for i, k := range index {
			at += k * s.Strides[i]
		}
		out = append(out, src[at*size:][:size]...)
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < s.Shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out
}

// Whatever the strides are, and wherever the elements lie, the same come as one by one.
func TestStrided(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		var shape []int64
		for range 1 + r.IntN(4) {
			shape = append(shape, 1+r.Int64N(7))
		}
		if r.IntN(20) == 0 {
			shape[0] = 700
		}
		s := Whole(shape)
		for i, d := range shape {
			switch r.IntN(6) {
			case 0: // backwards
				s.Base += (d - 1) * s.Strides[i]
				s.Strides[i] *= -1
			case 1: // every other one
				s.Shape[i], s.Strides[i] = (d+1)/2, 2*s.Strides[i]
			case 2: // again and again
				s.Shape[i], s.Strides[i] = r.Int64N(5), 0
			}
		}
		p := r.Perm(len(shape))
		moved := Strided{Base: s.Base}
		for _, i := range p {
			moved.Shape, moved.Strides = append(moved.Shape, s.Shape[i]), append(moved.Strides, s.Strides[i])
		}
		checkStrided(t, r, moved, shape)
	}
}

func checkStrided(t *testing.T, r *rand.Rand, s Strided, shape []int64) {
	t.Helper()
	d := []DType{U8, F16, F32, I64, C128}[r.IntN(5)]
	n, _ := Elements(shape)
	src := make([]byte, n*int64(d.Bits()/8))
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	want := s.naive(src, int64(d.Bits()/8))
	for _, data := range []io.ReaderAt{Memory(src), bytes.NewReader(src)} {
		reader, err := s.Reader(Stored{d, shape, data})
		if err != nil {
			t.Fatalf("%v of %v: %v", s, shape, err)
		}
		var got bytes.Buffer
		if _, err := reader.WriteTo(&got); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%v of %s %v (%T): other elements, %v", s, d, shape, data, err)
		}
		if reader, _ = s.Reader(Stored{d, shape, data}); len(want) > 1000 {
			continue
		}
		if err := iotest.TestReader(reader, want); err != nil {
			t.Fatal(err)
		}
	}
}

// Tensors beyond what is read at once, in several orders.
func TestStridedLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, shape := range [][]int64{{700, 3000}, {3000, 700}, {5, 400000}, {400000, 5}, {30, 1000, 70}, {2, 3, 400000}} {
		whole := Whole(shape)
		{
			s := Strided{}
			for i := range slices.Backward(shape) {
				s.Shape, s.Strides = append(s.Shape, whole.Shape[i]), append(s.Strides, whole.Strides[i])
			}
			src := make([]byte, 4*whole.Shape[0]*whole.Strides[0])
			for i := 0; i < len(src); i += 4 {
				le.PutUint32(src[i:], r.Uint32())
			}
			reader, err := s.Reader(Stored{F32, shape, bytes.NewReader(src)})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if _, err := reader.WriteTo(&got); err != nil || !bytes.Equal(got.Bytes(), s.naive(src, 4)) {
				t.Fatalf("%v of %v: other elements, %v", s, shape, err)
			}
		}
	}
}

// What reaches outside is refused, and a source that ends early is an error.
func TestStridedOutside(t *testing.T) {
	src := Stored{F32, []int64{4}, bytes.NewReader(make([]byte, 16))}
	for _, s := range []Strided{
		{Shape: []int64{5}, Strides: []int64{1}},
		{Shape: []int64{2}, Strides: []int64{1}, Base: 3},
		{Shape: []int64{2}, Strides: []int64{-1}},
		{Shape: []int64{2, 2}, Strides: []int64{1 << 62, 1}},
		{Shape: []int64{3, 2}, Strides: []int64{1 << 62, 1}},
		{Shape: []int64{-1}, Strides: []int64{1}},
		{Shape: []int64{1}},
		{Shape: []int64{1 << 40, 1 << 40}, Strides: []int64{0, 0}},
	} {
		if _, err := s.Reader(src); err == nil {
			t.Errorf("%v is read", s)
		}
	}
	src.Data = bytes.NewReader(make([]byte, 15))
	r, err := Whole(src.Shape).Reader(src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); err == nil {
		t.Error("15 bytes of 16 are no error")
	}
	if s, ok := Repeated([]int64{3}, []int64{2, 3}); !ok || !slices.Equal(s.Strides, []int64{0, 1}) {
		t.Errorf("3 repeated to 2×3 is %v, %v", s, ok)
	}
	if _, ok := Repeated([]int64{2}, []int64{3}); ok {
		t.Error("2 is repeated to 3")
	}
}
