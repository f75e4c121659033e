package fuzzy_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"

	"lathe/tui/fuzzy"
)

func corpus(texts []string) *fuzzy.Corpus {
	return fuzzy.NewCorpus(len(texts), func(i int) string { return texts[i] })
}

func find(t testing.TB, f *fuzzy.Finder, query string, limit int) fuzzy.Result {
	t.Helper()
	r, err := f.Find(context.Background(), query, limit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// marked writes a text with what matches blotted out.
func marked(text string, at []int) string {
	runes := []rune(text)
	for _, i := range at {
		runes[i] = '_'
	}
	return string(runes)
}

func TestFind(t *testing.T) {
	texts := []string{
		"/model/layers.0/attn/MatMul",
		"/model/layers.1/attn/MatMul",
		"/model/embed/Gather",
		"normal",
		"matmul",
		"LayerNorm",
		"größe/Élan",
		"bad\xffname",
		"",
	}
	for _, c := range []struct {
		query string
		want  []string // the best first, what matches blotted out
	}{
		{"mm", []string{"/model/layers.0/attn/_at_ul", "/model/layers.1/attn/_at_ul", "_at_ul", "/_odel/e_bed/Gather"}},
		{"MM", []string{"/model/layers.0/attn/_at_ul", "/model/layers.1/attn/_at_ul"}},
		{"1mat", []string{"/model/layers._/attn/___Mul"}},
		{"mat lay", []string{"/model/___ers.0/attn/___Mul", "/model/___ers.1/attn/___Mul"}},
		{"ln", []string{"_ayer_orm", "/model/_ayers.0/att_/MatMul", "/model/_ayers.1/att_/MatMul", "größe/É_a_"}},
		{"elan", []string{"größe/____", "/mod_l/__yers.0/att_/MatMul", "/mod_l/__yers.1/att_/MatMul"}},
		{"Élan", []string{"größe/____"}},
		{"d\ufffdna", []string{"ba____me"}},
		{"zzz", nil},
	} {
		r := find(t, fuzzy.NewFinder(corpus(texts)), c.query, 10)
		var got []string
		for _, m := range r.Matches {
			got = append(got, marked(texts[m.Index], m.Positions))
		}
		if diff := cmp.Diff(c.want, got); diff != "" || r.Total != len(c.want) {
			t.Errorf("%q, %d in all (-want +got):\n%s", c.query, r.Total, diff)
		}
	}
}

func TestEmptyQuery(t *testing.T) {
	for _, q := range []string{"", "  "} {
		r := find(t, fuzzy.NewFinder(corpus([]string{"ccc", "a", "bb"})), q, 2)
		if len(r.Matches) != 2 || r.Matches[0].Index != 0 || r.Matches[1].Index != 1 || r.Total != 3 {
			t.Errorf("%q: %+v", q, r)
		}
	}
	if r := find(t, fuzzy.NewFinder(corpus(nil)), "a", 5); r.Total != 0 || r.Matches != nil {
		t.Errorf("of nothing: %+v", r)
	}
	if r := find(t, fuzzy.NewFinder(corpus([]string{"a"})), "a", 0); r.Total != 1 || r.Matches != nil {
		t.Errorf("no place for any: %+v", r)
	}
}

// names are like those of nodes.
func names(n int) []string {
	ops := []string{"MatMul", "Softmax", "Add", "LayerNormalization", "Gather", "Transpose"}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("/model/layers.%d/attn/block_%d/%s_output_%d", i/997, i%31, ops[i%len(ops)], i%3)
	}
	return out
}

// best ranks by calling the algorithm for each text, and sorts nothing: it looks
// for the best one again and again.
func best(texts []string, query string, limit int) (out []int, total int) {
	scores := make([]int, len(texts))
	for i, s := range texts {
		scores[i] = -1
		chars := util.ToChars([]byte(s))
		exact := strings.ContainsFunc(query, unicode.IsUpper)
		if r, _ := algo.FuzzyMatchV2(exact, true, true, &chars, []rune(query), false, nil); r.Start >= 0 {
			scores[i] = r.Score
			total++
		}
	}
	for range min(limit, total) {
		at := -1
		for i, s := range scores {
			if s >= 0 && (at < 0 || s > scores[at] || s == scores[at] && len(texts[i]) < len(texts[at])) {
				at = i
			}
		}
		out = append(out, at)
		scores[at] = -1
	}
	return out, total
}

// TestAgainstPlainCalls types queries letter by letter, takes some back, and
// compares with a search from nothing.
func TestAgainstPlainCalls(t *testing.T) {
	texts := names(9000)
	f := fuzzy.NewFinder(corpus(texts))
	random := rand.New(rand.NewPCG(5, 6))
	query := ""
	for range 60 {
		switch {
		case query != "" && random.IntN(4) == 0:
			query = query[:random.IntN(len(query))]
		default:
			query += string("mtlaSo_.93/"[random.IntN(11)])
		}
		r := find(t, f, query, 20)
		if query == "" {
			continue
		}
		want, total := best(texts, query, 20)
		var got []int
		for _, m := range r.Matches {
			got = append(got, m.Index)
		}
		if diff := cmp.Diff(want, got); diff != "" || r.Total != total {
			t.Fatalf("%q: %d, want %d (-want +got):\n%s", query, r.Total, total, diff)
		}
	}
}

func TestCancelled(t *testing.T) {
	f := fuzzy.NewFinder(corpus(names(5000)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := f.Find(ctx, "mat", 5); !errors.Is(err, context.Canceled) || r.Matches != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r := find(t, f, "matm", 5); r.Total == 0 {
		t.Error("a search that was cancelled narrows the next one")
	}
}

// TestManyAtOnce searches from several goroutines, as when an answer is still
// under way while the next letter is typed.
func TestManyAtOnce(t *testing.T) {
	f := fuzzy.NewFinder(corpus(names(5000)))
	want := find(t, fuzzy.NewFinder(corpus(names(5000))), "matmul", 3)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			q := "matmul"[:1+i%6]
			if r, err := f.Find(context.Background(), q, 3); err != nil || len(r.Matches) != 3 {
				t.Errorf("%q: %+v, %v", q, r, err)
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(want, find(t, f, "matmul", 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHugeText holds a text of a megabyte and a query of a thousand letters.
func TestHugeText(t *testing.T) {
	f := fuzzy.NewFinder(corpus([]string{strings.Repeat("aB", 1<<19), strings.Repeat("ab", 400), "ab"}))
	for q, want := range map[string]int{"ab": 3, strings.Repeat("ab", 400): 2, strings.Repeat("ab", 5000): 1, "b a b": 2 + 1} {
		if r := find(t, f, q, 5); r.Total != want {
			t.Errorf("%.10s…: %d, want %d", q, r.Total, want)
		}
	}
}

func BenchmarkFind100k(b *testing.B) {
	texts := names(100_000)
	c := corpus(texts)
	for _, q := range []string{"m", "matmul", "layers.77", "zqx", "attn soft"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				find(b, fuzzy.NewFinder(c), q, 100)
			}
		})
	}
	b.Run("plain calls/matmul", func(b *testing.B) {
		for b.Loop() {
			for _, s := range texts {
				chars := util.ToChars([]byte(s))
				algo.FuzzyMatchV2(false, true, true, &chars, []rune("matmul"), false, nil)
			}
		}
	})
	b.Run("typed/layers.77", func(b *testing.B) {
		f := fuzzy.NewFinder(c)
		find(b, f, "layers.7", 100)
		for b.Loop() {
			b.StopTimer()
			f := fuzzy.NewFinder(c)
			find(b, f, "layers.7", 100)
			b.StartTimer()
			find(b, f, "layers.77", 100)
		}
	})
	b.Run("corpus", func(b *testing.B) {
		for b.Loop() {
			corpus(texts)
		}
	})
}
