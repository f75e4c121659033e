package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/task"
)

// StoredList are the stored results of the model as it was opened.
type StoredList struct {
	Results []store.Earlier
	Err     error // why the list may be incomplete
}

var storedOf Slot[task.Task[StoredList]]

// KeepsResults reports whether there is a folder for results.
func (ws *Workspace) KeepsResults() bool { return ws.Options.Env.Results != "" }

// FindStored lists the stored results of the model as it was opened, and of those that were made from it,
// in the background.
func (ws *Workspace) FindStored(take func(StoredList) tea.Cmd) tea.Cmd {
	m, path, folder, digest := ws.Session.Original(), ws.Options.Path, ws.Options.Env.Results, ws.Session.Digest()
	find := func(ctx context.Context) (out StoredList) {
		asked := store.Asked{Digest: func() (graphops.Digest, error) { return digest(ctx) }}
		if asked.WeightBytes, out.Err = graphops.WeightBytes(m); out.Err == nil {
			out.Results, out.Err = store.Folder{Path: folder}.Earlier(ctx, path, asked)
		}
		return out
	}
	return Ask(ws, storedOf.In(ws), "looking for stored results", find, take)
}

// StoredJob makes a job from a result of an earlier session.
func StoredJob(r *store.Result, label, command string) *Job {
	lines := cells.SafeLines(strings.TrimRight(r.Text, "\n"))
	var measured *bench.Report
	if r.Kind == store.KindBench {
		if b, err := r.Bench(); err == nil {
			measured = b
		}
	}
	if r.Text == "" {
		lines = []string{"an older version of lathe stored this result without its text; " + command + " shows all of it"}
		if measured != nil {
			return labelled(EarlierJob(measured, command), label)
		}
	}
	j := EarlierJob(nil, command)
	j.Name, j.Lines, j.Measured = r.Kind, lines, measured
	return labelled(j, label)
}

func labelled(j *Job, label string) *Job {
	j.Label = label
	return j
}

// AddStored adds a job of an earlier session to the list, unless it is there, and returns it.
func (ws *Workspace) AddStored(j *Job) *Job {
	list := &ws.Jobs.List
	if at := slices.IndexFunc(*list, func(o *Job) bool { return o.Label != "" && o.Command == j.Command }); at >= 0 {
		return (*list)[at]
	}
	// Before the jobs of this session, so that the last one stays the one that may be running.
	at := slices.IndexFunc(*list, func(o *Job) bool { return o.Label == "" })
	if at < 0 {
		at = len(*list)
	}
	*list = slices.Insert(*list, at, j)
	return j
}

// StoredName says when a result was measured, and with which settings.
func (ws *Workspace) StoredName(e store.Earlier) string {
	out := store.When(e.Time, ws.Options.Now()) + ", " + e.Conditions()
	if e.Other {
		out += ", other content"
	}
	if after := e.Made(); after != "" {
		out += ", " + after
	}
	return cells.Prose(out)
}

// StoredLabel names a stored result in a list: when, its settings and its outcome.
func (ws *Workspace) StoredLabel(e store.Earlier) string {
	out := fmt.Sprintf("%s %s", e.Kind, ws.StoredName(e))
	if said := e.Outcome(); said != "" {
		out += ": " + said
	}
	return cells.Prose(out)
}
