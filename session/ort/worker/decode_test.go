//go:build cgo

package worker_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/wire"
	"lathe/session/ort/workertest"

	"github.com/google/go-cmp/cmp"
)

// words is the vocabulary of counting.
const words = 11

// counting is a language model with a cache. Its next token is the sum of all tokens, three times the
// number of valid positions and five times the last position, modulo words. So a wrong cache, mask or
// position gives another token.
const counting = `opset 20
input ids i64[b,n]
input mask i64[b,t]
input pos i64[b,n]
input past f32[b,1,p,1]
init apart i64[4] 0 1 -1 1
init flat i64[2] 0 -1
init one i64[1] 1
init last i64[1] -1
init three f32 3
init five f32 5
init count f32 11
init words f32[11] 0 1 2 3 4 5 6 7 8 9 10
f = Cast(ids) to=1
new = Reshape(f, apart)
present = Concat(past, new) axis=2
all = Reshape(present, flat)
tokens = ReduceSum(all, one)
valid = Cast(mask) to=1
length = ReduceSum(valid, one)
end = Gather(pos, last) axis=1
place = Cast(end) to=1
a = Mul(length, three)
c = Mul(place, five)
d = Add(tokens, a)
e = Add(d, c)
next = Mod(e, count) fmod=1
away = Sub(words, next)
square = Mul(away, away)
near = Neg(square)
logits = Unsqueeze(near, one)
output logits
output present`

// counted returns what counting generates after a prompt.
func counted(prompt []int64, steps int) (tokens []int64) {
	var sum int64
	for _, id := range prompt {
		sum += id
	}
	for n := int64(len(prompt)); len(tokens) < steps; n++ {
		next := (sum + 3*n + 5*(n-1)) % words
		tokens = append(tokens, next)
		sum += next
	}
	return tokens
}

// countingDecode says how counting generates tokens.
func countingDecode(batch int64, keep ort.Keep) ort.Decode {
	return ort.Decode{
		Batch: batch, Capacity: 64, Logits: "logits",
		Changing: []ort.Changing{
			{Name: "ids", DType: tensor.I64, Fill: wire.FillIDs, Axes: []ort.Axis{{Size: batch}, {Of: wire.OfNew}}},
			{Name: "mask", DType: tensor.I64, Fill: wire.FillZero, Add: 1, Axes: []ort.Axis{{Size: batch}, {Of: wire.OfTotal}}},
			{Name: "pos", DType: tensor.I64, Fill: wire.FillCount, Axes: []ort.Axis{{Size: batch}, {Of: wire.OfNew}}},
		},
		Caches: []ort.Cache{{Past: "past", Present: "present", DType: tensor.F32, Dims: []int64{batch, 1, 0, 1}, Axis: 3, Keep: keep}},
	}
}

// keeps are the ways to keep a cache that grows.
var keeps = map[string]ort.Keep{"swapped": wire.KeepSwapped, "passed": wire.KeepPassed, "copied": wire.KeepCopied}

func TestGenerate(t *testing.T) {
	prompts := [][]int64{{3, 1, 4, 1, 5}, {9, 2, 6, 5, 3}}
	var flat, want []int64
	for _, p := range prompts {
		flat = append(flat, p...)
	}
	const tokens = 20
	for i := range tokens {
		for _, p := range prompts {
			want = append(want, counted(p, tokens)[i])
		}
	}
	session := load(t, start(t), graphtest.Bytes(t, counting))
	for name, keep := range keeps {
		for _, chunk := range []int64{0, 2} {
			t.Run(fmt.Sprint(name, chunk), func(t *testing.T) {
				if _, err := session.Decode(t.Context(), countingDecode(2, keep)); err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second time, nothing of the first is left
					got, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: flat, Chunk: chunk, Steps: tokens - 1})
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got.Tokens); diff != "" {
						t.Error(diff)
					}
					if got.Position != 5+tokens-1 || len(got.Steps) != tokens-1 || len(got.Prompts) != int(1+chunk) {
						t.Errorf("%d positions, %d steps, %d prompts", got.Position, len(got.Steps), len(got.Prompts))
					}
					for _, m := range got.Margins {
						if m != 1 && m != 0 { // the squares of 0 and 1
							t.Errorf("margin %v", m)
						}
					}
				}
			})
		}
	}
}

