package bench

import (
	"fmt"
	"time"

	"lathe/session/text"
)

// Queue is the result for requests that arrive at a given rate, at random times, independent of
// each other and of the answers. The times of such a run are from a request's arrival to its
// answer. A request that had to wait therefore does not look fast (G. Tene's "coordinated
// omission").
type Queue struct {
	Rate     Number `json:"rate"`           // mean number of requests per second
	Answered int64  `json:"answered"`       // including the warm-up
	PerS     Number `json:"answered_per_s"` // during the measurement
	Busy     Number `json:"busy"`           // fraction of the time that was spent in runs
	Waiting  int64  `json:"waiting_at_end"` // requests that had arrived but not begun
	// mean time of the run that answers a request
	RunMS  Number `json:"mean_in_run_ms"`
	WaitMS Number `json:"mean_waiting_ms"` // mean time between a request's arrival and its run
}

// nearlyAlways is the value of Busy above which a subject is near its limit. pilingUp is the
// fraction of all requests that may be waiting at the end before a subject that is near its limit
// counts as overloaded.
const (
	nearlyAlways = 0.95
	pilingUp     = 0.05
)

// NewQueue returns the result for requests that arrive at a rate per second: answered of them were
// answered within span, and waiting were still waiting at the end. lanes is the number of
// concurrent runs, and busy the time that all lanes together spent in runs. It returns nil if
// nothing was answered.
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

// AddQueue sets the result for requests of the i-th run, and adds a warning if the subject was
// overloaded or near its limit.
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
		return Warning{Overload, fmt.Sprintf("more requests arrive than it can answer: %s arrive per second, %s are answered, and %s were waiting at the end; the waiting time depends on the length of the measurement",
			PerSecond(q.Rate), PerSecond(q.PerS), text.Count(q.Waiting))}, true
	}
	return Warning{Overload, fmt.Sprintf("it is busy %.0f %% of the time: near its limit, where the waiting time depends on chance", 100*float64(q.Busy))}, true
}

// String describes the rate, the busy fraction, and the time that a request spends waiting and in
// its run.
func (q *Queue) String() string {
	return fmt.Sprintf("%s requests a second, at random: busy %.0f %% of the time; on average %s waiting and %s in a run",
		PerSecond(q.Rate), 100*float64(q.Busy), Latency(q.WaitMS), Latency(q.RunMS))
}
