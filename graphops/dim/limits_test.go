package dim_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"lathe/graphops/dim"
)

func TestLimits(t *testing.T) {
	sum, product, largest, nested := dim.Number(0), dim.Number(1), dim.Number(1), dim.Symbol("a")
	for i := range 2_000 {
		x := dim.Symbol(fmt.Sprintf("s%d", i))
		sum, product, largest = sum.Add(x), product.Mul(x.Add(dim.Number(1))), largest.Max(x)
		nested = x.Mul(nested).Add(dim.Number(1)).FloorDiv(x.Add(dim.Number(1)))
	}
	for name, d := range map[string]dim.Dim{
		"a sum": sum, "a product": product, "a maximum": largest, "divisions in each other": nested,
		"a long name in it": dim.Symbol(strings.Repeat("n", 2*dim.MaxText)).Add(dim.Number(1)),
	} {
		if d.Known() || d.Err() != nil || d.String() != "?" {
			t.Errorf("%s: %s, %v", name, d, d.Err())
		}
	}
	if d := dim.Symbol(strings.Repeat("n", 2*dim.MaxText)); !d.Known() {
		t.Error("a long name is a name")
	}
}

// TestLimitsSayNothing has a difference that exceeds the limits: it says nothing
// about which is larger.
func TestLimitsSayNothing(t *testing.T) {
	a, b := dim.Number(0), dim.Number(0)
	for i := range dim.MaxTerms {
		a, b = a.Add(dim.Symbol(fmt.Sprintf("a%d", i))), b.Add(dim.Symbol(fmt.Sprintf("b%d", i)))
	}
	if !a.Known() || !b.Known() || a.AtLeast(b) || b.AtLeast(a) || a.Equal(b) {
		t.Errorf("%s and %s", a, b)
	}
}

// TestTime has calculations whose results would grow without end.
func TestTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	wide := dim.Number(0)
	for i := range dim.MaxTerms {
		wide = wide.Add(dim.Symbol(fmt.Sprintf("s%d", i)))
	}
	for name, grow := range map[string]func(d dim.Dim, i int) dim.Dim{
		"sums":       func(d dim.Dim, i int) dim.Dim { return d.Add(dim.Symbol(fmt.Sprint("s", i))) },
		"products":   func(d dim.Dim, _ int) dim.Dim { return d.Add(wide).Mul(wide) },
		"squares":    func(d dim.Dim, _ int) dim.Dim { return d.Mul(d).Add(dim.Symbol("a")) },
		"maxima":     func(d dim.Dim, i int) dim.Dim { return d.Max(dim.Symbol(fmt.Sprint("s", i))) },
		"minima":     func(d dim.Dim, i int) dim.Dim { return d.Min(dim.Symbol(fmt.Sprint("s", i)).Mul(wide)) },
		"broadcasts": func(d dim.Dim, i int) dim.Dim { b, _ := d.Broadcast(dim.Symbol(fmt.Sprint("s", i))); return b },
		"divisions":  func(d dim.Dim, i int) dim.Dim { return d.Add(wide).FloorDiv(dim.Symbol(fmt.Sprint("s", i))) },
		"floors":     func(d dim.Dim, i int) dim.Dim { return d.FloorDiv(dim.Number(2)).Add(dim.Symbol(fmt.Sprint("s", i))) },
		"comparisons": func(d dim.Dim, i int) dim.Dim {
			sum := d.Add(dim.Symbol(fmt.Sprint("s", i)).Min(dim.Number(300)))
			sum.Max(dim.Symbol("y"))
			return sum
		},
		"alternating": func(d dim.Dim, i int) dim.Dim { return d.Max(dim.Symbol(fmt.Sprint("s", i))).Min(wide).Add(d) },
		"a long name": func(d dim.Dim, _ int) dim.Dim { return d.Add(dim.Symbol(strings.Repeat("n", 1<<16))) },
	} {
		start := time.Now()
		d := dim.Symbol("x")
		for i := range 400 {
			d = grow(d, i)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s took %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}

// TestShared reads one Dim from many goroutines, which the race detector watches.
func TestShared(t *testing.T) {
	d := parse(t, "floor((2*a+b)/3)*max(a,b)+broadcast(a,c)-b*b")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 100 {
				e := d.Add(dim.Number(int64(i))).Mul(d).Sub(d.Mod(dim.Number(5))).Max(d)
				if !e.Equal(e) || !d.Sub(d).Is(0) || d.String() == "" || dim.Unknown().Equal(dim.Unknown()) {
					t.Error("a Dim changed")
				}
				if _, err := e.Eval(sizeOf(map[string]int64{"a": 3, "b": 4, "c": 3})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// A comparison of sums of many minima gives up early: their ways to be split are too
// many to look at.
func TestComparisonOfManyMinima(t *testing.T) {
	sum := dim.Number(0)
	for i := range 40 {
		a, b := dim.Symbol(fmt.Sprint("a", i)), dim.Symbol(fmt.Sprint("b", i))
		sum = sum.Add(a.Min(b).Mul(dim.Number(int64(1 - i%2*2))))
	}
	start := time.Now()
	if sum.AtLeast(dim.Number(1)) {
		t.Errorf("%s is at least 1", sum)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("that took %v", took)
	}
}
