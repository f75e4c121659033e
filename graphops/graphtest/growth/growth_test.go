package growth

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestBombs checks that every bomb is a model, and that its size grows with the number.
func TestBombs(t *testing.T) {
	for _, b := range Bombs {
		sizes := map[int]int{}
		for _, k := range []int{40, 400} {
			m := graphtest.Decode(t, b.Proto(t, k))
			for _, name := range []string{"x", "h", "y"} {
				if _, ok := m.Graph().Index().Value(name); !ok {
					t.Errorf("%s: no value %s", b.Name, name)
				}
			}
			sizes[k] = len(protoBytes(t, b, k))
		}
		if sizes[400]-sizes[40] < 360 {
			t.Errorf("%s: %d bytes for 40, %d bytes for 400", b.Name, sizes[40], sizes[400])
		}
		if _, err := graphops.Open(b.Write(t, t.TempDir(), 40), graphops.OpenOptions{}); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
}

// TestSeries checks that work by the square is seen, and linear work is not.
func TestSeries(t *testing.T) {
	work := 0
	linear := Series{Few: 2_000, Many: 20_000, Run: func(k int) {
		for range k * 1_000 {
			work++
		}
	}}
	square := Series{Few: 2_000, Many: 20_000, Run: func(k int) {
		for range k * k * 5 {
			work++
		}
	}}
	if !linear.Measure().IsLinear() {
		t.Errorf("linear work: %s", &linear)
	}
	if square.Measure().IsLinear() {
		t.Errorf("work by the square: %s", &square)
	}
}
