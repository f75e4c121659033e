package ort

import (
	"context"
	"time"

	"lathe/session/ort/wire"
)

// Stages are the times of runs on a device with its own memory, divided into copying the inputs,
// starting the run, computing, and copying the outputs. Each list has one entry per run.
type Stages struct {
	ToDevice []time.Duration // time to copy the inputs to the device
	Enqueued []time.Duration // time to enqueue the run; the device may still be working
	Complete []time.Duration // time from the start of the run until the device is done
	ToHost   []time.Duration // time of a further run, until its outputs are in the host's memory
}

// Stages runs the model on the inputs given to Bind, until maxRuns runs are done or d has passed,
// and measures the parts of each run. It returns nil if the provider works in the host's memory.
func (s *Session) Stages(ctx context.Context, maxRuns int, d time.Duration) (*Stages, error) {
	cl := s.call()
	cl.spare = d
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{StageRuns: &wire.StageRuns{
		Session: s.id, MaxRuns: int64(maxRuns), Duration: d,
	}}, nil)
	if err != nil {
		return nil, err
	}
	st := reply.Stages
	for _, times := range [][]time.Duration{st.ToDevice, st.Enqueued, st.Complete, st.ToHost} {
		if err := checkTimes(times, int64(maxRuns)); err != nil {
			return nil, s.wrong(err)
		}
	}
	n := len(st.Complete)
	if n == 0 || len(st.ToDevice) != n || len(st.Enqueued) != n || len(st.ToHost) != n {
		return nil, unexpectedReply(cl)
	}
	if !st.OnDevice {
		return nil, nil
	}
	return &Stages{ToDevice: st.ToDevice, Enqueued: st.Enqueued, Complete: st.Complete, ToHost: st.ToHost}, nil
}
