package tui

import (
	"cmp"
	"context"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// status says how far the open preview is.
func (d *simplifyDialog) status() string {
	p, elapsed, _ := d.question.Progress()
	return strings.Join([]string{"finding out: " + cmp.Or(workspace.SaidOf(p), "starting"), text.Elapsed(elapsed)}, " · ")
}

// ask starts a preview of the selected passes, after a pause in typing. The earlier result stays on
// screen until the new one is ready.
func (d *simplifyDialog) ask() tea.Cmd {
	d.question.Stop()
	ws := d.WS
	if d.base != ws.Model() {
		d.base, d.found, d.seen, d.open = ws.Model(), nil, map[string]*passFound{}, map[string]bool{}
		d.arrange()
	}
	s, err := d.step()
	if d.err, d.stopped = err, false; err != nil {
		return nil
	}
	env, base := ws.Options.Env, d.base
	return d.question.Ask(ws.Tasks, task.Question[*passesFound]{
		Doing: "previewing passes", Pause: ws.Pause, Watched: true,
		Work: func(ctx context.Context, report task.Report) (*passesFound, error) {
			env.Progress = report
			return findPasses(ctx, s, env, base)
		},
		Take: d.takePasses,
	})
}

// takePasses shows what the passes would change. The dialog takes it even while it is set aside.
func (d *simplifyDialog) takePasses(found *passesFound, err error) tea.Cmd {
	if d.err = err; err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.found = found
	maps.Copy(d.seen, found.by)
	d.arrange()
	return nil
}
