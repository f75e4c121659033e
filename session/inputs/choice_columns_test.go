package inputs

import (
	"slices"
	"testing"

	"lathe/graphops/graphtest"
)

// TestByColumn checks that each column has values that its own nodes allow.
func TestByColumn(t *testing.T) {
	m := graphtest.Model(t, `
		opset 18
		opset ai.onnx.ml 3
		init zero i64[1] 0
		init one i64[1] 1
		input words str[n,2]
		a = ai.onnx.ml::ArrayFeatureExtractor(words, zero)
		b = ai.onnx.ml::ArrayFeatureExtractor(words, one)
		c: c = ai.onnx.ml::OneHotEncoder(a) cats_strings=['m','f'] zeros=0
		d: d = ai.onnx.ml::OneHotEncoder(b) cats_strings=['S','C','Q'] zeros=0
		init small f32[3,2] 1
		init large f32[300,2] 1
		input ids i64[n,3]
		e, f, g = Split(ids) axis=1 num_outputs=3
		h: h = Gather(small, e)
		i: i = Gather(large, g)
	`)
	made := feedsOf(t, m, Options{Dims: map[string]int64{"n": 50}})
	for i, want := range []string{
		`words that the node knows: one of the 2 known words at OneHotEncoder "c" in column 0; one of the 3 known words at OneHotEncoder "d" in column 1`,
		`integers 0 to 2 in column 0; integers 0 to 9 in column 1; integers 0 to 299 in column 2: index into 3 rows of "small" at Gather "h" in column 0; no node limits it in column 1; index into 300 rows of "large" at Gather "i" in column 2`,
	} {
		if got := made.Fed[i].What + ": " + made.Fed[i].Why; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	known := [][]string{{"m", "f"}, {"S", "C", "Q"}}
	for i, word := range made.Feeds["words"].Tensor.Strings {
		if !slices.Contains(known[i%2], word) {
			t.Errorf("word %d is %q", i, word)
		}
	}
	ids, err := made.Feeds["ids"].Tensor.Int64s()
	if err != nil {
		t.Fatal(err)
	}
	most := []int64{0, 0, 0}
	for i, id := range ids {
		most[i%3] = max(most[i%3], id)
	}
	if most[0] != 2 || most[1] > 9 || most[2] < 100 || most[2] > 299 {
		t.Errorf("the largest of each column: %v", most)
	}
}
