package tensor

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestUniform fills tensors of every type with one code, then changes one element.
func TestUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for d := range DType(len(dtypes)) {
		if d.Bits() == 0 {
			continue
		}
		for _, n := range []int64{1, 2, 3, 5, 8, 21, 20011} {
			v, want := filled(t, d, n, rng)
			name := fmt.Sprintf("%s of %d", d, n)
			if text, ok := uniform(t, v, rng); !ok || text != want {
				t.Errorf("%s: %q %t, want %q", name, text, ok, want)
			}
			padded := v.Data[len(v.Data)-1]
			if spare := len(v.Data)*8 - int(n)*d.Bits(); spare > 0 { // any bits may follow
				v.Data[len(v.Data)-1] ^= 0xFF << (8 - spare)
				if _, ok := uniform(t, v, rng); !ok {
					t.Errorf("%s: the padding counts", name)
				}
				v.Data[len(v.Data)-1] = padded
			}
			if n == 1 {
				continue
			}
			bit := rng.Int64N(n * int64(d.Bits()))
			v.Data[bit/8] ^= 1 << (bit % 8)
			if text, ok := uniform(t, v, rng); ok {
				t.Errorf("%s: all are %s, though bit %d differs", name, text, bit)
			}
		}
	}
}

// filled is n times one element of random bits, and its text.
func filled(t *testing.T, d DType, n int64, rng *rand.Rand) (v Tensor, text string) {
	t.Helper()
	size, err := d.ByteLen(n)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 16)
	for i := range one {
		one[i] = byte(rng.Uint32())
	}
	v = Tensor{DType: d, Shape: []int64{n}, Data: make([]byte, size)}
	for i := range int(n) {
		if width := d.Bits(); width < 8 {
			pack(v.Data, i, width, unpack(one, 0, width))
		} else {
			copy(v.Data[i*width/8:], one[:width/8])
		}
	}
	items, err := v.Texts()
	if err != nil {
		t.Fatal(err)
	}
	return v, items[0]
}

// uniform asks in pieces of random sizes.
func uniform(t *testing.T, v Tensor, rng *rand.Rand) (string, bool) {
	t.Helper()
	u, err := NewUniform(v.DType, v.Len())
	if err != nil {
		t.Fatal(err)
	}
	for data := v.Data; len(data) > 0; {
		if _, ok := u.Value(); ok {
			t.Error("an answer before the end")
		}
		k := 1 + rng.IntN(len(data))
		if rng.IntN(2) == 0 {
			k = min(k, 3)
		}
		if n, err := u.Write(data[:k]); n != k || err != nil {
			t.Fatal(n, err)
		}
		data = data[k:]
	}
	return u.Value()
}

func TestUniformOfNothing(t *testing.T) {
	u, err := NewUniform(F32, 0)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := u.Value(); ok {
		t.Errorf("no element is %s", text)
	}
	if _, err := NewUniform(String, 1); err == nil {
		t.Error("strings have no bits")
	}
}
