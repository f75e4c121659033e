package dim_test

import (
	"math/rand/v2"
	"testing"

	"lathe/graphops/dim"
)

// TestEvaluator holds an evaluator against Eval, on random expressions and sizes.
func TestEvaluator(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	names := []string{"a", "b", "c"}
	index := func(name string) int {
		for i, n := range names {
			if n == name {
				return i
			}
		}
		names = append(names, name)
		return len(names) - 1
	}
	calculated := 0
	for range 4_000 {
		d := randomExpression(r, 3, len(operators)).build()
		e, ok := d.Evaluator(index)
		if ok != d.Known() {
			t.Fatalf("%s: known %v, got %v", d, d.Known(), ok)
		}
		for range 4 {
			of := randomSizes(r)
			sizes := make([]int64, len(names))
			for i, name := range names {
				sizes[i], _ = sizeOf(of)(name)
			}
			want, err := d.Eval(sizeOf(of))
			n, fits := e.At(sizes)
			if ok && (fits != (err == nil) || fits && n != want) {
				t.Fatalf("%s at %v: got %d, %v, want %d, %v", d, of, n, fits, want, err)
			}
			if ok && fits {
				calculated++
			}
		}
	}
	if calculated < 4_000 {
		t.Errorf("%d were calculated, which is too few", calculated)
	}
}

func TestEvaluatorOfUnknown(t *testing.T) {
	if _, ok := dim.Symbol("a").Add(dim.Unknown()).Evaluator(func(string) int { return 0 }); ok {
		t.Error("an unknown has an evaluator")
	}
	if n, ok := mustEvaluator(t, dim.Number(7)).At(nil); n != 7 || !ok {
		t.Errorf("got %d, %v", n, ok)
	}
	if _, ok := mustEvaluator(t, dim.Number(7).FloorDiv(dim.Symbol("a"))).At([]int64{0}); ok {
		t.Error("a division by zero has a result")
	}
}

func mustEvaluator(t *testing.T, d dim.Dim) dim.Evaluator {
	t.Helper()
	e, ok := d.Evaluator(func(string) int { return 0 })
	if !ok {
		t.Fatalf("%s has no evaluator", d)
	}
	return e
}

func BenchmarkEvaluator(b *testing.B) {
	d, err := dim.Parse("2*floor((floor((h+1)/2)+1)/2)*w+3")
	if err != nil {
		b.Fatal(err)
	}
	e, _ := d.Evaluator(func(name string) int { return map[string]int{"h": 0, "w": 1}[name] })
	sizes := []int64{224, 224}
	b.ReportAllocs()
	for b.Loop() {
		e.At(sizes)
	}
}
