package graph

import (
	"slices"
	"time"

	"lathe/bench"
	"lathe/session/reporting"
)

// Latency is how long runs of a model take, from a benchmark. Only whole runs are timed, so it says
// nothing about a node.
type Latency struct {
	reporting.Conditions
	Batch int64
	P50   bench.Number // in ms
	CI95  *[2]bench.Number
	Noise string    // why it may be doubtful, in a few words
	At    time.Time // when it was stored; zero if it was measured in this session
}

// LatencyOf returns the latency of a run.
func LatencyOf(run bench.Run, noise string, at time.Time) Latency {
	return Latency{Conditions: reporting.ConditionsOf(run), Batch: max(run.Batch, 1), P50: run.P50, CI95: run.CI95, Noise: noise, At: at}
}

// Latencies are those of a model, the newest first. They are immutable.
type Latencies struct{ List []Latency }

// With returns the latencies with newer ones.
func (l *Latencies) With(newer []Latency) *Latencies {
	if l != nil {
		newer = slices.Concat(newer, l.List)
	}
	return &Latencies{newer}
}

// Like returns the newest latency that was measured under the conditions of a profile, or else the
// newest one. It returns nil if nothing was measured.
func (l *Latencies) Like(t *NodeTimes) *Latency {
	if l == nil || len(l.List) == 0 {
		return nil
	}
	if t != nil && t.Conditions != nil {
		for i := range l.List {
			if l.List[i].Beside(*t.Conditions) == "" {
				return &l.List[i]
			}
		}
	}
	return &l.List[0]
}
