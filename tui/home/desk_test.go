package home

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxtext"
	"lathe/tui/config"
	"lathe/tui/controls/keytest"
)

// noon is the time of every test.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// desk runs the list without a terminal. Commands run immediately unless hold is set.
type desk struct {
	t                        testing.TB
	app                      *app
	quit, suspended, cleared bool
	hold                     bool // commands are kept and not run
	waiting                  []tea.Cmd
}

func testOptions(folder string) Options {
	return Options{
		Folder: folder, Now: func() time.Time { return noon },
		Open: func(path string) (*graphops.Model, error) {
			return graphops.Open(path, graphops.OpenOptions{Text: onnxtext.Serialize})
		},
		Settings: config.Config{Theme: config.ThemeDark, Mouse: true, AltScreen: true},
	}
}

func newDesk(t testing.TB, o Options, w, h int) *desk {
	t.Helper()
	return newHeldDesk(t, o, w, h, false)
}

// newHeldDesk returns a desk; if hold is true, its commands wait.
func newHeldDesk(t testing.TB, o Options, w, h int, hold bool) *desk {
	t.Helper()
	d := &desk{t: t, app: newApp(t.Context(), o), hold: hold}
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.perform(d.app.Init())
	return d
}

func (d *desk) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		d.quit = true
	case tea.SuspendMsg:
		d.suspended = true
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.perform(cmd)
		}
	default:
		d.cleared = d.cleared || fmt.Sprintf("%T", msg) == "tea.clearScreenMsg"
		_, cmd := d.app.Update(msg)
		d.perform(cmd)
	}
}

func (d *desk) perform(cmd tea.Cmd) {
	switch {
	case cmd == nil:
	case d.hold:
		d.waiting = append(d.waiting, cmd)
	default:
		d.send(cmd())
	}
}

// resume runs the commands that were kept.
func (d *desk) resume() {
	cmds := d.waiting
	d.waiting, d.hold = nil, false
	for _, cmd := range cmds {
		d.perform(cmd)
	}
}

func (d *desk) press(keys ...string) *desk {
	d.t.Helper()
	for _, k := range keys {
		d.send(keytest.Press(d.t, k))
	}
	return d
}

func (d *desk) write(s string) *desk {
	d.t.Helper()
	return d.press(strings.Split(s, "")...)
}

func (d *desk) click(x, y int) *desk {
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	return d
}

func (d *desk) screen() string { return ansi.Strip(d.app.View().Content) }

func (d *desk) sees(want ...string) {
	d.t.Helper()
	for _, w := range want {
		if !strings.Contains(d.screen(), w) {
			d.t.Errorf("the screen does not show %q:\n%s", w, d.screen())
		}
	}
}

func (d *desk) lacks(unwanted string) {
	d.t.Helper()
	if strings.Contains(d.screen(), unwanted) {
		d.t.Errorf("the screen shows %q:\n%s", unwanted, d.screen())
	}
}

// selected returns the section and the name of the row under the cursor.
func (d *desk) selected() (int, string) {
	at := d.app.focused()
	item := d.app.sections[at].selected()
	switch {
	case item < 0:
		return at, ""
	case at == sessions:
		return at, d.app.list[item].name()
	}
	return at, d.app.queue.path(item)
}

// checkSize checks that the view fills the screen, and that nothing in it moves the cursor.
func (d *desk) checkSize() {
	d.t.Helper()
	lines := strings.Split(d.app.View().Content, "\n")
	if len(lines) != d.app.h {
		d.t.Errorf("%d lines are drawn, want %d", len(lines), d.app.h)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != d.app.w {
			d.t.Errorf("line %d is %d wide, want %d: %q", i, got, d.app.w, line)
		}
		if s := ansi.Strip(line); strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e }) {
			d.t.Errorf("line %d has controls: %q", i, s)
		}
	}
}

// put writes a file in a folder.
func put(t testing.TB, folder, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// small is a model file of a few bytes.
func small(t testing.TB) []byte {
	t.Helper()
	return graphtest.Bytes(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]")
}

// numbered makes a folder of n models.
func numbered(t testing.TB, n int) string {
	t.Helper()
	folder, content := t.TempDir(), small(t)
	for i := range n {
		put(t, folder, fmt.Sprintf("model_%04d.onnx", i), content)
	}
	return folder
}

// blocked wraps open. For the file of that name it waits until it is released or ctx ends.
func blocked(ctx context.Context, name string, open func(string) (*graphops.Model, error)) (func(string) (*graphops.Model, error), func()) {
	released := make(chan struct{})
	return func(path string) (*graphops.Model, error) {
		if filepath.Base(path) == name {
			select {
			case <-released:
			case <-ctx.Done():
			}
		}
		return open(path)
	}, func() { close(released) }
}
