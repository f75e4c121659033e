package shape_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// sized is a model with the demands that it makes on its symbols, and the sizes at which
// TestSizesRun compares them with ONNX Runtime. A run that fails breaks a demand, and a
// run that breaks a demand fails, unless the demand is tolerated.
type sized struct {
	model   string   // lines, separated by "; "
	at      string   // sizes of each symbol, "h=1..4 w=2,7"
	feed    string   // values of inputs, "total=past+seq; ids=rows-1"
	demands []string // in brackets those that are tolerated
}

// sizes are the models of all families.
var sizes = slices.Concat(imageSizes, lookupSizes, layerSizes, attentionSizes, fusedSizes)

func (x sized) text() string {
	return "opset 17\nopset com.microsoft 1\n" + strings.ReplaceAll(x.model, "; ", "\n")
}

// assignments are all combinations of the sizes.
func (x sized) assignments(t *testing.T) []map[string]int64 {
	t.Helper()
	out := []map[string]int64{{}}
	for _, field := range strings.Fields(x.at) {
		name, list, _ := strings.Cut(field, "=")
		var next []map[string]int64
		for _, n := range sizesIn(t, list) {
			for _, a := range out {
				with := map[string]int64{name: n}
				for k, v := range a {
					with[k] = v
				}
				next = append(next, with)
			}
		}
		out = next
	}
	return out
}

// sizesIn reads "1..4" or "2,7".
func sizesIn(t *testing.T, list string) (out []int64) {
	t.Helper()
	for _, part := range strings.Split(list, ",") {
		from, to, span := strings.Cut(part, "..")
		if !span {
			to = from
		}
		lo, err := strconv.ParseInt(from, 10, 64)
		hi, err2 := strconv.ParseInt(to, 10, 64)
		if err != nil || err2 != nil {
			t.Fatalf("%q: no list of sizes", list)
		}
		for n := lo; n <= hi; n++ {
			out = append(out, n)
		}
	}
	return out
}

// unmet are the demands that do not hold at some sizes; refused reports whether the
// runtime does not tolerate one of them.
func unmet(r *shape.Result, sizes map[string]int64) (out []shape.Demand, refused bool) {
	size := func(name string) (int64, bool) { n, ok := sizes[name]; return n, ok }
	for _, d := range r.Demands {
		a, err := d.A.Size.Eval(size)
		b, err2 := d.B.Size.Eval(size)
		if err == nil && err2 == nil && !d.Relation.Holds(a, b) {
			out = append(out, d)
			refused = refused || !d.Tolerated
		}
	}
	return out, refused
}

// wantedTexts are what all demands want, in brackets what the runtime tolerates.
func wantedTexts(r *shape.Result) (out []string) {
	for _, d := range r.Demands {
		text := d.Text()
		if d.Tolerated {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return out
}

func TestSizes(t *testing.T) {
	for _, x := range sizes {
		t.Run(x.model, func(t *testing.T) {
			r, err := shape.Infer(t.Context(), graphtest.Model(t, x.text()), shape.Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkList(t, "problems", problemTexts(r), nil, nil)
			checkList(t, "demands", wantedTexts(r), x.demands, func(got, want string) bool { return got == want })
		})
	}
}
