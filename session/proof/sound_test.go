package proof_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/proof"
)

const lineModel = "input x f32[4,2]\ny = Add(x, x)\noutput y f32[4,2]"

// pipeline is one of passes a, b, …, of which harm tells from those that are at work what
// the model does: "" for what the original does.
type pipeline struct {
	t      *testing.T
	names  []string
	run    runner
	active map[*graphops.Model][]string
	proof.Pipeline
}

func newPipeline(t *testing.T, passes int, harm func(active string) string) (*pipeline, *proof.Prover) {
	t.Helper()
	p := &pipeline{t: t, run: runner{}, active: map[*graphops.Model][]string{}}
	for i := range passes {
		p.names = append(p.names, string(rune('a'+i)))
	}
	original := graphtest.Model(t, lineModel)
	p.run[original] = doubled(t, nil)
	p.Pipeline = proof.Pipeline{Original: original, Passes: p.names, Make: func(_ context.Context, without []string) (*graphops.Model, error) {
		m := graphtest.Model(t, lineModel)
		active := slices.DeleteFunc(slices.Clone(p.names), func(n string) bool { return slices.Contains(without, n) })
		p.active[m] = active
		p.run[m] = p.program(harm(strings.Join(active, "")))
		return m, nil
	}}
	return p, &proof.Prover{Runner: p.run}
}

func (p *pipeline) program(harm string) program {
	switch harm {
	case "":
		return doubled(p.t, nil)
	case "crash":
		return func(graphops.Feeds) (map[string]graphops.Value, error) { return nil, errors.New("signal 11") }
	}
	return doubled(p.t, func(_ int64, y []float32) { y[0] += 1 })
}

func all(active, passes string) bool {
	return !strings.ContainsFunc(passes, func(r rune) bool { return !strings.ContainsRune(active, r) })
}

func TestSound(t *testing.T) {
	for name, c := range map[string]struct {
		passes   int
		harm     func(active string) string
		leftOut  string
		why      string
		maxTries int // that it may take
	}{
		"none":          {8, func(string) string { return "" }, "", "", 1},
		"no passes":     {0, func(string) string { return "" }, "", "", 1},
		"one":           {8, func(a string) string { return when(all(a, "f"), "wrong") }, "f", `value "y" is`, 6},
		"the first":     {8, func(a string) string { return when(all(a, "a"), "wrong") }, "a", `value "y" is`, 6},
		"the last":      {8, func(a string) string { return when(all(a, "h"), "wrong") }, "h", `value "y" is`, 6},
		"the only":      {1, func(a string) string { return when(all(a, "a"), "wrong") }, "a", `value "y" is`, 2},
		"a crash":       {8, func(a string) string { return when(all(a, "c"), "crash") }, "c", "does not run: signal 11", 6},
		"two":           {16, func(a string) string { return when(all(a, "c") || all(a, "l"), "wrong") }, "cl", `value "y" is`, 14},
		"two in a row":  {16, func(a string) string { return when(all(a, "c") || all(a, "d"), "wrong") }, "cd", `value "y" is`, 14},
		"all":           {4, func(a string) string { return when(a != "", "wrong") }, "abcd", `value "y" is`, 18},
		"only together": {16, func(a string) string { return when(all(a, "cl"), "wrong") }, "l", `value "y" is`, 8},
		// Without c, b and h do harm together.
		"one behind another": {8, func(a string) string {
			return when(all(a, "c") || all(a, "bh"), "wrong")
		}, "ch", `value "y" is`, 14},
		// A later pass mends what an earlier one spoils.
		"mended":             {8, func(a string) string { return when(all(a, "b") && !all(a, "f"), "wrong") }, "", "", 1},
		"mended, and one":    {8, func(a string) string { return when(all(a, "b") && !all(a, "f") || all(a, "g"), "wrong") }, "g", `value "y" is`, 14},
		"hidden for a while": {8, func(a string) string { return when(all(a, "b") && !all(a, "d") || all(a, "g"), "wrong") }, "g", `value "y" is`, 12},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := newPipeline(t, c.passes, c.harm)
			tried := 0
			l.Trying = func(int, int) { tried++ }
			got, err := p.Sound(t.Context(), l.Pipeline)
			if err != nil {
				t.Fatal(err)
			}
			names := ""
			for _, o := range got.LeftOut {
				names += o.Pass
				if o.Difference == nil || !strings.Contains(o.Difference.String(), c.why) {
					t.Errorf("%s was left out for %v, want %q", o.Pass, o.Difference, c.why)
				}
			}
			if names != c.leftOut || got.Tries > c.maxTries || tried != got.Tries {
				t.Errorf("left out %q after %d tries (%d told), want %q after at most %d", names, got.Tries, tried, c.leftOut, c.maxTries)
			}
			active := strings.Join(l.active[got.Model], "")
			if c.harm(active) != "" || got.Near == nil || got.Near.Difference != nil || len(active)+len(names) != c.passes {
				t.Errorf("the model is of passes %q and %+v", active, got.Near)
			}
		})
	}
}

