package bench

import (
	"fmt"
	"time"

	"lathe/session/text"
)

// Queue is how a subject did with requests that came at a rate of their own: at random,
// independently of each other and of how long the answers take. Times of such a run are from
// a request's arrival to its answer, so that one that had to wait is not told to be fast
// (G. Tene's "coordinated omission").
type Queue struct {
	Rate     Number `json:"rate"`            // requests a second, on average
	Answered int64  `json:"answered"`        // warm-up included
	PerS     Number `json:"answered_per_s"`  // while it was measured
	Busy     Number `json:"busy"`            // the part of its time that it spends in runs
	Waiting  int64  `json:"waiting_at_end"`  // requests that had come and were not begun
	RunMS    Number `json:"mean_in_run_ms"`  // of the time to the answer, in runs
	WaitMS   Number `json:"mean_waiting_ms"` // and before them
}

// What is near its limit, and what is beyond.
const (
	nearlyAlways = 0.95
	pilingUp     = 0.05
)

// NewQueue describes requests at a rate, of which so many were answered within span, with lanes
// that were in runs for busy together, while so many wait.
func NewQueue(rate float64, answered int64, span, busy time.Duration, lanes, waiting int64) *Queue {
	if answered == 0 || span <= 0 {
		return nil
	}
	return &Queue{
		Rate: Number(rate), Answered: answered, Waiting: waiting,
		PerS:  Number(float64(answered) / span.Seconds()),
		Busy:  Number(busy.Seconds() / span.Seconds() / float64(max(lanes, 1))),
		RunMS: Number(milliseconds(busy) / float64(answered)),
	}
}

// AddQueue puts what became of requests into the i-th run.
func (r *Report) AddQueue(i int, q *Queue) {
	if q == nil {
		return
	}
	run := &r.Runs[i]
	own := *q
	own.WaitMS = max(run.Mean-q.RunMS, 0)
	run.Queue = &own
	run.Throughput = q.PerS * Number(max(run.Batch, 1))
	if w, near := q.warning(); near {
		run.Warnings = append(run.Warnings, w)
		run.Verdict = verdict(run.Warnings)
	}
}

func (q *Queue) warning() (Warning, bool) {
	came := float64(q.Answered + q.Waiting)
	switch {
	case q.Busy < nearlyAlways:
		return Warning{}, false
	case float64(q.Waiting) > pilingUp*came:
		return Warning{Overload, fmt.Sprintf("more requests come than it can answer: %s a second against %s, and %s waiting in the end; how long they wait depends on how long one measures",
			PerSecond(q.Rate), PerSecond(q.PerS), text.Count(q.Waiting))}, true
	}
	return Warning{Overload, fmt.Sprintf("it is busy %.0f %% of the time: near its limit, where waiting depends on chance", 100*float64(q.Busy))}, true
}

// String tells how a request's time divides.
func (q *Queue) String() string {
	return fmt.Sprintf("%s requests a second, at random: busy %.0f %% of the time; on average %s waiting and %s in a run",
		PerSecond(q.Rate), 100*float64(q.Busy), Latency(q.WaitMS), Latency(q.RunMS))
}
