package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
)

func model(t *testing.T) *graphops.Model {
	t.Helper()
	m, err := graphops.Open("../testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestHistory(t *testing.T) {
	first := model(t)
	second, third := graphops.Edit(first).Model(), graphops.Edit(first).Model()
	s := session.New("m.onnx", first)
	if s.Undo() || s.Redo() || s.CanUndo() != "" || s.CanRedo() != "" {
		t.Error("a new session has something to undo or redo")
	}
	s.Record(&fakeStep{Mode: "fast"}, session.Result{Model: second})
	s.Record(&fakeStep{Mode: "slow"}, session.Result{})
	if s.Model() != second || s.CanUndo() != "fake" {
		t.Error("the step's model is not the current one")
	}
	if !s.Undo() || s.Model() != first || s.CanRedo() != "fake" {
		t.Error("undo does not go back")
	}
	if got := len(s.Recipe().Steps); got != 1 {
		t.Errorf("after undo the recipe has %d steps, want the one that made no model", got)
	}
	if !s.Redo() || s.Model() != second {
		t.Error("redo does not go forward")
	}
	s.Undo()
	s.Record(&fakeStep{Mode: "fast", Word: "other"}, session.Result{Model: third})
	if s.Model() != third || s.Redo() {
		t.Error("a new step does not replace what was undone")
	}
	if s.Original() != first {
		t.Error("the original is lost")
	}
	var words []string
	for _, c := range s.Recipe().Steps {
		words = append(words, c.Options[0].Values[0])
	}
	if got := strings.Join(words, " "); got != "slow other" {
		t.Errorf("recipe in the order %q", got)
	}
}

func TestJob(t *testing.T) {
	jobs := &session.Jobs{Now: fakeClock()}
	reached := make(chan struct{})
	step := &fakeStep{run: func(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
		env.Progress(session.Progress{Phase: "waiting", Done: 1, Total: 2})
		close(reached)
		<-ctx.Done()
		return session.Result{}, ctx.Err()
	}}
	j := jobs.Start(context.Background(), step, session.Env{}, nil)
	<-reached
	if p, elapsed := j.Progress(); p.Phase != "waiting" || elapsed <= 0 {
		t.Errorf("progress %+v after %v", p, elapsed)
	}
	j.Cancel()
	<-j.Done()
	if _, err := j.Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled job ended with %v", err)
	}
	_, first := j.Progress()
	if _, second := j.Progress(); first != second {
		t.Error("the time of a job that has ended goes on")
	}
}

func TestJobPanics(t *testing.T) {
	jobs := &session.Jobs{Now: fakeClock()}
	j := jobs.Start(context.Background(), &fakeStep{run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		panic("a bug")
	}}, session.Env{}, nil)
	<-j.Done()
	if _, err := j.Result(); err == nil || !strings.HasPrefix(err.Error(), "internal error: a bug") {
		t.Errorf("panic became %v", err)
	}
}
