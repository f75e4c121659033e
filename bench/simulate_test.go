package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// machine under simulation: a clock and what disturbs work on it.
type simulated struct {
	clock time.Time
	rng   *rand.Rand
	// slowdown of everything at a moment, 1 for none
	slowdown func(s *simulated) float64
	jitter   float64 // standard deviation of a run's logarithm
}

func (s *simulated) now() time.Time { return s.clock }

// simTarget takes base for a run on an undisturbed machine.
type simTarget struct {
	name    string
	base    time.Duration
	machine *simulated
	runs    int // so far
	// cold multiplies the time of a run by its number; nil for a target that is
	// warm at once.
	cold func(run int) float64
	err  error
}

func (t *simTarget) Name() string { return t.name }

func (t *simTarget) Block(ctx context.Context, _ uint64, runs int, d time.Duration) ([]time.Duration, error) {
	if t.err != nil {
		return nil, t.err
	}
	var times []time.Duration
	m := t.machine
	for start := m.clock; len(times) < runs && (len(times) == 0 || m.clock.Sub(start) < d); {
		factor := m.slowdown(m) * math.Exp(m.jitter*m.rng.NormFloat64())
		if t.cold != nil {
			factor *= t.cold(t.runs)
		}
		took := time.Duration(float64(t.base) * factor)
		m.clock = m.clock.Add(took)
		times = append(times, took)
		t.runs++
	}
	m.clock = m.clock.Add(100 * time.Microsecond) // the way to the worker and back
	return times, ctx.Err()
}

func newSimulated(seed uint64, jitter float64, slowdown func() func(s *simulated) float64) *simulated {
	return &simulated{
		clock: time.Unix(0, 0), rng: rand.New(rand.NewPCG(seed, 99)), slowdown: slowdown(), jitter: jitter,
	}
}

// seconds since the simulation began.
func (s *simulated) seconds() float64 { return s.clock.Sub(time.Unix(0, 0)).Seconds() }

func quiet() func(*simulated) float64 { return func(*simulated) float64 { return 1 } }

// warming slows the machine down by a tenth, most of it at first.
func warming() func(*simulated) float64 {
	return func(s *simulated) float64 { return 1.1 - 0.1*math.Exp(-s.seconds()/4) }
}

// wandering moves the machine's speed slowly and at random.
func wandering() func(*simulated) float64 {
	level, last := 0.0, 0.0
	return func(s *simulated) float64 {
		dt := s.seconds() - last
		last = s.seconds()
		level += 0.05*math.Sqrt(dt)*s.rng.NormFloat64() - 0.1*dt*level
		return math.Exp(level)
	}
}

// shared is a machine that another process takes half of, now and then.
func shared() func(*simulated) float64 {
	busy, until := false, 0.0
	return func(s *simulated) float64 {
		if now := s.seconds(); now >= until {
			busy = !busy
			until = now + 0.3*s.rng.ExpFloat64()
		}
		if busy {
			return 2
		}
		return 1
	}
}

// periodic has work that returns with the period of the blocks.
func periodic() func(*simulated) float64 {
	return func(s *simulated) float64 {
		if math.Mod(s.seconds(), 0.1) < 0.05 {
			return 1.3
		}
		return 1
	}
}

// called counts in how many of n simulations b is called different from a.
func called(t *testing.T, n int, jitter, slower float64, p Plan, disturbance func() func(*simulated) float64) int {
	t.Helper()
	count := 0
	for seed := range uint64(n) {
		m := newSimulated(seed, jitter, disturbance)
		a := &simTarget{name: "a", base: 5 * time.Millisecond, machine: m}
		b := &simTarget{name: "b", base: time.Duration(slower * float64(5*time.Millisecond)), machine: m}
		p.Seed = seed
		r, err := Measure(t.Context(), []Subject{{Target: a}, {Target: b}}, p, Surroundings{Now: m.now})
		if err != nil {
			t.Fatal(err)
		}
		if r.Comparisons[0].Significant {
			count++
		}
	}
	return count
}

var disturbances = map[string]func() func(*simulated) float64{
	"quiet": quiet, "warming": warming, "wandering": wandering, "shared": shared, "periodic": periodic,
}

// TestEqualTargetsAreCalledEqual: two identical targets may be called different
// in one of twenty measurements at the most, whatever else the machine does.
func TestEqualTargetsAreCalledEqual(t *testing.T) {
	for name, d := range disturbances {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := called(t, 200, 0.05, 1, Plan{Seconds: 3 * time.Second}, d); n > 10 {
				t.Errorf("%d of 200 pairs of identical targets were called different", n)
			}
		})
	}
}

// TestSlowdownIsFound: three percent must show in 19 of 20 measurements, also on
// a machine that is shared.
func TestSlowdownIsFound(t *testing.T) {
	for _, name := range []string{"quiet", "warming", "wandering", "shared"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := called(t, 100, 0.05, 1.03, Plan{}, disturbances[name]); n < 95 {
				t.Errorf("only %d of 100 slowdowns were found", n)
			}
		})
	}
}

// TestIntervalHoldsTheRatio: of the intervals of the ratio, 19 of 20 hold the
// true one.
func TestIntervalHoldsTheRatio(t *testing.T) {
	for _, name := range []string{"quiet", "wandering", "shared"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			missed := 0
			for seed := range uint64(200) {
				m := newSimulated(seed, 0.02, disturbances[name])
				a := &simTarget{name: "a", base: 2 * time.Millisecond, machine: m}
				b := &simTarget{name: "b", base: 3 * time.Millisecond, machine: m}
				r, err := Measure(t.Context(), []Subject{{Target: a}, {Target: b}}, Plan{Seconds: 3 * time.Second, Seed: seed}, Surroundings{Now: m.now})
				if err != nil {
					t.Fatal(err)
				}
				if ci := r.Comparisons[0].CI95; ci[0] > 1.5 || ci[1] < 1.5 {
					missed++
				}
			}
			if missed > 20 {
				t.Errorf("%d of 200 intervals miss the ratio", missed)
			}
		})
	}
}
