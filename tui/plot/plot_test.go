package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		wide   int
		h      int
		want   []string
	}{
		{[]float64{0, 0.125, 0.5, 1}, 1, 1, []string{" ▁▄█"}},
		{[]float64{0, 0.25, 0.75, 1}, 2, 2, []string{"    ▄▄██", "  ▄▄████"}},
		{[]float64{1e-9, 2, -1, math.NaN(), math.Inf(1)}, 1, 2, []string{" █  █", "▁█  █"}},
		{nil, 1, 2, []string{"", ""}},
		{[]float64{1}, 1, 0, []string{}},
		{[]float64{1}, 1, -3, []string{}},
	} {
		if diff := cmp.Diff(c.want, Bars(c.shares, c.wide, c.h)); diff != "" {
			t.Errorf("%v: %s", c.shares, diff)
		}
	}
}

func TestShares(t *testing.T) {
	counts := []int64{0, 1, 9, 99}
	if diff := cmp.Diff([]float64{0, 1. / 99, 9. / 99, 1}, Shares(counts, false)); diff != "" {
		t.Error(diff)
	}
	got := Shares(counts, true)
	if got[0] != 0 || got[3] != 1 || got[1] < 0.1 || math.Abs(got[2]-0.5) > 1e-12 {
		t.Errorf("got %v, want 0, more than 0.1, a half, 1", got)
	}
	if got := Shares([]int64{0, 0}, true); got[0] != 0 || got[1] != 0 {
		t.Errorf("nothing has shares %v", got)
	}
}

func TestStep(t *testing.T) {
	for _, c := range []struct {
		s    Scale
		x    float64
		want int
	}{
		{Scale{0, 8, false, 8}, 0, 0},
		{Scale{0, 8, false, 8}, 3, 3},
		{Scale{0, 8, false, 8}, 6.9, 6},
		{Scale{0, 8, false, 8}, 8, 7},
		{Scale{0, 8, false, 8}, 99, 7},
		{Scale{0, 8, false, 8}, -1, 0},
		{Scale{5, 5, false, 8}, 5, 0},
		{Scale{-math.MaxFloat64, math.MaxFloat64, false, 3}, 0, 1},
		{Scale{-math.MaxFloat64, math.MaxFloat64, false, 3}, math.MaxFloat64, 2},
		{Scale{1e-4, 1e4, true, 8}, 5, 4},
		{Scale{1e-4, 1e4, true, 8}, 0, 0},
		{Scale{1e-4, 1e4, true, 8}, -1, 0},
		{Scale{1e-4, 1e4, true, 8}, 1e4, 7},
		{Scale{0, 1, false, 8}, math.NaN(), 0},
	} {
		if got := c.s.Step(c.x); got != c.want {
			t.Errorf("%+v: step of %g is %d, want %d", c.s, c.x, got, c.want)
		}
	}
}

func TestField(t *testing.T) {
	f := Field{Columns: 3, Steps: []int{0, 0, 2, 7, 7, 7}}
	var runs []string
	got := f.Lines(2, 2, func(step, cells int) string {
		runs = append(runs, fmt.Sprint(step, "x", cells))
		return strings.Repeat(Shades[step], cells)
	})
	if diff := cmp.Diff([]string{"    ::", "    ::", "######", "######"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"0x4", "2x2", "7x6"}, runs); diff != "" {
		t.Error(diff)
	}
	if got := (Field{}).Lines(1, 1, nil); got != nil {
		t.Errorf("nothing is drawn as %q", got)
	}
}