func when(is bool, what string) string {
	if is {
		return what
	}
	return ""
}

// Whatever the number of tries, the model that is given back is near, and every pass that
// it lacks is told.
func TestSoundWithinTries(t *testing.T) {
	harm := func(a string) string { return when(all(a, "c") || all(a, "e") || all(a, "l"), "wrong") }
	for tries := 2; tries < 24; tries++ {
		l, p := newPipeline(t, 16, harm)
		l.MaxTries = tries
		got, err := p.Sound(t.Context(), l.Pipeline)
		if err != nil {
			t.Fatal(err)
		}
		active := strings.Join(l.active[got.Model], "")
		if harm(active) != "" || got.Tries > tries+1 || got.Near.Difference != nil {
			t.Errorf("%d tries: %q after %d", tries, active, got.Tries)
		}
		for _, o := range got.LeftOut {
			active += o.Pass
		}
		if len(active) != 16 {
			t.Errorf("%d tries: kept or told of are %q", tries, active)
		}
	}
}

// A model that is wrong with no pass at all is the fault of none.
func TestSoundWithoutPasses(t *testing.T) {
	l, p := newPipeline(t, 8, func(string) string { return "wrong" })
	_, err := p.Sound(t.Context(), l.Pipeline)
	var failed *proof.FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "every pass left out too") {
		t.Errorf("got %v", err)
	}
}

// What a check finds counts as a difference does.
func TestSoundChecks(t *testing.T) {
	l, p := newPipeline(t, 8, func(string) string { return "" })
	l.Check = func(_ context.Context, m *graphops.Model) (string, error) {
		return when(slices.Contains(l.active[m], "e"), "has a cycle"), nil
	}
	got, err := p.Sound(t.Context(), l.Pipeline)
	if err != nil || len(got.LeftOut) != 1 || got.LeftOut[0].Pass != "e" || got.LeftOut[0].Difference.String() != "has a cycle" {
		t.Errorf("got %+v, %v", got, err)
	}
	wrong := errors.New("cannot be read")
	l.Check = func(context.Context, *graphops.Model) (string, error) { return "", wrong }
	if _, err := p.Sound(t.Context(), l.Pipeline); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
}

// An original of which nothing can be shown gives the model of all passes, unproved.
func TestSoundUnproved(t *testing.T) {
	draws := float32(0)
	for name, run := range map[string]program{
		"refused": func(graphops.Feeds) (map[string]graphops.Value, error) { return nil, errors.New("no such kernel") },
		"flaky": func(graphops.Feeds) (map[string]graphops.Value, error) {
			draws++
			return map[string]graphops.Value{"y": value([]float32{draws, 2, 3, 4, 5, 6, 7, 8}, 4, 2)}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, p := newPipeline(t, 8, func(string) string { return "wrong" })
			l.run[l.Original] = run
			got, err := p.Sound(t.Context(), l.Pipeline)
			if !proof.IsUnproved(err) || len(l.active[got.Model]) != 8 || got.Near != nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// An ended context is told as such, and no pass is blamed for it.
func TestSoundEnds(t *testing.T) {
	for at := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		l, p := newPipeline(t, 8, func(a string) string { return when(all(a, "f"), "wrong") })
		runs := 0
		p.Ran = func() {
			if runs++; runs == at+1 {
				cancel()
			}
		}
		got, err := p.Sound(ctx, l.Pipeline)
		whole := err == nil && len(got.LeftOut) == 1 && got.LeftOut[0].Pass == "f"
		if !errors.Is(err, context.Canceled) && !whole || err == nil && runs > at+1 {
			t.Errorf("ended in run %d of %d: %+v, %v", at, runs, got, err)
		}
		cancel()
	}
}

// An error of making a model is none of the passes'.
func TestSoundNotMade(t *testing.T) {
	l, p := newPipeline(t, 8, func(a string) string { return when(all(a, "f"), "wrong") })
	inner, made := l.Make, 0
	wrong := errors.New("grows past the limit")
	l.Make = func(ctx context.Context, without []string) (*graphops.Model, error) {
		if made++; made == 3 {
			return nil, wrong
		}
		return inner(ctx, without)
	}
	if _, err := p.Sound(t.Context(), l.Pipeline); !errors.Is(err, wrong) {
		t.Errorf("got %v", fmt.Sprint(err))
	}
}
