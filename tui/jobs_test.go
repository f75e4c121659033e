package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func TestJobRunsAndIsCancelled(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("b", "enter")
	d.sees("bench: running", "measuring", " 25 %", "25 B of 100 B", "elapsed")
	d.press("esc")
	d.sees("bench 25 %")
	d.press("E")
	d.sees("bench is running; Ctrl-C cancels it")
	d.press("q")
	d.sees("bench is still running; it will be cancelled.")
	d.press("n", "ctrl+c")
	d.sees("bench ends…")
	d.press("ctrl+c")
	d.sees("quit?") // the job is already canceled, so the key means leaving
	d.press("n")
	d.resume()
	d.sees("bench: cancelled")
	d.press("r")
	d.sees("cancelled; the model is unchanged")
}

func TestJobThatFails(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press(":").write("broken").press("enter", "enter")
	d.sees("broken: failed", `node "a\x1b[2J": no such thing`, "second line")
	d.press("esc", "L")
	d.sees("00:00:00 broken: model.onnx", "second line")
}

func TestJobThatSaysNo(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("E", "enter", "esc", "V")
	d.sees("model.onnx", "model.export.onnx")
	d.press("enter")
	d.sees("validate: no", "model.onnx differs from model.export.onnx")
}

func TestJobThatPanics(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press(":").write("does panic").press("enter")
	d.sees("internal error: out of order", "goroutine")
	d.press("enter")
	d.sees("panic: does panic") // the preview has failed: Enter stays
	d.hold = true
	d.press("x", "enter") // a preview that has not answered does not block
	d.resume()
	d.sees("panic: failed", "internal error: out of order")
	d.press("esc", "L")
	d.sees("goroutine")
}

// TestJobOfAnotherModel undoes while a job runs: its result is for a model that is no longer
// current.
func TestJobOfAnotherModel(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "space", "p")
	d.hold = true
	d.press("a", "enter", "esc", "u")
	d.resume()
	d.sees("axes: finished, but the model has changed in the meantime")
	if got := d.app.ws.Session.CanUndo(); got != "" {
		t.Errorf("the session took over %s", got)
	}
}

func TestJobMessagesOfUnknownJobs(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("E", "enter")
	before := d.screen()
	d.send(workspace.JobTickMsg{ID: 99})
	d.send(workspace.JobDoneMsg{ID: 99, Err: errLuck})
	d.send(workspace.JobDoneMsg{ID: d.app.ws.Jobs.List[0].ID, Err: errLuck})
	if diff := cmp.Diff(before, d.screen()); diff != "" {
		t.Error(diff)
	}
}

func TestResultsAreKept(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	for range 6 {
		d.press("E", "enter", "esc")
	}
	d.press("r", "[", "[", "[", "[", "[")
	d.sees("export: ok", "--out=model.export.onnx")
	d.press("[")
	d.sees("there is no earlier result")
}

// screenOf80 is a host that only has a width.
type screenOf80 struct{ shell.Host }

func (screenOf80) Width() int { return 80 }

func TestJobsWait(t *testing.T) {
	release := make(chan struct{})
	step := &fakeStep{name: "slow", run: func(ctx context.Context, _ session.Env, _ *graphops.Model) (session.Result, error) {
		<-ctx.Done()
		<-release
		return session.Result{}, ctx.Err()
	}}
	ctx, cancel := context.WithCancel(t.Context())
	ws := workspace.New(ctx, testOptions(graphtest.Model(t, branchy)), newKeymap(nil))
	ws.Host = screenOf80{}
	ws.Run(step)
	cancel()
	ws.Jobs.Wait(time.Millisecond)
	select {
	case <-ws.Jobs.List[0].Done():
		t.Fatal("the job has ended before it could")
	default:
	}
	close(release)
	ws.Jobs.Wait(time.Minute)
	if _, err := ws.Jobs.List[0].Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("the job ended with %v, want cancelled", err)
	}
}

func TestJobStatus(t *testing.T) {
	for _, c := range []struct {
		name string
		job  workspace.Job
		want []string
	}{
		{"nothing is known", workspace.Job{}, []string{"starting", "", "0 ms elapsed"}},
		{
			"bytes, with rate and what is left",
			workspace.Job{Progress: session.Progress{Phase: "writing", Done: 1 << 20, Total: 4 << 20, Unit: "B"}, Elapsed: 3 * time.Second, PhaseAt: time.Second},
			[]string{"writing", "", "━━━─────────  25 %", "1.0 MiB of 4.0 MiB, 512.0 KiB/s", "3.0 s elapsed, 6.0 s left in this phase"},
		},
		{
			"cases",
			workspace.Job{Progress: session.Progress{Phase: "comparing", Done: 2, Total: 3, Unit: "cases"}, Elapsed: time.Second},
			[]string{"comparing", "", "━━━━━━━━────  67 %", "2 of 3 cases", "1.0 s elapsed"},
		},
		{
			"more than all",
			workspace.Job{Progress: session.Progress{Phase: "x\x1b[2J", Done: 9, Total: 3}, Elapsed: time.Second, Asked: true},
			[]string{"ending", "", "━━━━━━━━━━━━ 100 %", "9 of 3", "1.0 s elapsed"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.job.Status(12)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := (&workspace.Job{Name: "x", Progress: session.Progress{Phase: "a\x1b[2J"}}).Short(); strings.Contains(got, "\x1b") {
		t.Errorf("the status line holds a raw phase: %q", got)
	}
}

// TestEmptyViewsOfferToFillThem asks for views that need a measurement first.
func TestEmptyViewsOfferToFillThem(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	d.press("B")
	d.sees("profile: does profile", "no times of nodes are known yet; Enter runs profile")
	d.press("esc", "U")
	d.sees("validate: does validate", "nothing has been validated yet; Enter runs validate")
}

// TestResultsLeadOn goes from the line of a report to the node that it names.
func TestResultsLeadOn(t *testing.T) {
	d := branchyDesk(t, 120, 30)
	d.press("T", "enter")
	d.sees("go to the node that the line names")
	d.press("j", "enter")
	if d.selected() != "right" || !closed(d) {
		t.Errorf("the second line with a node leads to %q:\n%s", d.selected(), d.screen())
	}
	d.press("r", "g", "enter") // the next line that names a node is selected
	d.sees("go to the node that the line names")
	d.press("esc", "j", "j", "space", "p", "r", "[", "j", "j", "j", "enter")
	d.sees("the model has changed since this report")
}
