package proof_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort"
	"lathe/session/proof"
)

const (
	fixed = `
		input x f32[1,2]
		double: y = Add(x, x)
		output y f32[1,2]
	`
	free = `
		input x f32[batch,2]
		double: y = Add(x, x)
		output y f32[batch,2]
	`
)

var batch = proof.Freed{Symbol: "batch", Old: 1}

func TestAxes(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	runs := 0
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}, Ran: func() { runs++ }}
	got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if err != nil {
		t.Fatal(err)
	}
	want := &proof.Axes{
		Sizes: map[string]int64{"batch": 1}, Seeds: 2, Outputs: []string{"y"},
		Freed: []proof.Axis{{
			Symbol: "batch", Old: 1, Sizes: []int64{2, 5}, Rows: true, Items: proof.ItemsEqual,
			Differ: []int64{}, Constant: []string{}, Interleaved: []string{},
			Outputs: []string{"y"}, Unchecked: []proof.Unchecked{}, RTol: 1e-4, ATol: 1e-5,
		}},
	}
	got.Freed[0].RTol, got.Freed[0].ATol = float64(float32(got.Freed[0].RTol)), float64(float32(got.Freed[0].ATol))
	want.Freed[0].RTol, want.Freed[0].ATol = float64(float32(1e-4)), float64(float32(1e-5))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if runs != 1+4+5+2 {
		t.Errorf("%d runs", runs)
	}
}

// Every fault that a repair could have is planted in the changed model.
func TestAxesFails(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(rows int64, y []float32)
		want  string
	}{
		"a bit at the old size": {func(_ int64, y []float32) { y[1] = nextUp(y[1]) }, `differs at batch=1: value "y" is`},
		"rows in another order": {func(_ int64, y []float32) { slices.Reverse(y) }, `differs at batch=1: value "y" is`},
		"rows exchanged in a batch": {func(rows int64, y []float32) {
			if rows > 1 {
				y[0], y[1], y[2], y[3] = y[2], y[3], y[0], y[1]
			}
		}, `differs at batch=2: value "y", item 0 is`},
		"the last row of five": {func(rows int64, y []float32) {
			if rows == 5 {
				y[9] += 0.1
			}
		}, `differs at batch=5: value "y", item 4 is`},
		"more than rounding": {func(rows int64, y []float32) {
			if rows > 1 {
				y[2] *= 1.001
			}
		}, `differs at batch=2: value "y", item 1 is`},
	} {
		t.Run(name, func(t *testing.T) {
			original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
			p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, c.spoil)}}
			_, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}, Watched: []string{"y"}})
			var failed *proof.FailedError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if failed.Origin == nil || failed.Origin.Value != "y" {
				t.Errorf("origin %+v", failed.Origin)
			}
		})
	}
}

func nextUp(x float32) float32 { return x + x/4e6 }

func TestAxesRounding(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, func(rows int64, y []float32) {
		if rows > 1 {
			y[0] += 4e-6
		}
	})}}
	got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if err != nil {
		t.Fatal(err)
	}
	if d := got.Freed[0].MaxDifference; d < 3e-6 || d > 5e-6 {
		t.Errorf("largest difference %g", d)
	}
}

func TestAxesDoesNotRun(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	refuse := func(rows int64) program {
		return func(in graphops.Feeds) (map[string]graphops.Value, error) {
			if in["x"].Tensor.Shape[0] >= rows {
				return nil, errors.New("shapes do not fit")
			}
			return doubled(t, nil)(in)
		}
	}
	for name, c := range map[string]struct {
		original, changed program
		want              string
		unproved          bool
	}{
		"the changed one in a batch": {doubled(t, nil), refuse(2), "does not run at batch=2: shapes do not fit", false},
		"the changed one at all":     {doubled(t, nil), refuse(1), "does not run at batch=1: shapes do not fit", false},
		"the original":               {refuse(1), doubled(t, nil), "not proved: the original does not run on generated inputs: shapes do not fit", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := proof.Prover{Runner: runner{original: c.original, changed: c.changed}}
			_, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
			if err == nil || !strings.Contains(err.Error(), c.want) || proof.IsUnproved(err) != c.unproved {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A model that draws numbers is not the same twice, and no change of it can be seen.
func TestAxesOfRandomModel(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	drawn := float32(0)
	draw := doubled(t, func(_ int64, y []float32) { drawn++; y[0] = drawn })
	p := proof.Prover{Runner: runner{original: draw, changed: draw}}
	_, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if !proof.IsUnproved(err) || !strings.Contains(err.Error(), `the original gives different results in each run: value "y"`) {
		t.Errorf("got %v", err)
	}
}

// What the model says of its outputs must be so.
func TestAxesDeclared(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, strings.Replace(free, "output y f32[batch,2]", "output y f32[1,2]", 1))
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}}
	_, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if err == nil || !strings.Contains(err.Error(), `differs at batch=2: value "y": its shape is 2×2, but the model declares 1×2`) {
		t.Errorf("got %v", err)
	}
}

func TestAxesPinned(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}}
	held := batch
	held.Pinned = true
	got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{held}})
	if err != nil || len(got.Freed) != 1 || got.Freed[0].Rows || len(got.Freed[0].Sizes) != 0 || got.Freed[0].Note == "" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Other symbols get a size at which the original runs.
