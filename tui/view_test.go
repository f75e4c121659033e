package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// views are the screens that the golden files hold, by the keys that lead there.
var views = []struct {
	name string
	keys string // separated by blanks
}{
	{"list", ""},
	{"selected", "j j j"},
	{"detail", "j j tab"},
	{"marked", "j j j space"},
	{"pruned", "j j j space p"},
	{"search", "/ r e l u"},
	{"found", "/ r e l u enter"},
	{"choose", "j j l"},
	{"help", "?"},
	{"palette", ": p r u n e"},
	{"form", "Q"},
	{"form-error", "V enter"},
	{"result", "Q enter"},
	{"running", "b enter"},
	{"failed", ": b r o k e n enter enter"},
	{"log", ": b r o k e n enter enter esc L"},
	{"recipe", "j j j space p s"},
	{"quit", "j j j space p q"},
}

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}, {shell.MinWidth, shell.MinHeight}, {30, 5}}

func TestViews(t *testing.T) {
	for _, v := range views {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := branchyDesk(t, size[0], size[1])
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// TestLooks checks every view with its styles, in every theme.
func TestLooks(t *testing.T) {
	for _, name := range theme.Names {
		for _, v := range views {
			t.Run(fmt.Sprintf("%s/%s", name, v.name), func(t *testing.T) {
				t.Parallel()
				o := testOptions(graphtest.Model(t, branchy))
				o.Settings.Theme = string(name)
				d := newDeskWith(t, o, 80, 24)
				d.press(strings.Fields(v.keys)...)
				content := d.app.View().Content
				if coloured := strings.Contains(content, "8;5;"); coloured != (name != theme.None) {
					t.Errorf("there is colour: %v", coloured)
				}
				golden.RequireEqual(t, content)
			})
		}
	}
}

// TestASCII draws every view in ASCII: the cells are the same, and everything the workbench draws
// has a replacement.
func TestASCII(t *testing.T) {
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			o := testOptions(graphtest.Model(t, branchy))
			d := newDeskWith(t, o, 120, 40)
			d.press(strings.Fields(v.keys)...)
			before := d.screen()
			d.app.ws.Options.Settings.ASCII = true
			checkSize(t, d, [2]int{120, 40})
			if strings.ContainsFunc(d.screen(), func(r rune) bool { return r >= 0x80 }) {
				t.Errorf("there is more than ASCII:\n%s", d.screen())
			}
			if got, want := strings.Count(d.screen(), "?"), strings.Count(before, "?"); got != want {
				t.Errorf("%d characters have no likeness:\n%s\n%s", got-want, before, d.screen())
			}
		})
	}
}

// checkSize checks that what is drawn fills the screen and no more.
func checkSize(t *testing.T, d *desk, size [2]int) {
	t.Helper()
	lines := strings.Split(d.app.View().Content, "\n")
	if len(lines) != size[1] {
		t.Errorf("%d lines are drawn, want %d", len(lines), size[1])
	}
	for i, line := range lines {
		// The tables of the library, which the screen is not drawn by.
		if got := remembered(&d.judged.widths, line, ansi.StringWidth); got != size[0] {
			t.Errorf("line %d is %d wide, want %d: %q", i, got, size[0], line)
		}
	}
}

// trimmed returns a screen without blanks at the ends of lines.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestModels opens every model of the repository, including broken ones that can be opened, and
// looks at each row at several sizes.
func TestModels(t *testing.T) {
	t.Parallel()
	for _, path := range modelFiles(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Skip(err)
			}
			for _, size := range [][2]int{{140, 40}, {80, 24}} {
				d := newDesk(t, m, size[0], size[1])
				for range min(d.app.ws.Outline.Len(), 200) {
					d.press("down")
					checkSize(t, d, size)
				}
				if d.hasControls() {
					t.Errorf("%q", d.app.View().Content)
				}
			}
		})
	}
}

func TestEmptyGraph(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, ""), 120, 24)
	d.sees("the graph is empty", "0/0", "1 error; P tells what is wrong")
	if n := len(d.app.ws.Log.Entries); n > 1 {
		t.Errorf("there are %d messages", n)
	}
	d.press("j", "G", "l", "h", "space", "tab", "j", "enter", "/", "a", "enter", "n", "y", "u")
	checkSize(t, d, [2]int{120, 24})
}

func TestResizeKeepsTheSelection(t *testing.T) {
	d := branchyDesk(t, 120, 40)
	d.press("j", "j", "j", "j", "j")
	want := d.selected()
	for _, size := range [][2]int{{80, 10}, {30, 5}, {200, 50}, {40, 8}, {80, 24}} {
		d.resize(size[0], size[1])
		checkSize(t, d, size)
	}
	if got := d.selected(); got != want {
		t.Errorf("the selection went to %q, want %q", got, want)
	}
	d.sees("›Add", want)
}

func TestBackgroundIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name     string
		set      Background
		noColor  bool
		isDark   bool
		expected theme.Name
	}{
		{"dark by the answer", BackgroundAsk, false, true, theme.Dark},
		{"light by the answer", BackgroundAsk, false, false, theme.Light},
		{"set to dark", BackgroundDark, false, false, theme.Dark},
		{"set to light", BackgroundLight, false, true, theme.Light},
		{"no colour", BackgroundLight, true, false, theme.None},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := testOptions(graphtest.Model(t, branchy))
			o.Background, o.NoColor = c.set, c.noColor
			d := newDeskWith(t, o, 80, 24)
			d.send(backgroundMsg(c.isDark))
			if d.app.ws.Styles != theme.StylesOf(c.expected) {
				t.Error("the styles are of another theme")
			}
		})
	}
}

// TestLongMessages shortens the path in a message that does not fit, so that the name of the file
// stays, and names the key of the log, which has all of it.
func TestLongMessages(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 80, 24)
	d.app.ws.Log.Say("wrote /home/somebody/models/exported/today/with/a/long/path/encoder_model.onnx (12 MiB); 3 nodes fewer")
	d.send(nil)
	d.sees("/encoder_model.onnx (12 MiB)", "L all")
	d.app.ws.Log.Say("wrote a.onnx")
	d.send(nil)
	d.sees("wrote a.onnx")
	d.lacks("L all")
	d.press("L").sees("somebody", "3 nodes fewer")
}
