package sizing_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// systemOf reads what a model demands of its inputs.
func systemOf(t *testing.T, m *graphops.Model) *sizing.System {
	t.Helper()
	s, err := sizing.Of(t.Context(), m, graphops.NamedTypes(m.Graph().FeedInputs()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// searchOf starts a search for sizes of a model's inputs.
func searchOf(t *testing.T, m *graphops.Model, given map[string]int64, p sizing.Purpose) *sizing.Search {
	t.Helper()
	return systemOf(t, m).Search(given, p)
}

// planted are models that demand something of the sizes a, b and c, and the demand.
var planted = []struct {
	name, model string
	fits        func(a, b, c int64) bool
}{
	{"multiple of 24", "input x f32[a]\ninit s i64[2] -1 24\ny = Reshape(x, s)", func(a, _, _ int64) bool { return a%24 == 0 }},
	{"multiple of 7 and of 5", "input x f32[a]\ninit s i64[2] -1 7\ninit r i64[2] -1 5\ny = Reshape(x, s)\nz = Reshape(x, r)", func(a, _, _ int64) bool { return a%35 == 0 }},
	{"multiple of 1000", "input x f32[a]\ninit s i64[2] -1 1000\ny = Reshape(x, s)", func(a, _, _ int64) bool { return a%1000 == 0 }},
	{"at least 17", "input x f32[1,1,a]\ninit w f32[1,1,17] 1\ny = Conv(x, w)", func(a, _, _ int64) bool { return a >= 17 }},
	{"at least 5000", "input x f32[1,1,a]\ninit w f32[1,1,5000] 1\ny = Conv(x, w)", func(a, _, _ int64) bool { return a >= 5000 }},
	{"at least 17, a multiple of 6", "input x f32[1,1,a]\ninit w f32[1,1,17] 1\ninit s i64[2] -1 6\ny = Conv(x, w)\nz = Reshape(x, s)", func(a, _, _ int64) bool { return a >= 17 && a%6 == 0 }},
	{"at most 9", "input x i64[1,a]\ninit t f32[9,4] 1\ninit z i64[] 0\ninit o i64[] 1\ninit k i64[] 1\ns = Shape(x)\nn = Gather(s, k)\nr = Range(z, n, o)\ny = Gather(t, r)", func(a, _, _ int64) bool { return a <= 9 }},
	{"at most 9, at least 8", "input x i64[1,a]\ninput u f32[1,1,a]\ninit w f32[1,1,8] 1\ninit t f32[9,4] 1\ninit z i64[] 0\ninit o i64[] 1\ns = Shape(x)\nn = Gather(s, o)\nr = Range(z, n, o)\ny = Gather(t, r)\nc = Conv(u, w)", func(a, _, _ int64) bool { return a == 8 || a == 9 }},
	{"exactly 11", "input x f32[2,a]\ninit w f32[11,3] 1\ny = MatMul(x, w)", func(a, _, _ int64) bool { return a == 11 }},
	{"exactly 70000", "input x f32[1,a]\ninit w f32[70000,1] 1\ny = MatMul(x, w)", func(a, _, _ int64) bool { return a == 70000 }},
	{"another plus 3", "input x f32[a]\ninput z f32[b]\ninit t f32[3] 1\nu = Concat(z, t) axis=0\ny = MatMul(x, u)", func(a, b, _ int64) bool { return a == b+3 }},
	{"twice another", "input x f32[a]\ninput z f32[b]\nu = Concat(z, z) axis=0\ny = MatMul(x, u)", func(a, b, _ int64) bool { return a == 2*b }},
	{"three of another plus 5", "input x f32[a]\ninput z f32[b]\ninit t f32[5] 1\nu = Concat(z, z, z, t) axis=0\ny = MatMul(x, u)", func(a, b, _ int64) bool { return a == 3*b+5 }},
	{"the sum of two", "input x f32[a]\ninput z f32[b]\ninput v f32[c]\nu = Concat(z, v) axis=0\ny = MatMul(x, u)", func(a, b, c int64) bool { return a == b+c }},
	{"equal to another", "input x f32[a]\ninput z f32[b]\ny = MatMul(x, z)", func(a, b, _ int64) bool { return a == b }},
	{"three equal", "input x f32[a]\ninput z f32[b]\ninput v f32[c]\ny = MatMul(x, z)\nw = MatMul(z, v)", func(a, b, c int64) bool { return a == b && b == c }},
	{"product of two is 60", "input x f32[a,b]\ninit s i64[2] 4 15\ny = Reshape(x, s)", func(a, b, _ int64) bool { return a*b == 60 }},
	{"product of three is 210", "input x f32[a,b,c]\ninit s i64[2] 14 15\ny = Reshape(x, s)", func(a, b, c int64) bool { return a*b*c == 210 }},
	{"product is a multiple of 26", "input x f32[a,b]\ninit s i64[2] -1 26\ny = Reshape(x, s)", func(a, b, _ int64) bool { return a*b%26 == 0 }},
	{"product of two is 97 and b is at least 50", "input x f32[a,b]\ninput v f32[1,1,b]\ninit w f32[1,1,50] 1\ninit s i64[1] 97\ny = Reshape(x, s)\nc = Conv(v, w)", func(a, b, _ int64) bool { return a*b == 97 && b >= 50 }},
	{"a quarter of another", "input x f32[1,1,a]\ninput z f32[b]\ninit w f32[1,1,4] 1\nu = Conv(x, w) strides=[4]\ninit sq i64[2] 0 1\nr = Squeeze(u, sq)\ny = MatMul(r, z)", func(a, b, _ int64) bool { return a/4 == b }},
	{"patches of 16 as many as positions", "input x f32[1,3,a,b]\ninit w f32[8,3,16,16] 1\ninit p f32[1,8,6] 1\ninit s i64[3] 1 8 -1\nu = Conv(x, w) strides=[16,16]\nr = Reshape(u, s)\ny = Add(r, p)", func(a, b, _ int64) bool { return (a/16)*(b/16) == 6 || (a/16)*(b/16) == 1 }},
	{"two levels down and up", "input x f32[1,1,a,b]\ninit w f32[1,1,2,2] 1\nu = MaxPool(x) kernel_shape=[2,2] strides=[2,2]\nv = MaxPool(u) kernel_shape=[2,2] strides=[2,2]\ng = ConvTranspose(v, w) strides=[2,2]\nh = Concat(g, u) axis=1\ninit q f32[2,1,2,2] 1\ni = ConvTranspose(h, q) strides=[2,2]\ny = Concat(i, x) axis=1", func(a, b, _ int64) bool { return a%4 == 0 && b%4 == 0 }},
	{"three levels down and up", "input x f32[1,1,a]\ninit w f32[1,1,2] 1\nu = MaxPool(x) kernel_shape=[2] strides=[2]\nv = MaxPool(u) kernel_shape=[2] strides=[2]\nk = MaxPool(v) kernel_shape=[2] strides=[2]\ng = ConvTranspose(k, w) strides=[2]\nh = Concat(g, v) axis=1\ninit q f32[2,1,2] 1\ni = ConvTranspose(h, q) strides=[2]\nj = Concat(i, u) axis=1\nl = ConvTranspose(j, q) strides=[2]\ny = Concat(l, x) axis=1", func(a, _, _ int64) bool { return a%8 == 0 }},
	{"windows of 7", "input x f32[1,a,b,4]\ninit s i64[6] 1 -1 7 1 7 4\ninit r i64[6] 0 -1 7 4 7 4\nt = Shape(x)\ny = Reshape(x, s)", func(a, b, _ int64) bool { return a*b%49 == 0 }},
	{"pixels unshuffled", "input x f32[1,2,a,b]\ny = SpaceToDepth(x) blocksize=3", func(a, b, _ int64) bool { return a%3 == 0 && b%3 == 0 }},
	{"channels shuffled", "input x f32[1,a,2,2]\ny = DepthToSpace(x) blocksize=2", func(a, _, _ int64) bool { return a%4 == 0 }},
	{"reflected by 9", "input x f32[1,1,a]\ninit p i64[6] 0 0 9 0 0 9\ny = Pad(x, p) mode='reflect'", func(a, _, _ int64) bool { return a >= 10 }},
	{"cropped by 4 at each end", "input x f32[1,1,a]\ninit p i64[6] 0 0 -4 0 0 -4\ninit w f32[1,1,1] 1\nc = Pad(x, p)\ny = Conv(c, w)", func(a, _, _ int64) bool { return a >= 9 }},
	{"the best 100", "input x f32[1,a]\ninit k i64[1] 100\ny, _ = TopK(x, k)", func(a, _, _ int64) bool { return a >= 100 }},
	{"index 12", "input x f32[1,a]\ninit k i64[] 12\ny = Gather(x, k) axis=1", func(a, _, _ int64) bool { return a >= 13 }},
	{"parts of 5, 6 and 7", "input x f32[a]\ninit p i64[3] 5 6 7\nu, v, w = Split(x, p)", func(a, _, _ int64) bool { return a == 18 }},
	{"a spectrum of 64", "input x f32[1,a]\ninit s i64[] 16\ninit l i64[] 64\ny = STFT(x, s, , l) onesided=1", func(a, _, _ int64) bool { return a >= 64 }},
	{"heads of 4", "input x f32[1,3,a]\ninit s i64[4] 0 0 4 -1\ny = Reshape(x, s)", func(a, _, _ int64) bool { return a%4 == 0 }},
	{"groups of 6", "input x f32[1,a,5]\ninit w f32[6,1,3] 1\ny = Conv(x, w) group=6", func(a, _, _ int64) bool { return a == 6 }},
	{"one and nothing else", "input x f32[a,5]\ninit z i64[1] 0\ny = Squeeze(x, z)", func(a, _, _ int64) bool { return a == 1 }},
	{"shifted by one", "input x f32[a]\ninput z f32[b]\ninit s i64[1] 1\ninit e i64[1] 9223372036854775807\nu = Slice(x, s, e)\ny = MatMul(u, z)", func(a, b, _ int64) bool { return a-1 == b }},
	{"an area that another has", "input x f32[a,b]\ninput z f32[c]\ninit s i64[1] -1\nu = Reshape(x, s)\ny = MatMul(u, z)", func(a, b, c int64) bool { return a*b == c }},
	{"three times as wide as high", "input x f32[a,b]\ninput v f32[a]\ninput w f32[b]\nu = Concat(v, v, v) axis=0\ny = MatMul(u, w)", func(a, b, _ int64) bool { return b == 3*a }},
	{"more than another by at least 4", "input x f32[1,1,a]\ninput z f32[1,1,b]\ninit s i64[1] 2\ninit t i64[1] 0\nu = Shape(z)\nn = Gather(u, s)\ninit four i64[1] 4\nk = Add(n, four)\ny, _ = TopK(x, k)", func(a, b, _ int64) bool { return a >= b+4 }},
}

// TestPlanted: for every purpose, the first proposal satisfies what the model demands, and
// so does every further one, after refusals that say nothing.
func TestPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if len(planted) < 40 {
		t.Fatalf("%d demands, want 40", len(planted))
	}
	for _, c := range planted {
		m := graphtest.Model(t, c.model)
		for _, p := range []sizing.Purpose{sizing.Check, sizing.Look, sizing.Measure} {
			q := searchOf(t, m, nil, p)
			for i := 0; ; i++ {
				sizes, more := q.Next(t.Context())
				if !more {
					if i == 0 {
						t.Errorf("%s, purpose %d: nothing is proposed: %v", c.name, p, q.Err())
					}
					break
				}
				if !c.fits(sizes["a"], sizes["b"], sizes["c"]) {
					t.Errorf("%s, purpose %d: proposal %d is %v", c.name, p, i, sizes)
				}
				q.Refused(sizing.Refusal{Words: "no"})
			}
		}
	}
}

// TestPlantedRefused: what no size satisfies is named with the nodes that demand it.
func TestPlantedRefused(t *testing.T) {
	for _, c := range []struct{ model, want string }{
		{"input x f32[2,a]\ninit w f32[11,3] 1\ninit v f32[12,3] 1\ny = MatMul(x, w)\nz = MatMul(x, v)", "a = 11"},
		{"input x i64[1,a]\ninput u f32[1,1,a]\ninit w f32[1,1,20] 1\ninit t f32[9,4] 1\ninit z i64[] 0\ninit o i64[] 1\ns = Shape(x)\nn = Gather(s, o)\nr = Range(z, n, o)\ny = Gather(t, r)\nc = Conv(u, w)", "20"},
	} {
		q := searchOf(t, graphtest.Model(t, c.model), nil, sizing.Check)
		if sizes, ok := q.Next(t.Context()); !ok {
			t.Errorf("nothing is proposed, so that the runtime cannot say what is wrong: %v", sizes)
		}
		if err := q.Err().Error(); !strings.Contains(err, c.want) {
			t.Errorf("got %q, want %q in it", err, c.want)
		}
	}
}

// TestGivenStay: sizes that are given are in every proposal, whatever they contradict.
func TestGivenStay(t *testing.T) {
	for _, c := range planted {
		given := map[string]int64{"a": 61}
		q := searchOf(t, graphtest.Model(t, c.model), given, sizing.Check)
		for sizes, ok := q.Next(t.Context()); ok; sizes, ok = q.Next(t.Context()) {
			if sizes["a"] != 61 {
				t.Errorf("%s: %v", c.name, sizes)
			}
			q.Refused(sizing.Refusal{Words: "no"})
		}
	}
}

// TestSameAgain: a second search proposes the same.
func TestSameAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range planted {
		m := graphtest.Model(t, c.model)
		var first []string
		for run := range 2 {
			q := searchOf(t, m, nil, sizing.Measure)
			var all []string
			for sizes, ok := q.Next(t.Context()); ok; sizes, ok = q.Next(t.Context()) {
				all = append(all, fmt.Sprint(slices.Sorted(maps.Keys(sizes)), sizes))
				q.Refused(sizing.Refusal{Words: "got 3, expected 7"})
			}
			if run == 1 && !slices.Equal(all, first) {
				t.Errorf("%s: %v, then %v", c.name, first, all)
			}
			first = all
		}
	}
}
