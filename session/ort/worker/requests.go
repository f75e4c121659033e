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
	switch body := req.GetBody().(type) {
	case *wire.Request_Load:
		return s.loadJob(req.GetId(), body.Load)
	case *wire.Request_Run:
		return s.runJob(req.GetId(), body.Run)
	case *wire.Request_Bind:
		return s.bindJob(body.Bind)
	case *wire.Request_Block:
		return s.blockJob(body.Block)
	case *wire.Request_StageRuns:
		return s.stagesJob(body.StageRuns)
	case *wire.Request_Look:
		return s.lookJob(req.GetId(), body.Look)
	case *wire.Request_Placement:
		return s.placementJob(req.GetId(), body.Placement), nil
	case *wire.Request_Memory:
		return s.memoryJob(body.Memory), nil
	case *wire.Request_EndProfile:
		return s.endProfileJob(req.GetId(), body.EndProfile), nil
	case *wire.Request_Dump:
		return s.dumpJob(req.GetId(), body.Dump), nil
	case *wire.Request_Unload:
		return s.unloadJob(body.Unload), nil
	case *wire.Request_Open:
		return s.openJob(req.GetId(), body.Open), nil
	case *wire.Request_Receive:
		return s.receiveJob(body.Receive)
	case *wire.Request_Machine:
		return s.machineJob(req.GetId()), nil
	}
	return nil, errors.New("a request of this kind is not known")
}

func (s *server) loadJob(id uint64, load *wire.Load) (*job, error) {
	l := &loader{lib: s.lib, load: load, kept: s.storage, logID: fmt.Sprintf("session-%d", id), report: func(activity string) {
		s.send(&wire.Reply{Id: id, Body: &wire.Reply_Progress{Progress: &wire.Progress{Activity: activity}}}, nil)
	}}
	l.prepare = func() error { return nil }
	j := &job{release: func() {}}
	switch from := load.GetSource().(type) {
	case *wire.Load_Path:
		l.source = s.lib.fromPath(from.Path)
	case *wire.Load_ModelBytes:
		sink, err := wire.NewSink(from.ModelBytes)
		if err != nil {
			return nil, err
		}
		j.sinks = []*wire.Sink{sink}
		l.source = s.lib.fromBytes(sink.Bytes)
	case *wire.Load_StructureBytes:
		sink, err := wire.NewSink(from.StructureBytes)
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
	if err := s.limits.enforce(l.load.GetOptions().GetProviders()); err != nil {
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
		done.session.release()
		return nil, err
	}
	s.mu.Lock()
	s.sessions[id] = done.session
	s.mu.Unlock()
	return &wire.Reply{Body: &wire.Reply_Loaded{Loaded: &wire.Loaded{
		Inputs:    done.session.inputs,
		Outputs:   done.session.outputs,
		Provider:  done.provider,
		Refused:   done.refused,
		SessionNs: done.took.Nanoseconds(),
		Log:       done.log,
	}}}, nil
}

func (s *server) unloadJob(unload *wire.Unload) *job {
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		target, err := s.session(unload.GetSession())
		if err != nil {
			return nil, err
		}
		if err := target.acquire(ctx); err != nil {
			return nil, err
		}
		defer target.yield()
		s.mu.Lock()
		delete(s.sessions, unload.GetSession())
		s.mu.Unlock()
		s.keep(target, nil)
		target.release()
		return done(), nil
	}}
}
