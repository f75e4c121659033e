package timing

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lathe/session/generation"
	"lathe/session/ort"
	"lathe/session/ort/wire"
	"lathe/session/runtime"
)

// overwriting is a model that runs, with a fault: if a cache is shared, tokens after the prompt are wrong.
type overwriting struct {
	runtime.Loaded
	always, shared bool
}

func (o *overwriting) Decode(ctx context.Context, d ort.Decode) (ort.Decoding, error) {
	o.shared = o.always || slices.ContainsFunc(d.Caches, func(c ort.Cache) bool { return c.Keep == wire.KeepShared })
	if d.Caches[0].Keep == wire.KeepCopied {
		o.shared = false
	}
	return o.Loaded.Decode(ctx, d)
}

func (o *overwriting) Generate(ctx context.Context, g ort.Generation) (*ort.Generated, error) {
	out, err := o.Loaded.Generate(ctx, g)
	for i := range out.Tokens {
		if o.shared && i > 0 {
			out.Tokens[i]++
		}
	}
	return out, err
}

func TestProve(t *testing.T) {
	const grouped = "../../testdata/decoders/grouped.onnx"
	w := work{prompt: 5, tokens: 3}
	for name, tt := range map[string]struct {
		fault, always, asked bool
		mode                 generation.Mode
		err                  string
	}{
		"right":           {mode: generation.Shared},
		"right and asked": {asked: true, mode: generation.Shared},
		"wrong":           {fault: true, mode: generation.Swapped},
		"wrong and asked": {fault: true, asked: true, mode: generation.Shared, err: "with the cache shared: the tokens are not those with a copied cache: token 2 is"},
		"always wrong":    {fault: true, always: true, mode: generation.Swapped, err: "with the cache swapped"},
	} {
		t.Run(name, func(t *testing.T) {
			subject, plan := loadedFor(t, grouped, 0)
			if tt.fault {
				subject.Session = &overwriting{Loaded: subject.Session.(runtime.Loaded), always: tt.always}
			}
			d := &decoder{Subject: subject, plan: plan, mode: plan.Usual()}
			err := d.prove(t.Context(), w, tt.asked)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			noted := slices.ContainsFunc(plan.Notes, func(s string) bool { return strings.Contains(s, "the tokens are wrong if it is shared") })
			if d.mode != tt.mode || noted != (d.mode == generation.Swapped) {
				t.Errorf("mode %s, want %s; notes %q", d.mode, tt.mode, plan.Notes)
			}
		})
	}
}

func TestOtherToken(t *testing.T) {
	want := &ort.Generated{Tokens: []int64{1, 2, 3, 4, 5, 6}, Margins: []float64{1, 2, 0.2, 3, 4, 5}}
	for name, tt := range map[string]struct {
		got  []int64
		want string
	}{
		"same":                    {[]int64{1, 2, 3, 4, 5, 6}, ""},
		"a close call":            {[]int64{1, 2, 7, 4, 5, 6}, ""},
		"another after it":        {[]int64{1, 2, 7, 4, 9, 6}, ""},
		"other sequence":          {[]int64{1, 2, 7, 8, 5, 6}, "token 2 is 8 instead of 4"},
		"last, by a large margin": {[]int64{1, 2, 3, 4, 5, 9}, "token 3 is 9 instead of 6, whose score is the best by 5"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := otherToken(want, &ort.Generated{Tokens: tt.got}, 2); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
