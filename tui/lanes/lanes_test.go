package lanes

import (
	"math/rand/v2"
	"testing"
)

// TestLanesInvariants checks on random graphs what any drawing must hold: a
// line that leaves a row arrives at the next, every value that is read has a
// line or is named, and a line is never shared.
func TestLanesInvariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		f := randomFlow(rng, 2+rng.IntN(60), 1+rng.IntN(4))
		c := Lay(f)
		above := uint16(0)
		for row, r := range c.Rows {
			if r.above != above {
				t.Fatalf("row %d: lanes %b arrive, %b left", row, r.above, above)
			}
			if int(r.at) >= maxLanes || c.Widest > maxLanes {
				t.Fatalf("row %d: lane %d of %d", row, r.at, c.Widest)
			}
			own := uint16(1) << r.at
			if r.above&own != 0 && r.joins&own == 0 && !r.crowded {
				t.Fatalf("row %d stands on a line that it does not read", row)
			}
			if r.joins&^(r.above|r.below) != 0 {
				t.Fatalf("row %d joins a lane that carries nothing", row)
			}
			for _, v := range f.Reads.At(row) {
				if !c.Laneless[v] && f.Last[v] < int32(row) {
					t.Fatalf("row %d reads value %d after its line has ended", row, v)
				}
			}
			above = r.below
		}
		if above != 0 {
			t.Fatalf("lanes %b go on below the last row", above)
		}
	}
}

// randomFlow is a graph in order whose rows make up to width values each.
func randomFlow(rng *rand.Rand, rows, width int) Flow {
	var f Flow
	for row := range rows {
		var made, read []int32
		for v := range f.From {
			if rng.IntN(len(f.From)) < 2 {
				read = append(read, int32(v))
				f.Last[v], f.Uses[v] = int32(row), f.Uses[v]+1
			}
		}
		for range 1 + rng.IntN(width) {
			made = append(made, int32(len(f.From)))
			f.From, f.Last, f.Uses = append(f.From, int32(row)), append(f.Last, -1), append(f.Uses, 0)
		}
		f.Makes.Add(made...)
		f.Reads.Add(read...)
	}
	return f
}
