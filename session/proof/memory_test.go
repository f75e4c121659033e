package proof_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/proof"
)

// identity returns its input as y and looks at the live heap after each run.
func identity(live *uint64) program {
	return func(in graphops.Feeds) (map[string]graphops.Value, error) {
		x := in["x"]
		copied := x.Tensor
		copied.Data = slices.Clone(copied.Data)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		*live = max(*live, m.HeapAlloc)
		return map[string]graphops.Value{"y": graphops.TensorValue(copied)}, nil
	}
}

// TestRowsMemory checks that a comparison of items keeps the outputs of the changed model, and not
// also the inputs and results of each item.
func TestRowsMemory(t *testing.T) {
	const item = 4 << 20
	original := graphtest.Model(t, "input x f32[1,1048576]\ny = Identity(x)\noutput y f32[1,1048576]")
	changed := graphtest.Model(t, "input x f32[batch,1048576]\ny = Identity(x)\noutput y f32[batch,1048576]")
	var live uint64
	p := proof.Prover{Runner: runner{original: identity(&live), changed: identity(&live)}}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2, 5}, nil)
	if err != nil || got.Difference != nil || !got.Apart {
		t.Fatalf("%+v, %v", got, err)
	}
	// The first item, outputs of 2 items, and inputs and outputs of 5.
	if most := float64(live-before.HeapAlloc) / item; most > 14 {
		t.Errorf("%.1f items are kept at once, expected at most 13", most)
	}
}

// TestRowsWithinLimit: fewer items are joined if the inputs of all would be too large.
func TestRowsWithinLimit(t *testing.T) {
	const item = 2 * 4
	original, changed := graphtest.Model(t, fixed), graphtest.Model(t, free)
	for limit, want := range map[int64][]int64{5 * item: {2, 5}, 4 * item: {2, 3}, 3 * item: {2, 3}, 2 * item: {2}} {
		p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}, MaxBytes: limit}
		got, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2, 5}, nil)
		if err != nil || !slices.Equal(got.Sizes, want) || (got.Fewer == "") != (limit == 5*item) {
			t.Errorf("%d bytes: %+v, %v, want sizes %v", limit, got, err, want)
		}
	}
	p := proof.Prover{Runner: runner{original: doubled(t, nil), changed: doubled(t, nil)}, MaxBytes: item}
	_, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2, 5}, nil)
	if !proof.IsUnproved(err) || !strings.Contains(err.Error(), "5 items take 40 B, inputs take at most 8 B: raise it with --input-limit") {
		t.Errorf("one item: %v", err)
	}
}

// TestNearWithinLimit: a second input is left out if both would be too large, and the result says so.
func TestNearWithinLimit(t *testing.T) {
	m := graphtest.Model(t, free)
	changed := graphtest.Model(t, free)
	for limit, want := range map[int64]int{1 << 20: 3, 3 * (2*2*4 + 2*2*4): 3, 40: 1} {
		p := proof.Prover{Runner: runner{m: doubled(t, nil), changed: doubled(t, nil)}, MaxBytes: limit}
		got, err := p.NearAt(context.Background(), m, changed, map[string]int64{"batch": 2})
		if err != nil || !got.Proved() {
			t.Fatalf("%d bytes: %+v, %v", limit, got, err)
		}
		if n := len(got.Tried); n > want || (n == 1) != got.Large {
			t.Errorf("%d bytes: %d inputs tried, large %v, want at most %d", limit, n, got.Large, want)
		}
	}
}

// TestRowsOfInnerAxis: items are joined along an axis that is not the first, of any type.
func TestRowsOfInnerAxis(t *testing.T) {
	for _, elem := range []string{"f32", "bool", "string", "i64"} {
		original := graphtest.Model(t, "input x "+elem+"[3,1,2]\ny = Identity(x)\noutput y "+elem+"[3,1,2]")
		changed := graphtest.Model(t, "input x "+elem+"[3,batch,2]\ny = Identity(x)\noutput y "+elem+"[3,batch,2]")
		same := func(in graphops.Feeds) (map[string]graphops.Value, error) {
			return map[string]graphops.Value{"y": in["x"]}, nil
		}
		p := proof.Prover{Runner: runner{original: same, changed: same}}
		got, err := p.Rows(context.Background(), original, changed, batch, nil, []int64{2, 5}, nil)
		if err != nil || got.Difference != nil || !slices.Equal(got.Compared, []string{"y"}) || !got.Apart {
			t.Errorf("%s: %+v, %v", elem, got, err)
		}
	}
}
