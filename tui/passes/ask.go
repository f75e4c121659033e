package passes

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
func (d *Dialog) status() string {
	p, elapsed, _ := d.Question.Progress()
	return strings.Join([]string{"finding out: " + cmp.Or(workspace.SaidOf(p), "starting"), text.Elapsed(elapsed)}, " · ")
}

// ask starts a preview of the selected passes, after a pause in typing. The earlier result stays on
// screen until the new one is ready.
func (d *Dialog) ask() tea.Cmd {
	d.Question.Stop()
	ws := d.WS
	if d.Base != ws.Model() {
		d.Base, d.Found, d.Seen, d.Open = ws.Model(), nil, map[string]*passFound{}, map[string]bool{}
		d.Arrange()
	}
	s, err := d.Step()
	if d.err, d.stopped = err, false; err != nil {
		return nil
	}
	env, base := ws.Options.Env, d.Base
	return d.Question.Ask(ws.Tasks, task.Question[*passesFound]{
		Doing: "previewing passes", Pause: ws.Pause, Watched: true,
		Work: func(ctx context.Context, report task.Report) (*passesFound, error) {
			env.Progress = report
			return findPasses(ctx, s, env, base)
		},
		Take: d.takePasses,
	})
}

// takePasses shows what the passes would change. The dialog takes it even while it is set aside.
func (d *Dialog) takePasses(found *passesFound, err error) tea.Cmd {
	if d.err = err; err != nil {
		d.WS.Log.Fail(err)
		return nil
	}
	d.Found = found
	maps.Copy(d.Seen, found.By)
	d.Arrange()
	return nil
}
