package bench

import (
	"strings"
	"testing"
	"time"
)

func TestQueue(t *testing.T) {
	report := func() *Report {
		return &Report{Runs: []Run{{Facts: Facts{Batch: 4}, Mean: 3, Throughput: 1, Verdict: "steady"}}}
	}
	for _, tt := range []struct {
		name                  string
		answered, lanes, wait int64
		busy                  time.Duration
		verdict               string
	}{
		{"at ease", 1000, 1, 0, 5 * time.Second, "steady"},
		{"at ease on two lanes", 1000, 2, 2, 18 * time.Second, "steady"},
		{"near its limit", 1000, 1, 20, 9700 * time.Millisecond, "noisy because it is busy 97 % of the time: near its limit, where the waiting time depends on chance"},
		{"beyond", 1000, 1, 2500, 10 * time.Second, "noisy because more requests arrive than it can answer: 350 arrive per second, 100 are answered, and 2,500 were waiting at the end; the waiting time depends on the length of the measurement"},
	} {
		r := report()
		r.AddQueue(0, NewQueue(float64(tt.answered+tt.wait)/10, tt.answered, 10*time.Second, tt.busy, tt.lanes, tt.wait))
		run := r.Runs[0]
		if run.Verdict != tt.verdict {
			t.Errorf("%s: %s", tt.name, run.Verdict)
		}
		if run.Throughput != 400 {
			t.Errorf("%s: %v samples a second", tt.name, run.Throughput)
		}
		if got := float64(run.Queue.RunMS + run.Queue.WaitMS); run.Queue.RunMS <= 3 && got != 3 {
			t.Errorf("%s: %v ms in all", tt.name, got)
		}
	}
	r := report()
	r.AddQueue(0, NewQueue(10, 0, 0, 0, 1, 0))
	if r.Runs[0].Queue != nil || r.Runs[0].Throughput != 1 {
		t.Error("nothing was answered, and something is told of it")
	}
}

// TestQueuedRunsCountAll: no run of a block is left out where the first waits for its request.
func TestQueuedRunsCountAll(t *testing.T) {
	target, m := quietTarget(time.Millisecond)
	other := &simTarget{name: "u", base: time.Millisecond, machine: m}
	r, err := Measure(t.Context(), []Subject{{Target: target, Facts: Facts{Rate: 100}}, {Target: other}}, Plan{Block: maxBlock, Runs: 100}, Surroundings{Now: m.now})
	if err != nil {
		t.Fatal(err)
	}
	if target.runs != 100 || other.runs <= 100 {
		t.Errorf("%d and %d runs were made for 100", target.runs, other.runs)
	}
	r.AddQueue(0, NewQueue(100, 100, time.Second, time.Second/2, 1, 0))
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := "100 requests a second, at random: busy 50 % of the time; on average "; !strings.Contains(text.String(), want) {
		t.Errorf("%q is not in\n%s", want, text.String())
	}
}
