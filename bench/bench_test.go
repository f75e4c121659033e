package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// quietTarget takes base for every run, on a machine of its own.
func quietTarget(base time.Duration) (*simTarget, *simulated) {
	m := newSimulated(1, 0.01, quiet)
	return &simTarget{name: "t", base: base, machine: m}, m
}

func measureOne(t *testing.T, target *simTarget, p Plan) Run {
	t.Helper()
	r, err := Measure(t.Context(), []Subject{{Target: target}}, p, Surroundings{Now: target.machine.now})
	if err != nil {
		t.Fatal(err)
	}
	return r.Runs[0]
}

func TestWhatEndsAMeasurement(t *testing.T) {
	tests := []struct {
		name    string
		base    time.Duration
		jitter  float64
		p       Plan
		stopped string
		least   time.Duration // measured
		most    time.Duration
	}{
		{"precise at once", time.Millisecond, 0.01, Plan{}, StoppedPrecise, 3 * time.Second, 3100 * time.Millisecond},
		{"never precise", 45 * time.Millisecond, 0.5, Plan{Seconds: 5 * time.Second}, StoppedTime, 5 * time.Second, 5500 * time.Millisecond},
		{"less time than the least", time.Millisecond, 0.01, Plan{Seconds: time.Second}, StoppedTime, time.Second, 1100 * time.Millisecond},
		{"coarse is enough", 45 * time.Millisecond, 0.2, Plan{Precision: 0.2}, StoppedPrecise, 3 * time.Second, 3200 * time.Millisecond},
		{"slow", 700 * time.Millisecond, 0.001, Plan{Seconds: 20 * time.Second}, StoppedPrecise, 7 * time.Second, 7100 * time.Millisecond}, // 10 runs
		{"slower than the time", 30 * time.Second, 0.001, Plan{}, StoppedTime, 29 * time.Second, 31 * time.Second},
		{"slow, with patience", 4 * time.Second, 0.5, Plan{Seconds: 5 * time.Second, Patience: time.Minute}, StoppedTime, 24 * time.Second, 36 * time.Second}, // 6 runs
		{"slower than the patience", 30 * time.Second, 0.001, Plan{Patience: time.Minute}, StoppedTime, 60 * time.Second, 91 * time.Second},
		{"fast, with patience", 45 * time.Millisecond, 0.5, Plan{Seconds: 5 * time.Second, Patience: time.Minute}, StoppedTime, 5 * time.Second, 5500 * time.Millisecond},
	}
	for _, c := range tests {
		target, m := quietTarget(c.base)
		m.jitter = c.jitter
		r := measureOne(t, target, c.p)
		spent := time.Duration(float64(r.Phases.Measure) * 1e6)
		if r.Stopped != c.stopped || spent < c.least || spent > c.most {
			t.Errorf("%s: stopped by %s after %v", c.name, r.Stopped, spent)
		}
	}
}

// TestFixedRuns: the number of runs is kept to the run, in blocks enough for an
// interval, also beside a second subject.
func TestFixedRuns(t *testing.T) {
	for _, base := range []time.Duration{time.Microsecond, time.Millisecond, 30 * time.Millisecond, time.Second} {
		for _, runs := range []int{1, 7, 100, 1234} {
			target, m := quietTarget(base)
			other := &simTarget{name: "u", base: base, machine: m}
			r, err := Measure(t.Context(), []Subject{{Target: target}, {Target: other}}, Plan{Runs: runs, WarmUp: 5}, Surroundings{Now: m.now})
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range r.Runs {
				if run.Samples != runs || run.Stopped != StoppedRuns || run.Blocks < min(runs, minRounds) {
					t.Errorf("%v: %d of %d runs in %d blocks, stopped by %s", base, run.Samples, runs, run.Blocks, run.Stopped)
				}
			}
		}
	}
}

func TestFixedWarmUp(t *testing.T) {
	for _, n := range []int{0, 1, 250} {
		target, _ := quietTarget(time.Millisecond)
		measureOne(t, target, Plan{Runs: 20, WarmUp: n})
		if target.runs != n+20 {
			t.Errorf("warm-up of %d: %d runs in all", n, target.runs)
		}
	}
}