// TestGenerateBlocks measures prompts and steps in turn, as a benchmark does.
func TestGenerateBlocks(t *testing.T) {
	session := load(t, start(t), graphtest.Bytes(t, counting))
	prompt := []int64{3, 1, 4}
	for name, keep := range keeps {
		t.Run(name, func(t *testing.T) {
			if _, err := session.Decode(t.Context(), countingDecode(1, keep)); err != nil {
				t.Fatal(err)
			}
			generate := func(g ort.Generation) *ort.Generated {
				t.Helper()
				out, err := session.Generate(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			first := generate(ort.Generation{Restart: true, Prompt: prompt, Mark: true}).Tokens
			got := generate(ort.Generation{Steps: 4}).Tokens
			again := generate(ort.Generation{Prompt: prompt, Repeat: 3})
			if len(again.Prompts) != 3 || again.Position != 7 {
				t.Errorf("%d prompts, %d positions", len(again.Prompts), again.Position)
			}
			if want := counted(append(prompt, prompt...), 1)[0]; again.Tokens[2] != want {
				t.Errorf("the prompt after the mark gives %d, want %d", again.Tokens[2], want)
			}
			got = append(got, generate(ort.Generation{Steps: 3}).Tokens...)
			if diff := cmp.Diff(counted(prompt, 8), append(first, got...)); diff != "" {
				t.Error(diff)
			}
			// Three positions are marked, and the caches wrap at five.
			wrapped := generate(ort.Generation{Steps: 6, Wrap: 5})
			want := counted(prompt, 3)[1:]
			if diff := cmp.Diff(append(append(append([]int64{}, want...), want...), want...), wrapped.Tokens); diff != "" {
				t.Error(diff)
			}
			limited := generate(ort.Generation{Steps: 1 << 20, Wrap: 5, Duration: 10 * time.Millisecond, Timed: true})
			if n := len(limited.Steps); n < 2 || n == 1<<20 || limited.Tokens != nil {
				t.Errorf("%d steps, tokens %v", n, limited.Tokens)
			}
			for _, s := range limited.Steps {
				if s.Run <= 0 || s.Whole < s.Run {
					t.Fatalf("a step took %v, and the runtime %v of it", s.Whole, s.Run)
				}
			}
		})
	}
}

// sharing reads and writes a cache in place.
const sharing = `opset 20
opset com.microsoft 1
input ids i64[b,n]
input lengths i32[b]
input total i32
input pk f32[b,1,c,8]
input pv f32[b,1,c,8]
init table f32[6,8] 1 0 0 0 0 0 1 0  0 1 0 0 2 0 0 0  0 0 1 0 0 0 0 1  0 0 0 1 0 3 0 0  1 1 0 0 0 0 0 2  0 0 1 1 0 1 0 0
init back f32[8,6] 1 0 2 0 1 3  0 1 0 3 2 0  2 0 1 0 0 1  0 3 0 1 1 0  3 1 0 0 2 0  0 2 1 0 0 1  1 0 0 2 0 1  0 0 3 1 1 0
h = Gather(table, ids)
a, k, v = com.microsoft::GroupQueryAttention(h, h, h, pk, pv, lengths, total) num_heads=1 kv_num_heads=1
logits = MatMul(a, back)
output logits
output k f32[b,1,c2,8]
output v f32[b,1,c2,8]`

func sharingDecode(keep ort.Keep) ort.Decode {
	cache := func(past, present string) ort.Cache {
		return ort.Cache{Past: past, Present: present, DType: tensor.F32, Dims: []int64{1, 1, 0, 8}, Axis: 3, Keep: keep}
	}
	return ort.Decode{
		Batch: 1, Capacity: 40, Logits: "logits",
		Changing: []ort.Changing{
			{Name: "ids", DType: tensor.I64, Fill: wire.FillIDs, Axes: []ort.Axis{{Size: 1}, {Of: wire.OfNew}}},
			{Name: "lengths", DType: tensor.I32, Fill: wire.FillTotal, Add: -1, Axes: []ort.Axis{{Size: 1}}},
			{Name: "total", DType: tensor.I32, Fill: wire.FillTotal},
		},
		Caches: []ort.Cache{cache("pk", "k"), cache("pv", "v")},
	}
}

// TestGenerateShared compares a cache in one buffer with one that grows.
func TestGenerateShared(t *testing.T) {
	session := load(t, start(t), graphtest.Bytes(t, sharing))
	var want *ort.Generated
	for _, keep := range []ort.Keep{wire.KeepPassed, wire.KeepSwapped, wire.KeepShared} {
		made, err := session.Decode(t.Context(), sharingDecode(keep))
		if err != nil {
			t.Fatal(err)
		}
		if bytes := int64(2 * 40 * 8 * 4); keep == wire.KeepShared && made.CacheBytes != bytes {
			t.Errorf("a shared cache has %d bytes, want %d", made.CacheBytes, bytes)
		}
		got, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: []int64{0, 3, 1, 5}, Steps: 30})
		if err != nil {
			t.Fatalf("kept as %d: %v", keep, err)
		}
		if want == nil {
			want = got
		}
		for i := range want.Tokens {
			if got.Tokens[i] != want.Tokens[i] || math.Abs(got.Margins[i]-want.Margins[i]) > 1e-4 {
				t.Fatalf("kept as %d: token %d is %d by %g, want %d by %g", keep, i, got.Tokens[i], got.Margins[i], want.Tokens[i], want.Margins[i])
			}
		}
	}
}

