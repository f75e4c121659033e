package quant

import (
	"context"
	"fmt"
	"math"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestDraftAgreesWithDynamic holds what is projected against what comes out: the size to
// the byte, and the nodes that change.
func TestDraftAgreesWithDynamic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, m := range models {
		t.Run(m.name, func(t *testing.T) {
			original := graphtest.Model(t, m.text)
			for _, o := range everyOption() {
				o.Subgraphs = m.subgraphs
				agree(t, original, o)
			}
			o := DefaultDynamicOptions()
			o.Subgraphs = m.subgraphs
			d, err := DynamicDraft(context.Background(), original, o, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range d.Candidates {
				if name := c.Node().Name(); c.Reason == "" && name != "" {
					o.Include, o.Exclude = []string{name}, nil
					agree(t, original, o)
					o.Include, o.Exclude = nil, []string{name}
					agree(t, original, o)
				}
			}
		})
	}
}

func agree(t *testing.T, m *graphops.Model, o DynamicOptions) {
	t.Helper()
	d, err := DynamicDraft(context.Background(), m, o, false)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	quick, err := DynamicDraft(context.Background(), m, o, true)
	if err != nil || len(quick.Candidates) != len(d.Candidates) || quick.Nothing == "" && !quick.Unsized {
		t.Errorf("%+v: a quick draft has %d candidates, a whole one %d, %v", o, len(quick.Candidates), len(d.Candidates), err)
	}
	q, r, err := Dynamic(context.Background(), m, o, nil)
	if err != nil {
		if d.Nothing != err.Error() || d.After != d.Before {
			t.Errorf("%+v: %v, the draft has %+v", o, err, d)
		}
		return
	}
	size, err := graphops.SavedSize(q, graphops.SaveOptions{})
	if err != nil || size != d.After {
		t.Errorf("%+v: %d bytes were projected, it has %d, %v", o, d.After, size, err)
	}
	var said, found []string
	for _, x := range r.Quantized {
		said = append(said, x.Op+" "+x.Node)
	}
	for i := range d.Candidates {
		if c := &d.Candidates[i]; c.Reason == "" {
			found = append(found, c.Node().OpType()+" "+c.Node().Name())
		}
	}
	if fmt.Sprint(counted(said)) != fmt.Sprint(counted(found)) {
		t.Errorf("%+v: quantized %q, the draft has %q", o, said, found)
	}
	var bytes, drafted int64
	for _, x := range r.Quantized {
		bytes += x.BytesAfter
	}
	seen := map[*DraftWeight]bool{}
	for _, c := range d.Candidates {
		for _, w := range c.Weights {
			if !seen[w] {
				drafted += w.After
			}
			seen[w] = true
		}
	}
	if bytes != drafted {
		t.Errorf("%+v: weights of %d bytes are reported, %d drafted", o, bytes, drafted)
	}
}

func counted(list []string) map[string]int {
	out := map[string]int{}
	for _, s := range list {
		out[s]++
	}
	return out
}

// TestMeasure compares what a weight keeps with numbers worked out by hand.
func TestMeasure(t *testing.T) {
	m := graphtest.Model(t, "input x f32[1,2]\ninit w f32[2,2] 127 1.5 -127 0.25\nfc: y = MatMul(x, w)\noutput y f32[1,2]")
	for _, c := range []struct {
		perChannel bool
		max, noise float64
	}{
		{false, 0.5, 0.25 + 0.0625},         // scale 1: 1.5 becomes 2, 0.25 becomes 0
		{true, 0.25 - 21*1.5/127, 3.875e-6}, // the second column has a scale of 1.5/127
	} {
		o := DefaultDynamicOptions()
		o.PerChannel = c.perChannel
		d, err := DynamicDraft(context.Background(), m, o, false)
		if err != nil || len(d.Candidates) != 1 || len(d.Candidates[0].Weights) != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
		read := int64(0)
		f, err := d.Candidates[0].Weights[0].Measure(context.Background(), func(n int64) { read = n })
		if err != nil {
			t.Fatal(err)
		}
		signal := 2*127*127 + 1.5*1.5 + 0.25*0.25
		if math.Abs(f.MaxAbs-c.max) > 1e-6 || math.Abs(f.Noise-c.noise) > 1e-8 || f.Signal != signal || f.Cut != 0 || f.Low != -127 || f.High != 127 || read != 32 {
			t.Errorf("per channel %v: %+v, %d bytes read", c.perChannel, f, read)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, _ := DynamicDraft(context.Background(), m, DefaultDynamicOptions(), false)
	if _, err := d.Candidates[0].Weights[0].Measure(ctx, nil); err == nil {
		t.Error("what is cancelled goes on")
	}
}