// TestWarmUp: runs that are slow at first do not get into the numbers, and a
// warm-up that does not end is cut and told.
func TestWarmUp(t *testing.T) {
	target, _ := quietTarget(time.Millisecond)
	target.cold = func(run int) float64 { return 1 + 20*math.Exp(-float64(run)/100) }
	r := measureOne(t, target, Plan{})
	if r.Max > 1.1 || r.Verdict != "steady" {
		t.Errorf("max %v, %s", r.Max, r.Verdict)
	}
	endless, _ := quietTarget(time.Millisecond)
	endless.cold = func(run int) float64 { return 1000 / (1 + float64(run)/50) }
	r = measureOne(t, endless, Plan{})
	if !has(r.Warnings, Unsteady) || r.Phases.WarmUp < 3000 {
		t.Errorf("warm-up of %v ms, %s", r.Phases.WarmUp, r.Verdict)
	}
}

func has(list []Warning, k Kind) bool {
	return slices.ContainsFunc(list, func(w Warning) bool { return w.Kind == k })
}

// TestLeadIn: the first run after another subject's block is not counted.
func TestLeadIn(t *testing.T) {
	m := newSimulated(1, 0.001, quiet)
	last := ""
	target := func(name string) Subject {
		sim := &simTarget{name: name, base: time.Millisecond, machine: m}
		return Subject{Target: &switching{sim, &last}}
	}
	r, err := Measure(t.Context(), []Subject{target("a"), target("b")}, Plan{}, Surroundings{Now: m.now})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range r.Runs {
		if run.Max > 1.5 {
			t.Errorf("%s: a run of %v ms was counted", run.Name, run.Max)
		}
	}
}

// switching is slow in the first run after another target ran.
type switching struct {
	*simTarget
	last *string
}

func (s *switching) Block(ctx context.Context, _ uint64, runs int, d time.Duration) ([]time.Duration, error) {
	before := s.runs
	s.cold = func(run int) float64 {
		if run == before && *s.last != s.name {
			return 3
		}
		return 1
	}
	times, err := s.simTarget.Block(ctx, 0, runs, d)
	*s.last = s.name
	return times, err
}

