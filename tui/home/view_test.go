package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/graphtest"
	"lathe/session/journal"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// views are the screens in the golden files, and the keys that lead to them.
var views = []struct {
	name string
	keys string // separated by spaces
}{
	{"list", ""},
	{"error", "e n d end up"},
	{"narrowed", "e n c"},
	{"broken", "t r u n c"},
	{"session", "tab"},
	{"nothing-matches", "x y z"},
}

var sizes = [][2]int{{80, 24}, {200, 50}, {40, 10}, {minWidth, minHeight}, {20, 3}}

func TestViews(t *testing.T) {
	o := fixture(t)
	for _, v := range views {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				d := newDesk(t, o, size[0], size[1]).press(strings.Fields(v.keys)...)
				d.checkSize()
				requireGolden(t, trimmed(d.screen()))
			})
		}
	}
}

// home is the folder of the package, in which tests start.
var home, _ = os.Getwd()

// requireGolden compares with the golden file, although the fixture changed the working folder.
func requireGolden(t *testing.T, got string) {
	t.Helper()
	t.Chdir(home)
	golden.RequireEqual(t, got)
}

// trimmed returns a screen without spaces at the ends of lines.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestLooks compares a screen with its styles, in every theme.
func TestLooks(t *testing.T) {
	o := fixture(t)
	for _, name := range theme.Names {
		t.Run(string(name), func(t *testing.T) {
			o.Settings.Theme = string(name)
			d := newDesk(t, o, 80, 24).write("enc")
			if coloured := strings.Contains(d.app.View().Content, "8;5;"); coloured != (name != theme.None) {
				t.Errorf("there is colour: %v", coloured)
			}
			requireGolden(t, d.app.View().Content)
		})
	}
}

// TestNoColor checks that no theme uses colours if they are turned off.
func TestNoColor(t *testing.T) {
	o := fixture(t)
	o.NoColor = true
	d := newDesk(t, o, 80, 24)
	d.send(tea.BackgroundColorMsg{})
	if strings.Contains(d.app.View().Content, "8;5;") {
		t.Error("there is colour")
	}
}

// TestASCII checks that the screen has the same size with ASCII characters only.
func TestASCII(t *testing.T) {
	o := fixture(t)
	o.Settings.ASCII = true
	for _, v := range views {
		d := newDesk(t, o, 80, 24).press(strings.Fields(v.keys)...)
		d.checkSize()
		if s := d.screen(); strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) || strings.Contains(s, "?") {
			t.Errorf("%s: there is more than ASCII, or a sign without likeness:\n%s", v.name, s)
		}
	}
}

// TestEmpty checks the hint for a folder without models.
func TestEmpty(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("models", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes[:3] {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			d := newDesk(t, testOptions("models"), size[0], size[1]).press("enter", "tab", "end", "pgup")
			d.checkSize()
			if d.quit {
				t.Error("Enter leaves without a choice")
			}
			requireGolden(t, trimmed(d.screen()))
		})
	}
}

// TestUnreadableFolder checks the reason for a folder that cannot be read.
func TestUnreadableFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	newDesk(t, testOptions("missing"), 80, 24).sees("no models", "cannot be read: open missing: no such file or directory")
}

// TestNotices shows errors in the settings until a key is pressed.
func TestNotices(t *testing.T) {
	o := fixture(t)
	o.Notices = []error{errors.New("config.yaml:3: a key\x1b[2J"), errors.New("another")}
	d := newDesk(t, o, 80, 24)
	d.sees(`config.yaml:3: a key\x1b[2J (and 1 more)`)
	d.press("down").lacks("config.yaml")
	put(t, "sessions", strings.Repeat("0", 32)+"-"+strings.Repeat("0", 16)+".yaml", []byte("{"))
	newDesk(t, o, 120, 24).sees("(and 2 more)")
}

// TestHostileNames draws names of files, folders and sessions that contain control characters.
func TestHostileNames(t *testing.T) {
	folder, content := t.TempDir(), small(t)
	o := testOptions(folder)
	o.Journal = &journal.Store{Dir: t.TempDir()}
	names := slices.DeleteFunc(slices.Clone(graphtest.Hostile), func(s string) bool { return strings.ContainsAny(s, "\x00/") || len(s) > 200 })
	for i, name := range names {
		path := put(t, folder, fmt.Sprintf("%s%02d.onnx", name, i), content)
		put(t, folder, fmt.Sprintf("in%s%02d/broken.onnx", name, i), []byte(name))
		if i%10 == 0 {
			leave(t, o, 0, journal.Entry{Model: path, Folder: folder, History: steps(name), Job: name})
		}
	}
	put(t, folder, "-o.onnx", content)
	for _, size := range sizes[:3] {
		d := newDesk(t, o, size[0], size[1])
		if len(d.app.files) != 2*len(names)+1 || len(d.app.list) == 0 {
			t.Fatalf("%d models and %d sessions", len(d.app.files), len(d.app.list))
		}
		d.send(tea.PasteMsg{Content: "\x1b[2J\u202e"})
		d.checkSize()
		d.press("ctrl+u")
		for range len(d.app.files) + len(d.app.list) {
			d.press("down")
			d.checkSize()
			if what := graphtest.Unprintable(d.screen()); what != "" {
				t.Fatalf("the screen has %s", what)
			}
		}
	}
	d := newDesk(t, o, 80, 24).write("-o.onnx").press("enter")
	if d.app.choice.Path != "."+string(filepath.Separator)+"-o.onnx" {
		t.Errorf("chose %q, which a command takes for a flag", d.app.choice.Path)
	}
}

// TestNamesOfModelsGetTheRoom has a long name, and models with results. Names have their room
// before another column is shown.
func TestNamesOfModelsGetTheRoom(t *testing.T) {
	o := fixture(t)
	for _, w := range []int{60, 80, 120, 200} {
		d := newDesk(t, o, w, 24)
		c := d.app.columns(w)
		if least := min(d.app.widest, cells.LeastName); c.name < least {
			t.Errorf("%d columns: names of up to %d have %d", w, d.app.widest, c.name)
		}
		for _, line := range strings.Split(d.screen(), "\n") {
			if n := cells.Width(line); n != w {
				t.Errorf("%d columns: a line of %d: %q", w, n, line)
			}
		}
	}
}
