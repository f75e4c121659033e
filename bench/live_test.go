package bench

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestBins: bins follow each other, hold what falls into them, and are narrow.
func TestBins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		d := time.Duration(partsOfOctave + r.Int64N(1<<(5+r.IntN(55))))
		bin := binOf(d)
		from, to := binStart(bin), binStart(bin+1)
		if d < from || d >= to || float64(to-from) > float64(from)/partsOfOctave+1 {
			t.Fatalf("%d ns is in bin %d, from %d to %d", d, bin, from, to)
		}
	}
	for _, d := range []time.Duration{-1, 0, 1, 15, 16} {
		if binOf(d) != 4*partsOfOctave {
			t.Errorf("%d ns is in bin %d", d, binOf(d))
		}
	}
}

// TestSights: while it is measured each subject tells where it is and what came out so far, a
// few times a second.
func TestSights(t *testing.T) {
	target, m := quietTarget(time.Millisecond)
	other := &simTarget{name: "u", base: 2 * time.Millisecond, machine: m}
	var made [][]Sight
	told, phases := 0, map[string]bool{}
	_, err := Measure(t.Context(), []Subject{{Target: target}, {Target: other}}, Plan{Seconds: 4 * time.Second}, Surroundings{Now: m.now, Progress: func(p Progress) {
		told++
		if len(made) == 0 || &made[len(made)-1][0] != &p.Sights[0] {
			made = append(made, p.Sights)
		}
		for _, s := range p.Sights {
			phases[s.Phase] = true
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(made) < 10 || len(made) > told/2 {
		t.Errorf("%d sights in %d blocks", len(made), told)
	}
	for _, phase := range []string{"waiting", "warm-up", "measuring"} {
		if !phases[phase] {
			t.Errorf("nothing was ever %s: %v", phase, phases)
		}
	}
	for i, s := range made[len(made)-1] {
		counted := 0
		for _, n := range s.Spread.Counts {
			counted += n
		}
		want := time.Duration(1+i) * time.Millisecond
		if counted != s.Runs || s.Low > s.Median || s.High < s.Median || s.Median < want*9/10 || s.Median > want*11/10 {
			t.Errorf("%+v, of %d runs %d in bins", s, s.Runs, counted)
		}
		if from, _ := s.Spread.Edges(0); from > milliseconds(s.Median) {
			t.Errorf("%s: bins begin with %v", s.Name, from)
		}
	}
	if first := made[0][1]; first.Runs != 0 || len(first.Spread.Counts) != 0 {
		t.Errorf("before anything ran: %+v", first)
	}
}
