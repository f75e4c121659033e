package inputs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// TestNames checks the values that follow from the names and sizes of inputs.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"positions behind a cache", "input position_ids i64[b,3]\ninput past_key_values.0.key f32[b,2,p,4]", "counting from 5 to 7"},
		{"positions in a small table", "input position_ids i64[b,3]\ninput past f32[b,2,p,4]\ninit w f32[6,2] 1\ny = Gather(w, position_ids)", "counting from 0 to 2"},
		{"steps of a diffusion", "input timestep i64[]", "integers 0 to 999"},
		{"steps in a table", "input timesteps i64[b]\ninit w f32[50,2] 1\ny = Gather(w, timesteps)", "integers 0 to 49"},
		{"real steps", "input timestep f32[b]", "integers 0 to 999"},
		{"a factor", "input length_scale f32[1]", "uniform(0.5,1)"},
		{"many numbers of that name", "input scale f32[64]", "normal"},
		{"boxes of words", "input bbox i64[b,3,4]", "boxes"},
		{"a length by its name", "input x_lengths i64[b]\ninput x i64[b,p]", "all 5"},
		{"the only thing with a length", "input length i64[b]\ninput signal f32[b,80,p]", "all 5"},
		{"a length of two things", "input length i64[b]\ninput signal f32[b,80,p]\ninput text i64[b,p]", "integers 1 to 5"},
		{"a relative length", "input wav_lens f32[b]\ninput wavs f32[b,p]", "all 1"},
		{"a length of nothing", "input max_length i64[1]\ninput x i64[b,p]", "integers 1 to 5"},
		{"as a reader wants it", "input x_length i64[1]\ninput x f32[b,p]\ny = Tile(x, x_length)", "integers 1 to 2"},
	} {
		o := Options{Dims: map[string]int64{}}
		for symbol, n := range map[string]int64{"b": 2, "p": 5} {
			if strings.Contains(c.lines, "["+symbol+"]") || strings.Contains(c.lines, "["+symbol+",") || strings.Contains(c.lines, ","+symbol+"]") || strings.Contains(c.lines, ","+symbol+",") {
				o.Dims[symbol] = n
			}
		}
		made := feedsOf(t, graphtest.Model(t, c.lines), o)
		if got := made.Fed[0].What; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// numbersOf returns the elements of a generated input.
func numbersOf(t *testing.T, made Generated, name string) []float64 {
	t.Helper()
	values, err := made.Feeds[name].Tensor.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// TestEndOfRows checks that the number that a node looks for is at the end of each row and nowhere
// else.
func TestEndOfRows(t *testing.T) {
	m := graphtest.Model(t, "input i i64[40,6]\ninput j i64[2,6]\ninit w f32[5,2] 1\ninit end i64[] 2\ninit far i64[] 9\n"+
		"y = Gather(w, i)\ne = Equal(i, end)\nn = NonZero(e)\nz = Gather(w, j)\nf = Equal(j, far)\nk = NonZero(f)")
	made := feedsOf(t, m, Options{})
	for at, x := range numbersOf(t, made, "i") {
		if (x == 2) != (at%6 == 5) {
			t.Errorf("element %d is %g", at, x)
		}
	}
	if slices.Max(numbersOf(t, made, "j")) > 4 {
		t.Error("a number beyond the table")
	}
}

// TestDomainOfCases checks that the numbers stay in the domain of the functions in cases of every
// family. Only a rule of the user may leave it.
func TestDomainOfCases(t *testing.T) {
	m := graphtest.Model(t, "input x f32[500]\ninput r f32[500]\ninput h f16[500]\ninit one f32[] 1\n"+
		"a = Log(x)\ns = Sub(one, r)\nb = Log(s)\nc = Sqrt(r)\nd = Log(h)")
	for _, reach := range []reach{usual, zero, large} {
		made := feedsOf(t, m, Options{reach: reach})
		for _, name := range []string{"x", "h"} {
			if least := slices.Min(numbersOf(t, made, name)); least <= 0 {
				t.Errorf("reach %d: %s has %g", reach, name, least)
			}
		}
		values := numbersOf(t, made, "r")
		if slices.Min(values) < 0 || slices.Max(values) >= 1 {
			t.Errorf("reach %d: r is %g to %g", reach, slices.Min(values), slices.Max(values))
		}
	}
	made := feedsOf(t, m, Options{reach: large})
	if most := slices.Max(numbersOf(t, made, "x")); most < 500 || math.IsInf(most, 0) {
		t.Errorf("large numbers up to %g", most)
	}
	asked, err := ParseFill("normal")
	if err != nil {
		t.Fatal(err)
	}
	if values := numbersOf(t, feedsOf(t, m, Options{Fill: asked}), "x"); slices.Min(values) > -1 {
		t.Errorf("%s gives %g at least", asked, slices.Min(values))
	}
}

// TestBoxes checks that the corners or sizes of each box are in order, for every type.
func TestBoxes(t *testing.T) {
	m := graphtest.Model(t, "opset 16\ninput x f32[2,3,8,6]\ninput rois f32[50,4]\ninput item i64[50]\ninput bbox i64[9,4]\ninit w f32[100,2] 1\n"+
		"y = RoiAlign(x, rois, item)\nz = Gather(w, bbox)")
	made := feedsOf(t, m, Options{})
	for _, name := range []string{"rois", "bbox"} {
		values := numbersOf(t, made, name)
		for at := 0; at < len(values); at += 4 {
			if box := values[at : at+4]; box[0] >= box[2] || box[1] >= box[3] || box[0] < 0 || box[3] > 99 {
				t.Fatal(name, fmt.Sprint(box))
			}
		}
	}
}
