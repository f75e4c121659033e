package ort

import (
	"context"
	"time"

	"lathe/session/ort/wire"
)

// Stages is what runs consist of on a device with memory of its own. Each has one entry per run.
type Stages struct {
	ToDevice []time.Duration // inputs brought to the device
	Enqueued []time.Duration // the run given to the device, which may still be at work
	Complete []time.Duration // from its beginning until it is done
	ToHost   []time.Duration // a further run, until its outputs are in the host's memory
}

// Stages times what a run on the bound inputs consists of, until maxRuns runs are made or d has
// passed. Where the provider works in the host's memory it is nil.
func (s *Session) Stages(ctx context.Context, maxRuns int, d time.Duration) (*Stages, error) {
	cl := s.call()
	cl.spare = d
	reply, err := s.client.roundTrip(ctx, cl, &wire.Request{Body: &wire.Request_StageRuns{StageRuns: &wire.StageRuns{
		Session: s.id, MaxRuns: int64(maxRuns), DurationNs: d.Nanoseconds(),
	}}}, nil)
	if err != nil {
		return nil, err
	}
	st := reply.GetStages()
	n := len(st.GetCompleteNs())
	if st == nil || n == 0 || len(st.GetToDeviceNs()) != n || len(st.GetEnqueuedNs()) != n || len(st.GetToHostNs()) != n {
		return nil, unexpectedReply(cl)
	}
	if !st.GetOnDevice() {
		return nil, nil
	}
	return &Stages{
		ToDevice: durations(st.GetToDeviceNs()), Enqueued: durations(st.GetEnqueuedNs()),
		Complete: durations(st.GetCompleteNs()), ToHost: durations(st.GetToHostNs()),
	}, nil
}

func durations(nanoseconds []int64) []time.Duration {
	out := make([]time.Duration, len(nanoseconds))
	for i, ns := range nanoseconds {
		out[i] = time.Duration(ns)
	}
	return out
}
