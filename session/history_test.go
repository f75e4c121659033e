package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/session"
)

// words returns the option "word" of each call in a history, with a dash before calls that changed
// nothing.
func words(list []session.Past) string {
	var out []string
	for _, p := range list {
		w := p.Call.Options[0].Values[0]
		if !p.Changed {
			w = "-" + w
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// worded is a step that makes a new model. It counts its runs.
func worded(runs *int) func(string) (session.Step, bool) {
	return func(string) (session.Step, bool) {
		return &fakeStep{run: func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
			*runs++
			return session.Result{Model: graphops.Edit(m).Model()}, nil
		}}, true
	}
}

func step(word string) session.Step { return &fakeStep{Mode: word} }

// TestAdopt splits a history, adopts another one in its place, and goes all the way back and forth
// with Undo and Redo.
func TestAdopt(t *testing.T) {
	m := model(t)
	next := func() session.Result { return session.Result{Model: graphops.Edit(m).Model()} }
	s := session.New("m.onnx", m)
	s.Record(step("a"), next())
	afterA := s.Model()
	s.Record(step("look"), session.Result{})
	s.Record(step("b"), next())
	s.Record(step("c"), next())
	if s.Before(0) != m || s.Before(1) != afterA || s.Before(2) != afterA {
		t.Error("a step is said to stand on another model")
	}
	history := slices.Clone(s.History())
	history[2].Call.Options = []session.Setting{{Name: "mode", Values: []string{"fast"}}}
	history[3].Call.Options = []session.Setting{{Name: "mode", Values: []string{"slow"}}}
	begun, rest := s.Begin(history)
	if got := words(begun.History()) + "/" + words(rest); got != "a -look/fast slow" {
		t.Fatalf("kept and left: %s", got)
	}
	if begun.Model() != afterA {
		t.Error("the step that is kept has another model")
	}
	_, none := s.Begin(s.History())
	if len(none) != 0 {
		t.Errorf("of the same history %s is left", words(none))
	}
	short, none := s.Begin(history[:1])
	if len(none) != 0 || short.Model() != afterA {
		t.Error("a history that ends earlier is not kept whole")
	}

	var phases []string
	runs := 0
	env := noRuntime()
	env.Progress = func(p session.Progress) { phases = append(phases, p.Phase) }
	if err := begun.Replay(t.Context(), env, rest, "", worded(&runs)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"step 3 of 4, fake", "step 4 of 4, fake"}, phases); diff != "" || runs != 2 {
		t.Errorf("%d runs\n%s", runs, diff)
	}
	revision := s.Revision()
	s.Adopt(begun)
	check := func(want, undone, canUndo string) {
		t.Helper()
		if got := words(s.History()) + "|" + words(s.Undone()) + "|" + s.CanUndo(); got != want+"|"+undone+"|"+canUndo {
			t.Errorf("got %s, want %s|%s|%s", got, want, undone, canUndo)
		}
		if s.Revision() == revision {
			t.Error("the revision stays")
		}
		revision = s.Revision()
	}
	check("a -look fast slow", "", session.Rewriting)
	s.Record(step("d"), next())
	check("a -look fast slow d", "", "fake")
	s.Undo()
	check("a -look fast slow", "d", session.Rewriting)
	s.Undo()
	check("a -look b c", "", "fake")
	if s.CanRedo() != session.Rewriting {
		t.Errorf("redo offers %q", s.CanRedo())
	}
	s.Undo()
	check("a -look b", "c", "fake")
	s.Redo()
	check("a -look b c", "", "fake")
	s.Redo()
	check("a -look fast slow", "d", session.Rewriting)
	empty, _ := s.Begin(nil)
	s.Adopt(empty)
	check("", "", session.Rewriting)
	if s.Model() != m {
		t.Error("without steps the model is not as it was opened")
	}
	s.Undo()
	check("a -look fast slow", "", session.Rewriting)
}

func TestReplayIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	runs := 0
	call := session.Past{Call: session.Call{Step: "fake"}, Changed: true}
	if err := session.New("m", nil).Replay(ctx, noRuntime(), []session.Past{call}, "", worded(&runs)); !errors.Is(err, context.Canceled) || runs > 0 {
		t.Errorf("%d runs, %v", runs, err)
	}
}
