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

// storedWords caches the digest of the model, which reads its weights.
type storedWords struct {
	of     *graphops.Model
	digest graphops.Digest
	asking task.Task[storedAnswer]
}

type storedAnswer struct {
	StoredList
	digest graphops.Digest
}

var storedOf Slot[storedWords]

// KeepsResults reports whether there is a folder for results.
func (ws *Workspace) KeepsResults() bool { return ws.Options.Env.Results != "" }

// FindStored lists the stored results of the model in the background.
func (ws *Workspace) FindStored(take func(StoredList) tea.Cmd) tea.Cmd {
	known := storedOf.In(ws)
	m, path, folder := ws.Session.Original(), ws.Options.Path, ws.Options.Env.Results
	digest := graphops.Digest{}
	if known.of == m {
		digest = known.digest
	}
	find := func(ctx context.Context) (out storedAnswer) {
		size, err := graphops.SavedSize(m, graphops.SaveOptions{Storage: graphops.StoreEmbedded})
		if err != nil {
			out.Err = err
			return out
		}
		out.digest = digest
		out.Results, out.Err = store.Folder{Path: folder}.Earlier(ctx, path, size, func() (d graphops.Digest, err error) {
			if out.digest.Structure == "" {
				out.digest, err = graphops.DigestOf(ctx, m)
			}
			return out.digest, err
		})
		return out
	}
	return Ask(ws, &known.asking, "looking for stored results", find, func(a storedAnswer) tea.Cmd {
		known.of, known.digest = m, a.digest
		return take(a.StoredList)
	})
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
