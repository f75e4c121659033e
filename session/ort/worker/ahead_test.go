//go:build cgo

package worker_test

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/wire"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// masked is sharing with a mask, as exporters write it: the lengths come from its sum and its shape.
var masked = strings.NewReplacer(
	"input lengths i32[b]\ninput total i32\n", "input mask i64[b,t]\ninput pos i64[b,n]\ninput again bool[1]\ninit axis i64[1] 1\ninit one i64[1] 1\ninit at i64 1\ninit third f32 2.3\n",
	"h = Gather(table, ids)\n", `sum = ReduceSum(mask, axis) keepdims=0
less = Sub(sum, one)
lengths = Cast(less) to=6
shape = Shape(mask)
size = Gather(shape, at)
total = Cast(size) to=6
g = Gather(table, ids)
place = Cast(pos) to=1
angle = Mul(place, third)
wave = Sin(angle)
far = Unsqueeze(wave, two)
past = Cast(again) to=1
apart = Add(far, past)
shift = Mul(apart, along)
h = Add(g, shift)
`,
	"init table", "init two i64[1] 2\ninit along f32[8] 1 -1 2 -2 1 0 -1 3\ninit table",
).Replace(sharing)

func maskedDecode(keep ort.Keep) ort.Decode {
	d := sharingDecode(keep)
	d.Changing = append(d.Changing[:1:1],
		ort.Changing{Name: "mask", DType: tensor.I64, Fill: wire.FillZero, Add: 1, Axes: []ort.Axis{{Size: 1}, {Of: wire.OfTotal}}},
		ort.Changing{Name: "pos", DType: tensor.I64, Fill: wire.FillCount, Axes: []ort.Axis{{Size: 1}, {Of: wire.OfNew}}},
		ort.Changing{Name: "again", DType: tensor.Bool, Fill: wire.FillAgain, Axes: []ort.Axis{{Size: 1}}},
	)
	return d
}

// TestAhead compares bindings that are prepared for several tokens with those that are made for each
// one, through everything that changes positions and shapes.
func TestAhead(t *testing.T) {
	for name, model := range map[string]string{
		"plain": masked,
		// ONNX Runtime does not write to given scores whose size is not the declared one.
		"refused": strings.Replace(masked, "output logits", "output logits f32[1,7,6]", 1),
	} {
		t.Run(name, func(t *testing.T) { ahead(t, model) })
	}
}

func ahead(t *testing.T, model string) {
	session := load(t, start(t), graphtest.Bytes(t, model))
	prompt := []int64{0, 3, 1, 5}
	var all [2]ort.Generated
	add := func(to, more *ort.Generated) {
		to.Tokens, to.Margins = append(to.Tokens, more.Tokens...), append(to.Margins, more.Margins...)
	}
	for i, keep := range []ort.Keep{wire.KeepPassed, wire.KeepShared} { // only the second one prepares them
		if _, err := session.Decode(t.Context(), maskedDecode(keep)); err != nil {
			t.Fatal(err)
		}
		for _, g := range []ort.Generation{
			{Restart: true, Prompt: prompt, Mark: true, Steps: 11},
			{Steps: 20, Wrap: 9},
			{Prompt: prompt, Chunk: 1, Mark: true},
			{Prompt: prompt, Repeat: 2},
			{Steps: 5},
			{Restart: true, Prompt: prompt, Chunk: 1, Mark: true},
			{Prompt: prompt[:1], Repeat: 3},
			{Steps: 5, Avoid: []int64{0, 2}},
			{Restart: true, Steps: 30},
			{Restart: true, Prompt: prompt, Chunk: 3, Steps: 36},
		} {
			got, err := session.Generate(t.Context(), g)
			if err != nil {
				t.Fatalf("%+v: %v", g, err)
			}
			add(&all[i], got)
		}
		if _, err := session.Generate(t.Context(), ort.Generation{Steps: 1}); err == nil || !strings.Contains(err.Error(), "no room for more positions") {
			t.Errorf("after the last position: %v", err)
		}
		got, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: prompt, Steps: 36})
		if err != nil {
			t.Fatal(err)
		}
		add(&all[i], got)
	}
	if diff := cmp.Diff(all[0].Tokens, all[1].Tokens); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all[0].Margins, all[1].Margins, cmpopts.EquateApprox(0, 1e-4)); diff != "" {
		t.Error(diff)
	}
	// A position or a length that is wrong by one gives another margin.
	if seen := slices.Compact(slices.Sorted(slices.Values(all[1].Margins))); len(seen) < 36 {
		t.Errorf("only %d different margins", len(seen))
	}
}
