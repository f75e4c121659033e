package proof_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/proof"
)

// centred subtracts from each row of 2 the mean of all, where it is to.
func centred(t *testing.T, across bool) program {
	return doubled(t, func(rows int64, y []float32) {
		for j := range 2 {
			mean := float32(0)
			for i := j; i < len(y); i += 2 {
				mean += y[i] / float32(rows)
			}
			for i := j; i < len(y) && across; i += 2 {
				y[i] -= mean
			}
		}
	})
}

const (
	held  = "input x f32[%,2]\ninit s i64[2] % 2\nr: a = Reshape(x, s)\nmean: m = ReduceMean(a) axes=[0]\nsub: y = Sub(a, m)\noutput y f32[?,2]"
	freed = "input x f32[n,2]\ninit s i64[2] 0 2\nr: a = Reshape(x, s)\nmean: m = ReduceMean(a) axes=[0]\nsub: y = Sub(a, m)\noutput y f32[n,2]"
)

// A node computes across an axis since a repair alone, as far as sizes tell. What the
// original does to its several items tells whether it did so before.
func TestAxesMixedByRepair(t *testing.T) {
	for name, c := range map[string]struct {
		size     string
		old      int64
		original bool // computes across the axis
		want     string
	}{
		"several items that depend on each other": {"4", 4, true, ""},
		"several items that do not":               {"4", 4, false, `differs at n=8: value "y", item 0 is`},
		"a single item":                           {"1", 1, true, `differs at n=2: value "y", item 0 is`},
	} {
		t.Run(name, func(t *testing.T) {
			original := graphtest.Model(t, strings.ReplaceAll(held, "%", c.size))
			plain := graphtest.Model(t, strings.ReplaceAll(strings.Replace(held, "[%,2]", "[n,2]", 1), "%", c.size))
			changed := graphtest.Model(t, freed)
			across := centred(t, true)
			alone := func(in graphops.Feeds) (map[string]graphops.Value, error) {
				if !c.original && in["x"].Tensor.Shape[0] <= c.old {
					return centred(t, false)(in)
				}
				return across(in)
			}
			p := proof.Prover{Runner: runner{original: alone, changed: alone}}
			got, err := p.Axes(context.Background(), proof.Change{
				Original: original, Changed: changed, Freed: []proof.Freed{{Symbol: "n", Old: c.old}},
				Plain: func() (*graphops.Model, error) { return plain, nil },
			})
			if c.want == "" {
				if err != nil || got.Freed[0].Items != proof.ItemsDiffer || got.Whole() {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			var failed *proof.FailedError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) || failed.Mixer == nil || failed.Mixer.Name != `node "mean" (ReduceMean)` {
				t.Errorf("got %v, mixer %+v", err, failed)
			}
		})
	}
}

// A node that computes across the axis excuses what comes of it, and no other output.
func TestAxesExcusesOneOutput(t *testing.T) {
	original := graphtest.Model(t, "opset 13\ninput x f32[1,2]\nm = ReduceMean(x) axes=[0]\ny = Sub(x, m)\nz = Add(x, x)\noutput y f32[1,2]\noutput z f32[1,2]")
	changed := graphtest.Model(t, "opset 13\ninput x f32[batch,2]\nm = ReduceMean(x) axes=[0]\ny = Sub(x, m)\nz = Add(x, x)\noutput y f32[batch,2]\noutput z f32[batch,2]")
	run := func(spoilt bool) program {
		return func(in graphops.Feeds) (map[string]graphops.Value, error) {
			y, err := centred(t, true)(in)
			if err != nil {
				return nil, err
			}
			z, err := centred(t, spoilt && in["x"].Tensor.Shape[0] > 1)(in)
			return map[string]graphops.Value{"y": y["y"], "z": z["y"]}, err
		}
	}
	for spoilt, want := range map[bool]string{false: "", true: `value "z"`} {
		p := proof.Prover{Runner: runner{original: run(false), changed: run(spoilt)}}
		got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
		if spoilt != (err != nil) || spoilt && !strings.Contains(err.Error(), want) || !spoilt && got.Freed[0].Items != proof.ItemsDiffer {
			t.Errorf("spoilt %v: got %+v, %v", spoilt, got, err)
		}
	}
}

// Items that all give the same show nothing.
func TestAxesAlike(t *testing.T) {
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	nothing := doubled(t, func(_ int64, y []float32) { clear(y) })
	p := proof.Prover{Runner: runner{original: nothing, changed: nothing}}
	got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
	if err != nil || got.Freed[0].Items != proof.ItemsAlike || got.Freed[0].Rows || got.Whole() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A fault that shows where two axes are free at once.
func TestAxesTogether(t *testing.T) {
	original := graphtest.Model(t, "input x f32[1,2]\ny = Add(x, x)\noutput y f32[1,2]")
	changed := graphtest.Model(t, "input x f32[batch,n]\ny = Add(x, x)\noutput y f32[batch,n]")
	change := proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch, {Symbol: "n", Old: 2}}}
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}}
	got, err := p.Axes(context.Background(), change)
	if err != nil || !got.Whole() || !maps.Equal(got.Together, map[string]int64{"batch": 2, "n": 4}) {
		t.Errorf("got %+v, %v", got, err)
	}
	p.Runner = runner{original: doubled(t, nil), changed: doubled(t, func(rows int64, y []float32) {
		if rows > 1 && int64(len(y)) > 2*rows {
			y[len(y)-1] = 0
		}
	})}
	if _, err := p.Axes(context.Background(), change); err == nil || !strings.Contains(err.Error(), `differs at batch=2, n=4: value "y", item 1 is`) {
		t.Errorf("got %v", err)
	}
}

// Symbols that are not varied get sizes that tell them apart, unless the model wants
// them equal.
func TestSettleApart(t *testing.T) {
	m := graphtest.Model(t, "input x f32[a,b]\ny = Add(x, x)\noutput y f32[a,b]")
	square := func(in graphops.Feeds) (map[string]graphops.Value, error) {
		if s := in["x"].Tensor.Shape; s[0] != s[1] {
			return nil, errors.New("no square")
		}
		return doubled(t, nil)(in)
	}
	for name, c := range map[string]struct {
		run  program
		want map[string]int64
	}{
		"any":    {doubled(t, nil), map[string]int64{"a": 2, "b": 3}},
		"square": {square, map[string]int64{"a": 3, "b": 3}},
	} {
		p := proof.Prover{Runner: runner{m: c.run}}
		got, err := p.Settle(context.Background(), m, map[string]int64{})
		if err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// A batch lies along the axis that the input has it on.
func TestRowsAlongInnerAxis(t *testing.T) {
	original := graphtest.Model(t, "input x f32[2,1]\ny = Add(x, x)\noutput y f32[2,1]")
	changed := graphtest.Model(t, "input x f32[2,batch]\ny = Add(x, x)\noutput y f32[2,batch]")
	for spoilt, want := range map[bool]string{false: "", true: `differs at batch=2: value "y", item 0 is`} {
		p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, func(_ int64, y []float32) {
			if spoilt && len(y) > 2 {
				y[0], y[1] = y[1], y[0]
			}
		})}}
		got, err := p.Axes(context.Background(), proof.Change{Original: original, Changed: changed, Freed: []proof.Freed{batch}})
		if spoilt != (err != nil) || spoilt && !strings.Contains(err.Error(), want) || !spoilt && got.Freed[0].Items != proof.ItemsEqual {
			t.Errorf("spoilt %v: got %+v, %v", spoilt, got, err)
		}
	}
}
