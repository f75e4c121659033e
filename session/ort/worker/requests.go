//go:build cgo

package worker

import (
	"context"
	"errors"
	"fmt"

	"lathe/session/ort/wire"
)

// understand checks a request and returns the job that performs it. The caller has to call the
// job's release. If there is an error, nothing has to be released.
func (s *server) understand(req *wire.Request) (*job, error) {
	switch {
	case req.Load != nil:
		return s.loadJob(req.ID, req.Load)
	case req.Run != nil:
		return s.runJob(req.ID, req.Run)
	case req.Bind != nil:
		return s.bindJob(req.Bind)
	case req.Block != nil:
		return s.blockJob(req.Block)
	case req.StageRuns != nil:
		return s.stagesJob(req.StageRuns)
	case req.Replay != nil:
		return s.replayJob(req.ID, req.Replay)
	case req.Decode != nil:
		return s.decodeJob(req.Decode)
	case req.Generate != nil:
		return s.generateJob(req.Generate)
	case req.Look != nil:
		return s.lookJob(req.ID, req.Look)
	case req.Placement != nil:
		return s.placementJob(req.ID, req.Placement), nil
	case req.Memory != nil:
		return s.memoryJob(req.Memory), nil
	case req.EndProfile != nil:
		return s.endProfileJob(req.ID, req.EndProfile), nil
	case req.Dump != nil:
		return s.dumpJob(req.ID, req.Dump), nil
	case req.Unload != nil:
		return s.unloadJob(req.Unload), nil
	case req.Open != nil:
		return s.openJob(req.ID, req.Open), nil
	case req.Receive != nil:
		return s.receiveJob(req.Receive)
	case req.Machine != nil:
		return s.machineJob(req.ID), nil
	case req.Devices != nil:
		return s.devicesJob(req.Devices), nil
	}
	return nil, errors.New("a request of this kind is not known")
}

func (s *server) loadJob(id uint64, load *wire.Load) (*job, error) {
	l := &loader{lib: s.lib, plugins: s.plugins, load: load, kept: s.storage, logID: fmt.Sprintf("session-%d", id), report: func(activity string) {
		s.send(&wire.Reply{ID: id, Progress: &wire.Progress{Activity: activity}}, nil)
	}}
	l.prepare = func() error { return nil }
	j := &job{release: func() {}}
	switch load.Source {
	case wire.FromPath:
		l.source = fromPath(load.Path)
	case wire.FromModel:
		sink, err := wire.NewSink(load.Bytes)
		if err != nil {
			return nil, err
		}
		j.sinks = []*wire.Sink{sink}
		l.source = fromBytes(sink.Bytes)
	case wire.FromStructure:
		sink, err := wire.NewSink(load.Bytes)
		if err != nil {
			return nil, err
		}
		j.sinks = []*wire.Sink{sink}
		l.prepare = func() error { return l.restore(sink.Bytes()) }
	default:
		return nil, errors.New("a request to load a model has neither a path nor bytes")
	}
	j.run = func(ctx context.Context) (*wire.Reply, error) { return s.performLoad(ctx, id, l) }
	return j, nil
}

func (s *server) performLoad(ctx context.Context, id uint64, l *loader) (*wire.Reply, error) {
	if err := s.limits.enforce(l.load.Options.Providers); err != nil {
		return nil, err
	}
	if err := s.confine(l.load); err != nil {
		return nil, err
	}
	if err := l.prepare(); err != nil {
		return nil, err
	}
	done, err := l.run(ctx)
	if err != nil {
		takeLog(l.logID) // nobody else will read it
		return nil, err
	}
	if err := checkFiles(l.load); err != nil {
		if done.session != nil {
			done.session.release()
		}
		return nil, err
	}
	if done.session == nil {
		return &wire.Reply{Compiled: &wire.Compiled{Provider: done.provider, Refused: done.refused, Took: done.took, Log: done.log}}, nil
	}
	s.mu.Lock()
	s.sessions[id] = done.session
	s.mu.Unlock()
	return &wire.Reply{Loaded: &wire.Loaded{
		Inputs:   done.session.inputs,
		Outputs:  done.session.outputs,
		Provider: done.provider,
		Refused:  done.refused,
		Took:     done.took,
		Log:      done.log,
		Device:   done.session.offered(),
		Unknown:  done.unknown,
	}}, nil
}

func (s *server) unloadJob(unload *wire.Unload) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		target, err := s.session(unload.Session)
		if err != nil {
			return nil, err
		}
		if err := target.acquire(ctx); err != nil {
			return nil, err
		}
		defer target.yield()
		s.mu.Lock()
		delete(s.sessions, unload.Session)
		s.mu.Unlock()
		s.keep(target, nil)
		target.release()
		return done(), nil
	}}
}
