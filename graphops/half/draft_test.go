package half

import (
	"context"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestDraft holds what is projected against what comes out, to the byte.
func TestDraft(t *testing.T) {
	for _, tt := range models {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			o := DefaultOptions()
			if tt.change != nil {
				tt.change(&o)
			}
			d, err := Draft(context.Background(), m, tensor.F16, o)
			if err != nil {
				t.Fatal(err)
			}
			q, r := convertOf(t, m, o)
			size, err := graphops.SavedSize(q, graphops.SaveOptions{})
			if err != nil || size != d.After {
				t.Errorf("%d bytes were projected, it has %d, %v", d.After, size, err)
			}
			changes := 0
			for _, c := range d.Candidates {
				if c.Reason != "" {
					continue
				}
				changes++
				for _, w := range c.Weights {
					if f, err := w.Measure(context.Background(), nil); err != nil || f.Elements*4 != w.Before {
						t.Errorf("weight %q: %+v, %v", w.Name, f, err)
					}
				}
			}
			if changes != len(r.Converted) || len(d.Candidates)-changes != len(r.Kept) {
				t.Errorf("%d nodes change and %d not, want %d and %d", changes, len(d.Candidates)-changes, len(r.Converted), len(r.Kept))
			}
		})
	}
}