// TestGenerateFilled begins in caches that contain random numbers.
func TestGenerateFilled(t *testing.T) {
	session := load(t, start(t), graphtest.Bytes(t, sharing))
	for _, keep := range []ort.Keep{wire.KeepPassed, wire.KeepCopied, wire.KeepSwapped, wire.KeepShared} {
		if _, err := session.Decode(t.Context(), sharingDecode(keep)); err != nil {
			t.Fatal(err)
		}
		got, err := session.Generate(t.Context(), ort.Generation{Restart: true, Depth: 30, Steps: 10})
		if err != nil {
			t.Fatal(err)
		}
		if got.Position != 40 || len(got.Tokens) != 10 || math.IsNaN(got.Margins[9]) {
			t.Errorf("kept as %d: %+v", keep, got)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	client := start(t)
	session := load(t, client, graphtest.Bytes(t, counting))
	ask := func(change func(*ort.Decode)) error {
		d := countingDecode(1, wire.KeepSwapped)
		change(&d)
		_, err := session.Decode(t.Context(), d)
		return err
	}
	for name, tt := range map[string]struct {
		change func(*ort.Decode)
		want   string
	}{
		"no sequences":     {func(d *ort.Decode) { d.Batch = 0 }, "decoding 0 sequences"},
		"no room":          {func(d *ort.Decode) { d.Capacity = 0 }, "of 0 positions"},
		"too many":         {func(d *ort.Decode) { d.Capacity = 1 << 40 }, "expected"},
		"input missing":    {func(d *ort.Decode) { d.Changing = d.Changing[1:] }, `input "ids" is missing`},
		"input twice":      {func(d *ort.Decode) { d.Changing = append(d.Changing, d.Changing[0]) }, `given twice`},
		"unknown input":    {func(d *ort.Decode) { d.Changing[0].Name = "x" }, `is missing`},
		"NUL":              {func(d *ort.Decode) { d.Logits = "a\x00" }, `no output`},
		"unknown present":  {func(d *ort.Decode) { d.Caches[0].Present = "x" }, `no output "x"`},
		"no present":       {func(d *ort.Decode) { d.Caches[0].Present = "" }, `a past and a present`},
		"unknown fill":     {func(d *ort.Decode) { d.Changing[0].Fill = 77 }, `77 is not a kind`},
		"unknown axis":     {func(d *ort.Decode) { d.Changing[0].Axes[0].Of = 77 }, `axis 0`},
		"negative axis":    {func(d *ort.Decode) { d.Changing[0].Axes[0].Size = -1 }, `axis 0`},
		"too many axes":    {func(d *ort.Decode) { d.Changing[0].Axes = make([]ort.Axis, 9) }, `9 axes`},
		"text":             {func(d *ort.Decode) { d.Changing[0].DType = tensor.String }, `elements of type`},
		"unknown keep":     {func(d *ort.Decode) { d.Caches[0].Keep = 77 }, `kept in the way 77`},
		"no axis":          {func(d *ort.Decode) { d.Caches[0].Axis = 0 }, `needs an axis`},
		"axis out of rank": {func(d *ort.Decode) { d.Caches[0].Axis = 9 }, `with the axis 8 of 4`},
		"huge cache":       {func(d *ort.Decode) { d.Caches[0].Dims = []int64{1 << 40, 1 << 40, 0, 1} }, `cache "past"`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := ask(tt.change); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := session.Generate(t.Context(), ort.Generation{Steps: 1}); err == nil {
		t.Error("generated without Decode")
	}
	if err := ask(func(*ort.Decode) {}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		g    ort.Generation
		want string
	}{
		"long prompt":    {ort.Generation{Restart: true, Prompt: make([]int64, 65)}, "room for 64"},
		"deep":           {ort.Generation{Restart: true, Depth: 65}, "room for 64"},
		"negative depth": {ort.Generation{Restart: true, Depth: -1}, "room for 64"},
		"full":           {ort.Generation{Restart: true, Depth: 60, Steps: 5}, "no room for more positions"},
		"negative steps": {ort.Generation{Steps: -1}, "no negative number"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := session.Generate(t.Context(), tt.g); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: []int64{1}}); err != nil {
		t.Errorf("after all errors: %v", err)
	}
}

// TestDecodeWrongly gives a model inputs of wrong types and sizes. The worker may refuse, and must
// not end.
func TestDecodeWrongly(t *testing.T) {
	session := load(t, start(t), graphtest.Bytes(t, counting))
	for name, change := range map[string]func(*ort.Decode){
		"type of an input": func(d *ort.Decode) { d.Changing[0].DType = tensor.F32 },
		"rank":             func(d *ort.Decode) { d.Changing[1].Axes = d.Changing[1].Axes[:1] },
		"type of a cache":  func(d *ort.Decode) { d.Caches[0].DType = tensor.F16 },
		"size of a cache":  func(d *ort.Decode) { d.Caches[0].Dims[3] = 5 },
		"logits":           func(d *ort.Decode) { d.Logits, d.Caches[0].Present = "present", "logits" },
		"ids":              func(d *ort.Decode) { d.Changing[0].Axes[0].Of = wire.OfTotal },
	} {
		for how, keep := range keeps {
			t.Run(name+" "+how, func(t *testing.T) {
				d := countingDecode(1, keep)
				change(&d)
				_, err := session.Decode(t.Context(), d)
				if err == nil {
					_, err = session.Generate(t.Context(), ort.Generation{Prompt: []int64{1, 2}, Steps: 3})
				}
				if err == nil || errors.Is(err, ort.ErrGone) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestGenerateCancel(t *testing.T) {
	session := load(t, start(t), graphtest.Bytes(t, counting))
	if _, err := session.Decode(t.Context(), countingDecode(1, wire.KeepSwapped)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := session.Generate(ctx, ort.Generation{Restart: true, Prompt: []int64{1}, Steps: 1 << 20, Wrap: 9, Timed: true, Duration: time.Minute})
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ort.ErrGone) || time.Since(begin) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
	if got, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: []int64{1}, Steps: 3}); err != nil || len(got.Tokens) != 4 {
		t.Errorf("after a cancellation: %v, %v", got, err)
	}
}

// TestScores chooses among scores of every floating-point type.
func TestScores(t *testing.T) {
	client := start(t)
	for _, d := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64} {
		for name, tt := range map[string]struct {
			scores []float64
			want   int64
			margin float64
		}{
			"last":     {[]float64{-3, 1, 2, 4}, 3, 2},
			"first":    {[]float64{4, 1, 4, 2}, 0, 0},
			"negative": {[]float64{-4, -1, -1.5}, 1, 0.5},
			"small":    {[]float64{0, -0.25, 0.125}, 2, 0.125},
			"NaN":      {[]float64{1, math.NaN(), 3}, 2, math.NaN()},
			"all NaN":  {[]float64{math.NaN(), math.NaN()}, 0, math.NaN()},
			"many":     {append(append(make([]float64, 700), 8), make([]float64, 99)...), 700, 8},
			"avoided":  {append(append(make([]float64, 510), 9, 8, 6, 9), make([]float64, 99)...), 511, 2},
			"close":    {append(append(make([]float64, 511), 8, 6), make([]float64, 99)...), 511, 2},
		} {
			t.Run(fmt.Sprint(d, " ", name), func(t *testing.T) {
				scores, err := tensor.FromFloat64s(d, tt.scores, 1, int64(len(tt.scores)))
				if err != nil {
					t.Fatal(err)
				}
				got := chosen(t, client, scores, map[string][]int64{"avoided": {510, 513, 1 << 40, -1}}[name])
				if got.Tokens[0] != tt.want || got.Margins[0] != tt.margin && !(math.IsNaN(tt.margin) && math.IsNaN(got.Margins[0])) {
					t.Errorf("token %d by %g, want %d by %g", got.Tokens[0], got.Margins[0], tt.want, tt.margin)
				}
			})
		}
	}
}

// chosen is the first token of a model that returns scores.
func chosen(t *testing.T, client *ort.Client, scores tensor.Tensor, avoid []int64) *ort.Generated {
	t.Helper()
	session := load(t, client, graphtest.Bytes(t, fmt.Sprintf("opset 20\ninput ids i64[1,n]\ninput s %s[1,v]\nlogits = Identity(s)\noutput logits", scores.DType)))
	_, err := session.Decode(t.Context(), ort.Decode{
		Batch: 1, Capacity: 8, Logits: "logits", Fixed: graphops.Feeds{"s": graphops.TensorValue(scores)},
		Changing: []ort.Changing{{Name: "ids", DType: tensor.I64, Fill: wire.FillIDs, Axes: []ort.Axis{{Size: 1}, {Of: wire.OfNew}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.Generate(t.Context(), ort.Generation{Prompt: []int64{1}, Avoid: avoid})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestScoresOfAnyBits compares the choice among random bits with a plain loop over the numbers.
func TestScoresOfAnyBits(t *testing.T) {
	for _, kernels := range []string{"", "portable"} {
		t.Run("kernels "+kernels, func(t *testing.T) {
			o := workertest.Options(t)
			o.Env = append(o.Env, "LATHE_KERNELS="+kernels)
			scoresOfAnyBits(t, startWith(t, o))
		})
	}
}

func scoresOfAnyBits(t *testing.T, client *ort.Client) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, d := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F32} {
		width := d.Bits() / 8
		for range 30 {
			n := 1 + random.IntN(3000)
			scores := tensor.Tensor{DType: d, Shape: []int64{1, int64(n)}, Data: make([]byte, width*n)}
			strange := 1 + random.IntN(4*n) // how rarely a number may be infinite or NaN
			for i := range n {
				bits := random.Uint32()
				if random.IntN(strange) > 0 {
					bits &^= 1 << (8*width - 2) // a finite number
				}
				if width == 2 {
					binary.LittleEndian.PutUint16(scores.Data[2*i:], uint16(bits))
				} else {
					binary.LittleEndian.PutUint32(scores.Data[4*i:], bits)
				}
			}
			if first, _ := best(t, scores); random.IntN(2) == 0 { // the best twice, perhaps in two parts
				again := random.IntN(n)
				copy(scores.Data[width*again:width*(again+1)], scores.Data[width*int(first):])
			}
			at, margin := best(t, scores)
			got := chosen(t, client, scores, nil)
			if got.Tokens[0] != at || got.Margins[0] != margin && !(math.IsNaN(margin) && math.IsNaN(got.Margins[0])) {
				t.Errorf("%d numbers of %s: token %d by %g, want %d by %g", n, d, got.Tokens[0], got.Margins[0], at, margin)
			}
		}
	}
}

// best is the first of the largest numbers, and by how much it is above the second.
func best(t *testing.T, scores tensor.Tensor) (at int64, margin float64) {
	t.Helper()
	numbers, err := scores.Float64s()
	if err != nil {
		t.Fatal(err)
	}
	first, second, nan := math.Inf(-1), math.Inf(-1), 0.0
	for i, x := range numbers {
		switch {
		case math.IsNaN(x):
			nan = x
		case x > first:
			at, first, second = int64(i), x, first
		default:
			second = max(second, x)
		}
	}
	return at, first - second + nan
}

// BenchmarkOwnPart reports how long the worker itself takes for a token of a model with a number of
// caches and 128,256 words.
func BenchmarkOwnPart(b *testing.B) {
	client := start(b)
	for _, caches := range []int{0, 8, 64} {
		for name, keep := range keeps {
			b.Run(fmt.Sprintf("%d caches/%s", caches, name), func(b *testing.B) { ownPart(b, client, tensor.F32, caches, keep) })
		}
	}
	for _, d := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F64} {
		b.Run(fmt.Sprint("scores of ", d), func(b *testing.B) { ownPart(b, client, d, 0, wire.KeepSwapped) })
	}
}

func ownPart(b *testing.B, client *ort.Client, scores tensor.DType, caches int, keep ort.Keep) {
	const vocabulary = 128256
	var text strings.Builder
	fmt.Fprintf(&text, "opset 20\ninput ids i64[1,n]\ninput mask i64[1,t]\ninput scores %[1]s[1,v]\nlogits = Identity(scores)\noutput logits %[1]s[1,v]\ninit new f32[1,1,1,8] 1 2 3 4 5 6 7 8\n", scores)
	decode := ort.Decode{
		Batch: 1, Capacity: 300, Logits: "logits",
		Changing: []ort.Changing{
			{Name: "ids", DType: tensor.I64, Fill: wire.FillIDs, Axes: []ort.Axis{{Size: 1}, {Of: wire.OfNew}}},
			{Name: "mask", DType: tensor.I64, Fill: wire.FillZero, Add: 1, Axes: []ort.Axis{{Size: 1}, {Of: wire.OfTotal}}},
		},
		Fixed: graphops.Feeds{"scores": graphops.TensorValue(tensor.Tensor{DType: scores, Shape: []int64{1, vocabulary}, Data: make([]byte, scores.Bits()/8*vocabulary)})},
	}
	for i := range caches {
		fmt.Fprintf(&text, "input p%d f32[1,1,c,8]\nq%d = Concat(p%d, new) axis=2\noutput q%d f32[1,1,d,8]\n", i, i, i, i)
		decode.Caches = append(decode.Caches, ort.Cache{Past: fmt.Sprint("p", i), Present: fmt.Sprint("q", i), DType: tensor.F32, Dims: []int64{1, 1, 0, 8}, Axis: 3, Keep: keep})
	}
	session := load(b, client, graphtest.Bytes(b, text.String()))
	if _, err := session.Decode(b.Context(), decode); err != nil {
		b.Fatal(err)
	}
	var own []time.Duration
	for b.Loop() {
		out, err := session.Generate(b.Context(), ort.Generation{Restart: true, Depth: 128, Steps: 100, Timed: true})
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range out.Steps {
			own = append(own, s.Whole-s.Run)
		}
	}
	slices.Sort(own)
	b.ReportMetric(float64(own[len(own)/2].Nanoseconds())/1000, "µs/token")
}
