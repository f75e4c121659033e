package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lathe/session/proportion"
)

// TestTop1Load has losses at a limit, beside it, and gains.
func TestTop1Load(t *testing.T) {
	for _, c := range []struct {
		target           string
		onlyA, onlyB, of int64
		want             float64
	}{
		{"top1-loss<=0.5", 2, 0, 400, 1},
		{"top1-loss<=0.3", 3, 0, 1000, 1},
		{"top1-loss<=0.5", 3, 0, 400, 1.5},
		{"top1-loss<=0.5", 9, 8, 400, 0.5},
		{"top1-loss<=0.5", 1, 4, 400, 0},
		{"top1-loss<=0", 5, 5, 400, 0},
		{"top1-loss<=0", 1, 0, 400, math.Inf(1)},
	} {
		targets, err := ParseTargets([]string{c.target})
		if err != nil {
			t.Fatal(err)
		}
		got := Load(targets, &Outcome{Bytes: 1, Top1: &Top1{Pairs: proportion.Pairs{OnlyA: c.onlyA, OnlyB: c.onlyB, Of: c.of}}})
		if got != c.want && !(math.Abs(got-c.want) < 1e-9 && (got > 1) == (c.want > 1)) {
			t.Errorf("%s, %d and %d of %d: load %v, expected %v", c.target, c.onlyA, c.onlyB, c.of, got, c.want)
		}
		if err := CheckOutputs(targets, &Outcome{}); err == nil {
			t.Error("expected an error: no classes are known")
		}
	}
}

// rows gives a plant rows that a noise above their margin makes wrong.
func (p *plant) rows(seed uint64, count int) {
	r := rand.New(rand.NewPCG(seed, 11))
	for range count {
		p.margins = append(p.margins, math.Pow(10, -6*r.Float64()))
	}
	slices.Sort(p.margins)
}

// top1 counts the rows with a smaller margin than the noise.
func (p *plant) top1(noise float64) *Top1 {
	lost, _ := slices.BinarySearch(p.margins, noise)
	of := int64(len(p.margins))
	return &Top1{"y", of - int64(lost), proportion.Pairs{OnlyA: int64(lost), Of: of}}
}

// TestTop1Planted has rows whose margins are known. Most choices lose no row alone. All of 60 searches but
// two at most end within 1 % of the smallest assignment, with at most a tenth of the trials.
func TestTop1Planted(t *testing.T) {
	larger := 0
	for seed := range uint64(20) {
		for _, target := range []string{"top1-loss<=0", "top1-loss<=1", "top1-loss<=10"} {
			p, units := planted(seed, 6, 2, 0.2)
			p.rows(seed, 200)
			s := searchOf(t, p, units, target)
			trials, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			best, all := exhaustive(s, p)
			got := bestOf(s, trials)
			t.Logf("seed %d, %s: %d, best %d, %d of %d trials", seed, target, got, best, p.trials, all)
			if float64(got) > 1.01*float64(best) {
				larger++
			}
			if got < 0 || float64(got) > 1.15*float64(best) || 10*p.trials > all {
				t.Errorf("seed %d, %s: %d after %d of %d trials, best %d", seed, target, got, p.trials, all, best)
			}
		}
	}
	if larger > 2 {
		t.Errorf("%d of 60 searches end more than 1 %% above the smallest, expected at most 2", larger)
	}
}
