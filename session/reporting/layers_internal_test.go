package reporting

import "testing"

// TestLayersText says which layers have something.
func TestLayersText(t *testing.T) {
	for _, c := range []struct {
		layers []int
		total  int
		want   string
	}{
		{[]int{0, 1, 2}, 3, ""},
		{[]int{0, 2, 4}, 6, " in every 2nd layer"},
		{[]int{1, 3, 5}, 6, " in every 2nd layer"},
		{[]int{5, 11, 17}, 18, " in every 6th layer"},
		{[]int{2, 5}, 9, " in 2 of 9 layers"},
		{[]int{0, 1, 3}, 4, " in 3 of 4 layers"},
		{[]int{0}, 2, " in 1 of 2 layers"},
		{[]int{3, 6}, 9, " in 2 of 9 layers"},
		{[]int{20, 41, 62}, 63, " in every 21st layer"},
		{[]int{10, 21, 32}, 33, " in every 11th layer"},
	} {
		if got := layersText(c.layers, c.total); got != c.want {
			t.Errorf("%v of %d: got %q, want %q", c.layers, c.total, got, c.want)
		}
	}
}

// TestRotaryText writes bases, factors and parts of heads.
func TestRotaryText(t *testing.T) {
	for want, l := range map[string]Layers{
		"":                                   {},
		"rotary":                             {Rotary: &LayersRotary{}},
		"rotary base 500,000":                {Rotary: &LayersRotary{Base: 500_000, Factor: 1, Uniform: true}},
		"rotary base 10,000 / 4":             {Rotary: &LayersRotary{Base: 10_000, Factor: 4, Uniform: true}},
		"rotary base 500,000, slow ones / 8": {Rotary: &LayersRotary{Base: 500_000, Factor: 8}},
		"rotary base 40890.34 on 32 of 80":   {HeadSize: 80, Rotary: &LayersRotary{Base: 40_890.34, Factor: 1, Uniform: true, Size: 32}},
	} {
		if got := l.rotaryText(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
