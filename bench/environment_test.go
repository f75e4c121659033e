package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/machine"
)

func ref[T any](v T) *T { return &v }

func TestEnvironmentWarnings(t *testing.T) {
	for _, c := range []struct {
		name string
		e    Environment
		want Kind
	}{
		{"idle", Environment{Load: ref(Number(0.4)), Cores: ref(int64(2)), Governor: ref("performance"), CPULimit: ref(Number(2))}, ""},
		{"busy", Environment{Load: ref(Number(0.6)), Cores: ref(int64(2))}, BusyBefore},
		{"saving power", Environment{Governor: ref("powersave")}, Governor},
		{"limited", Environment{CPULimit: ref(Number(1.5)), Cores: ref(int64(2))}, CPULimit},
		{"unknown", Environment{Load: ref(Number(9))}, ""},
	} {
		var r Report
		r.AddEnvironment(c.e)
		var kinds []string
		for _, w := range r.Warnings {
			kinds = append(kinds, string(w.Kind))
		}
		if got := strings.Join(kinds, " "); got != string(c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.want)
		}
		if diff := cmp.Diff(c.e, r.Environment); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestWatch: the machine is looked at when measuring begins and ends, and in between about
// once a second; warm-up is not part of it.
func TestWatch(t *testing.T) {
	target, m := quietTarget(time.Millisecond)
	var looks []time.Duration
	warm := 0
	watch := func(context.Context) error {
		if looks == nil {
			warm = target.runs
		}
		looks = append(looks, m.clock.Sub(time.Unix(0, 0)))
		return nil
	}
	if _, err := Measure(t.Context(), []Subject{{Target: target}}, Plan{}, Surroundings{Now: m.now, Watch: watch}); err != nil {
		t.Fatal(err)
	}
	if warm == 0 || len(looks) != 4 { // of 3 seconds
		t.Errorf("%d looks after %d runs: %v", len(looks), warm, looks)
	}
	for i := range looks[2:] {
		if apart := looks[i+1] - looks[i]; apart < watchEvery || apart > watchEvery+2*maxBlock {
			t.Errorf("looks %d and %d are %v apart", i, i+1, apart)
		}
	}
	gone := errors.New("the worker has ended")
	watch = func(context.Context) error { return gone }
	if _, err := Measure(t.Context(), []Subject{{Target: target}}, Plan{}, Surroundings{Now: m.now, Watch: watch}); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

func TestDisturb(t *testing.T) {
	r := Report{Runs: []Run{{Verdict: "steady"}, {Verdict: "steady"}}}
	r.Disturb(0, nil)
	r.Disturb(1, []machine.Disturbance{{Kind: machine.OtherWork, Text: "other work took 1.0 of 2 processors"}, {Kind: machine.Heat, Text: "hot"}})
	if r.Runs[0].Verdict != "steady" || r.Runs[1].Verdict != "noisy because other work took 1.0 of 2 processors; hot" {
		t.Errorf("verdicts %q and %q", r.Runs[0].Verdict, r.Runs[1].Verdict)
	}
	if w := r.Runs[1].Warnings; len(w) != 2 || w[0].Kind != "other_work" {
		t.Errorf("warnings %v", w)
	}
}
