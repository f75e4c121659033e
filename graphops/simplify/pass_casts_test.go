package simplify

import (
	"testing"

	"lathe/graphops/tensor"
)

func TestFoldCasts(t *testing.T) {
	checkMovements(t, []movements{
		{"same type", "input x f32[2]\na = Cast(x) to=1\ny = Relu(a)\noutput y f32[2]", []string{"y = Relu(x)"}},
		{"there and back", "input x f32[2]\na = Cast(x) to=11\nb = Cast(a) to=1\ny = Relu(b)\noutput y f32[2]", []string{"y = Relu(x)"}},
		{"back beside another reader", "input x f32[2]\na = Cast(x) to=11\nb = Cast(a) to=1\ny = Relu(b)\noutput y f32[2]\noutput a f64[2]", []string{"a = Cast(x) to=11", "y = Relu(x)"}},
		{"rounds on the way", "input x f32[2]\na = Cast(x) to=10\nb = Cast(a) to=1\ny = Relu(b)\noutput y f32[2]", []string{"a = Cast(x) to=10", "b = Cast(a) to=1", "y = Relu(b)"}},
		{"wider, then narrower", "input x f32[2]\na = Cast(x) to=11\nb = Cast(a) to=10\ny = Relu(b)\noutput y f16[2]", []string{"b = Cast(x) to=10", "y = Relu(b)"}},
		{"to an integer, where what is too large is anyone's guess", "input x f32[2]\na = Cast(x) to=11\ny = Cast(a) to=6\noutput y i32[2]", []string{"a = Cast(x) to=11", "y = Cast(a) to=6"}},
		{"integers by way of wider ones", "input x i8[2]\na = Cast(x) to=7\ny = Cast(a) to=2\noutput y u8[2]", []string{"y = Cast(x) to=2"}},
		{"integers by way of floats", "input x u8[2]\na = Cast(x) to=1\ny = Cast(a) to=3\noutput y i8[2]", []string{"a = Cast(x) to=1", "y = Cast(a) to=3"}},
		{"large integers by way of floats", "input x i64[2]\na = Cast(x) to=1\ny = Cast(a) to=7\noutput y i64[2]", []string{"a = Cast(x) to=1", "y = Cast(a) to=7"}},
		{"to text", "input x f32[2]\na = Cast(x) to=11\ny = Cast(a) to=8\noutput y str[2]", []string{"a = Cast(x) to=11", "y = Cast(a) to=8"}},
		{"like", "input x f32[2]\ninput z f16[?]\ny = CastLike(x, z)\noutput y f16[2]", []string{"y = Cast(x) to=10"}},
		{"like its own type", "input x f32[2]\ninput z f32[?]\na = CastLike(x, z)\ny = Relu(a)\noutput y f32[2]", []string{"y = Relu(x)"}},
	})
}

// TestWidens has every pair of types tried with the numbers at the edges of the first:
// one that a type widens comes back from there as it was.
func TestWidens(t *testing.T) {
	for from := range rangeOf {
		for to := range rangeOf {
			exact := true
			for _, x := range edges(from) {
				a, err := tensor.FromFloat64s(from, []float64{x})
				if err != nil {
					t.Fatal(err)
				}
				held, _ := a.Float64s()
				b, err := tensor.FromFloat64s(to, held)
				if err != nil {
					exact = false
					continue
				}
				back, _ := b.Float64s()
				exact = exact && back[0] == held[0]
			}
			if got := widens(from, to); got && !exact {
				t.Errorf("%s is said to hold every %s", to, from)
			} else if !got && exact && !(rangeOf[from].float && !rangeOf[to].float) {
				t.Logf("%s holds the edges of %s", to, from)
			}
		}
	}
}

// edges are numbers that a type holds and smaller types do not.
func edges(d tensor.DType) []float64 {
	n := rangeOf[d]
	pow := func(e int) float64 {
		x := 1.0
		for ; e > 0; e-- {
			x *= 2
		}
		for ; e < 0; e++ {
			x /= 2
		}
		return x
	}
	list := []float64{0, 1, pow(min(n.digits, 53)) - 1}
	if n.float {
		return append(list, pow(n.high), -pow(n.high), pow(n.step), pow(n.high)+pow(n.high-n.digits+1))
	}
	if n.low < 0 {
		list = append(list, -pow(-n.low))
	}
	return list
}