// TestRounds: every subject takes part in every round, in changing order.
func TestRounds(t *testing.T) {
	var order []string
	m := newSimulated(1, 0.01, quiet)
	var subjects []Subject
	for _, name := range []string{"a", "b", "c"} {
		subjects = append(subjects, Subject{Target: &simTarget{name: name, base: 2 * time.Millisecond, machine: m}})
	}
	r, err := Measure(t.Context(), subjects, Plan{}, Surroundings{Now: m.now, Progress: func(p Progress) {
		if p.Phase == "measuring" {
			order = append(order, p.Target)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i := 0; i+3 <= len(order); i += 3 {
		round := order[i : i+3]
		seen[strings.Join(round, "")]++
		if slices.Sort(round); strings.Join(round, "") != "abc" {
			t.Fatalf("round %d is %v", i/3, round)
		}
	}
	if len(seen) != 6 {
		t.Errorf("orders %v, want all six", seen)
	}
	if len(r.Comparisons) != 2 || r.Comparisons[0].Rounds != len(order)/3 {
		t.Errorf("%+v after %d rounds", r.Comparisons, len(order)/3)
	}
}

// TestVeryDifferentSubjects: a slow subject ends when its time is up, a fast one
// beside it too, and neither waits for the other for ever.
func TestVeryDifferentSubjects(t *testing.T) {
	fast, m := quietTarget(10 * time.Microsecond)
	slow := &simTarget{name: "slow", base: 2 * time.Second, machine: m}
	r, err := Measure(t.Context(), []Subject{{Target: fast}, {Target: slow}}, Plan{Seconds: 8 * time.Second}, Surroundings{Now: m.now})
	if err != nil {
		t.Fatal(err)
	}
	if r.Runs[1].Samples != 4 || r.Runs[0].Phases.Measure < 3000 {
		t.Errorf("slow: %d runs; fast: %v ms", r.Runs[1].Samples, r.Runs[0].Phases.Measure)
	}
	if c := r.Comparisons[0]; c.Significant || c.CI95 != nil || !has(c.Warnings, FewBlocks) {
		t.Errorf("four rounds: %+v", c)
	}
}

func TestTargetsThatFail(t *testing.T) {
	boom := errors.New("worker crashed")
	bad, m := quietTarget(time.Millisecond)
	bad.err = boom
	if _, err := Measure(t.Context(), []Subject{{Target: bad}}, Plan{}, Surroundings{Now: m.now}); !errors.Is(err, boom) || !strings.HasPrefix(err.Error(), "t: ") {
		t.Errorf("a failing target: %v", err)
	}
	if _, err := Measure(t.Context(), []Subject{{Target: silent{}}}, Plan{}, Surroundings{Now: m.now}); err == nil || !strings.Contains(err.Error(), "returned no times") {
		t.Errorf("a target without times: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	good, m := quietTarget(time.Millisecond)
	_, err := Measure(ctx, []Subject{{Target: good}}, Plan{}, Surroundings{Now: m.now, Progress: func(p Progress) {
		if p.Phase == "measuring" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Measure(t.Context(), nil, Plan{}, Surroundings{Now: m.now}); err == nil {
		t.Error("no subjects: no error")
	}
}

type silent struct{}

func (silent) Name() string { return "silent" }

func (silent) Block(context.Context, uint64, int, time.Duration) ([]time.Duration, error) {
	return nil, nil
}

func TestPlansThatAreRefused(t *testing.T) {
	for name, p := range map[string]Plan{
		"seconds":         {Seconds: -1},
		"patience":        {Patience: -1},
		"precision":       {Precision: -0.1},
		"NaN":             {Precision: math.NaN()},
		"long block":      {Block: time.Second},
		"runs":            {Runs: -1},
		"warm-up alone":   {WarmUp: 5},
		"negative":        {WarmUp: -5, Runs: 1},
		"least time":      {MinTime: -1},
		"least runs":      {MinRuns: -1},
		"warm-up's limit": {WarmUpLimit: -1},
	} {
		target, m := quietTarget(time.Millisecond)
		if _, err := Measure(t.Context(), []Subject{{Target: target}}, p, Surroundings{Now: m.now}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSeedFixesTheOrder(t *testing.T) {
	run := func(seed uint64) string {
		var order strings.Builder
		m := newSimulated(1, 0, quiet)
		a, b := &simTarget{name: "a", base: time.Millisecond, machine: m}, &simTarget{name: "b", base: time.Millisecond, machine: m}
		_, err := Measure(t.Context(), []Subject{{Target: a}, {Target: b}}, Plan{Seed: seed}, Surroundings{Now: m.now, Progress: func(p Progress) { order.WriteString(p.Target) }})
		if err != nil {
			t.Fatal(err)
		}
		return order.String()
	}
	first, again, other := run(3), run(3), run(4)
	if first != again {
		t.Error("one seed, two orders")
	}
	if first == other {
		t.Error("two seeds, one order")
	}
}

// TestWarningsHaveTheirCase plants what each warning is about.
func TestWarningsHaveTheirCase(t *testing.T) {
	sometimes := func(share, factor float64) func() func(*simulated) float64 {
		return func() func(*simulated) float64 {
			return func(s *simulated) float64 {
				if s.rng.Float64() < share {
					return factor
				}
				return 1
			}
		}
	}
	tests := []struct {
		name        string
		base        time.Duration
		jitter      float64
		disturbance func() func(*simulated) float64
		p           Plan
		want        []Kind
	}{
		{"nothing", time.Millisecond, 0.02, quiet, Plan{}, nil},
		{"few runs", 2 * time.Second, 0.001, quiet, Plan{Seconds: 14 * time.Second}, []Kind{FewRuns, Unsteady}},
		{"few blocks", 2 * time.Second, 0.001, quiet, Plan{Runs: 4}, []Kind{FewRuns, FewBlocks}},
		{"drift", time.Millisecond, 0.01, warming, Plan{}, []Kind{Drift, Imprecise}},
		{"outliers", time.Millisecond, 0.01, sometimes(0.03, 3), Plan{}, []Kind{Outliers}},
		{"few outliers", time.Millisecond, 0.01, sometimes(0.003, 3), Plan{}, nil},
		{"spread", 45 * time.Millisecond, 0.1, quiet, Plan{Precision: 0.5}, []Kind{Spread}},
		{"imprecise", 45 * time.Millisecond, 0.04, quiet, Plan{Seconds: 4 * time.Second, Precision: 0.001}, []Kind{Imprecise}},
	}
	for _, c := range tests {
		m := newSimulated(2, c.jitter, c.disturbance)
		r := measureOne(t, &simTarget{name: "t", base: c.base, machine: m}, c.p)
		var got []Kind
		for _, w := range r.Warnings {
			got = append(got, w.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v (%s)", c.name, got, c.want, r.Verdict)
		}
		if (r.Verdict == "steady") != (len(c.want) == 0) {
			t.Errorf("%s: verdict %q", c.name, r.Verdict)
		}
	}
}

// TestRoundsDisagree: a machine that halves its speed halfway moves the median of the subject
// that had one block more in the slow half.
func TestRoundsDisagree(t *testing.T) {
	a := track{subject: Subject{Target: silent{}}}
	b := track{subject: Subject{Target: silent{}}}
	for round := range 20 {
		was, is := time.Duration(10), time.Duration(11)
		if round >= 11 {
			was = 20
		}
		if round >= 9 {
			is = 22
		}
		a.blocks, b.blocks = append(a.blocks, block{round, was}), append(b.blocks, block{round, is})
	}
	if c := compareTracks(&a, &b); !has(c.Warnings, RoundsSay) || !c.Significant || c.Ratio < 2.1 {
		t.Errorf("%+v", c)
	}
}

// TestCutShort has a target fail after some blocks: what was measured comes with the error,
// where it is enough for an interval.
func TestCutShort(t *testing.T) {
	for _, after := range []int{3, 40} {
		clock, calls := time.Time{}, 0
		gone := errors.New("the line is gone")
		target := fakeTarget{name: "m", block: func(int, time.Duration) ([]time.Duration, error) {
			if calls++; calls > after {
				return nil, gone
			}
			clock = clock.Add(50 * time.Millisecond)
			return []time.Duration{time.Millisecond, time.Millisecond}, nil
		}}
		r, err := Measure(t.Context(), []Subject{{Target: target}}, Plan{Seconds: time.Hour, MinTime: time.Hour}, Surroundings{Now: func() time.Time { return clock }})
		if !errors.Is(err, gone) {
			t.Fatal(err)
		}
		if after == 3 {
			if r != nil {
				t.Errorf("a report of %d blocks", r.Runs[0].Blocks)
			}
			continue
		}
		if r == nil || r.Runs[0].Stopped != StoppedShort || r.Runs[0].CI95 == nil || !strings.HasPrefix(r.Runs[0].Verdict, "noisy because the measurement was broken off after ") {
			t.Errorf("%+v", r)
		}
	}
}

// fakeTarget is a target of a function.
type fakeTarget struct {
	name  string
	block func(int, time.Duration) ([]time.Duration, error)
}

func (f fakeTarget) Name() string { return f.name }

func (f fakeTarget) Block(_ context.Context, _ uint64, runs int, d time.Duration) ([]time.Duration, error) {
	return f.block(runs, d)
}

// placed notes where its blocks begin.
type placed struct {
	*simTarget
	places []uint64
}

func (p *placed) Block(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error) {
	p.places = append(p.places, place)
	return p.simTarget.Block(ctx, place, runs, d)
}

// TestPlaces: blocks of one round begin on one processor, and those of the next on another.
func TestPlaces(t *testing.T) {
	target, m := quietTarget(time.Millisecond)
	a, b := &placed{simTarget: target}, &placed{simTarget: &simTarget{name: "u", base: time.Millisecond, machine: m}}
	if _, err := Measure(t.Context(), []Subject{{Target: a}, {Target: b}}, Plan{Runs: 100}, Surroundings{Now: m.now}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.places, b.places) || len(a.places) < minRounds {
		t.Errorf("rounds at %v and %v", a.places, b.places)
	}
	odd := 0
	for _, p := range a.places {
		odd += int(p % 2)
	}
	if slices.Contains(a.places, 0) || odd == 0 || odd == len(a.places) {
		t.Errorf("places %v", a.places)
	}
}