func TestAxesOtherSymbols(t *testing.T) {
	original := graphtest.Model(t, "input x f32[1,height]\ny = Add(x, x)\noutput y f32[1,height]")
	changed := graphtest.Model(t, "input x f32[batch,height]\ny = Add(x, x)\noutput y f32[batch,height]")
	run := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		if in["x"].Tensor.Shape[1] < 20 {
			return nil, errors.New("too small for the kernel")
		}
		return doubled(t, nil)(in)
	}
	p := proof.Prover{Runner: runner{original: run, changed: run}}
	got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if err != nil || got.Sizes["height"] != 32 || got.Sizes["batch"] != 1 || !got.Freed[0].Rows {
		t.Errorf("got %+v, %v", got, err)
	}
	// A freed axis that gets the name of a symbol has that symbol at its own size.
	named := graphtest.Model(t, "input x f32[1,2]\ninput z f32[batch,2]\ny = Add(x, z)\noutput y f32[batch,2]")
	both := graphtest.Model(t, "input x f32[batch,2]\ninput z f32[batch,2]\ny = Add(x, z)\noutput y f32[batch,2]")
	p.Runner = runner{named: doubled(t, nil), both: doubled(t, nil)}
	got, err = p.Axes(context.Background(), proof.Change{Original: named, Changed: both, Freed: []proof.Freed{batch}})
	if err != nil || got.Sizes["batch"] != 1 || !got.Freed[0].Rows {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAxesCancelled(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}, Ran: func() {
		if runs++; runs == 7 {
			cancel()
		}
	}}
	_, err := p.Axes(ctx, proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if !errors.Is(err, context.Canceled) || proof.IsUnproved(err) || runs != 7 {
		t.Errorf("got %v after %d runs", err, runs)
	}
}

// Along a sequence items depend on each other, and a table of positions ends.
func TestAxesOfSequence(t *testing.T) {
	original := graphtest.Model(t, "input x f32[6,2]\ny = MatMul(x, x)\noutput y f32[6,2]")
	changed := graphtest.Model(t, `
		input x f32[seq,2]
		turned = Transpose(x)
		mixing: product = MatMul(turned, x)
		y = MatMul(x, product)
		output y f32[seq,2]
	`)
	run := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		if in["x"].Tensor.Shape[0] > 20 {
			return nil, errors.New("index 20 is outside of 20 rows")
		}
		return doubled(t, func(_ int64, y []float32) {
			for i := range y {
				y[i] += y[len(y)-1]
			}
		})(in)
	}
	p := proof.Prover{Runner: runner{original: run, changed: run}}
	got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{{Symbol: "seq", Old: 6}}})
	if err != nil {
		t.Fatal(err)
	}
	a := got.Freed[0]
	want := `node "mixing" (MatMul) computes across the axis; this holds for the original as well; ` +
		`does not run at seq=30: index 20 is outside of 20 rows`
	if a.Rows || a.Items != proof.ItemsDiffer || !slices.Equal(a.Differ, []int64{12}) || !slices.Equal(a.Sizes, []int64{12, 5}) || a.Note != want {
		t.Errorf("got %+v", a)
	}
}

// A batch that no output has must have gone into something.
func TestAxesVanished(t *testing.T) {
	total := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		sum := float32(0)
		for _, x := range floats(t, in["x"]) {
			sum += x
		}
		return map[string]graphops.Value{"y": value([]float32{sum}, 1)}, nil
	}
	for op, lost := range map[string]string{
		"sum: y = ReduceSum(x) keepdims=0": `no output depends on batch: the axis is lost at node "sum" (ReduceSum)`,
		"cut: y = Slice(x, one, one)":      `no output depends on batch: the axis is lost at node "cut" (Slice)`,
	} {
		original := graphtest.Model(t, "input x f32[1,2]\ninit one i64[1] 1\n"+op+"\noutput y f32")
		changed := graphtest.Model(t, "input x f32[batch,2]\ninit one i64[1] 1\n"+op+"\noutput y f32")
		p := proof.Prover{Runner: runner{original: total, changed: total}}
		got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
		if err != nil || got.Whole() || got.Freed[0].Items != proof.ItemsNotCompared || got.Freed[0].Note != lost {
			t.Errorf("%s: got %+v, %v", op, got, err)
		}
	}
}

// Without a runtime, other sizes do not help.
func TestAxesWithoutRuntime(t *testing.T) {
	m := graphtest.Model(t, "input x f32[a,b]\ny = Add(x, x)\noutput y f32[a,b]")
	runs := 0
	none := func(graphops.Feeds) (map[string]graphops.Value, error) {
		runs++
		return nil, &ort.NoRuntimeError{}
	}
	p := proof.Prover{Runner: runner{m: none}, Optimized: runner{m: none}}
	_, err := p.NearAt(context.Background(), m, m, nil)
	if !errors.As(err, new(*ort.NoRuntimeError)) || runs != 1 {
		t.Errorf("got %v after %d runs", err, runs)
	}
}
