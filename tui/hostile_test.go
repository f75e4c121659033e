package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops/graphtest"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// paste pastes text, as a terminal does with bracketed paste.
func (d *desk) paste(s string) { d.send(tea.PasteMsg{Content: s}) }

// unprintable returns what the screen contains besides text and the styles of the workbench.
func (d *desk) unprintable() string { return d.unprintableIn(d.app.View().Content) }

func (d *desk) unprintableIn(content string) string {
	if d.judged.styles != d.app.ws.Styles {
		d.judged.styles, d.judged.texts = d.app.ws.Styles, nil
	}
	own := unstyled(d.app.ws.Styles)
	for line := range strings.SplitSeq(content, "\n") {
		raw := remembered(&d.judged.texts, line, func(s string) string { return graphtest.Unprintable(own.Replace(s)) })
		if raw != "" {
			return raw
		}
	}
	return ""
}

// unstyled removes the sequences of styles from a screen.
func unstyled(styles theme.Styles) *strings.Replacer {
	if known, ok := replacers.Load(styles); ok {
		return known.(*strings.Replacer)
	}
	own := []string{ansi.ResetStyle, ""}
	for _, style := range styleTexts(reflect.ValueOf(styles)) {
		own = append(own, style, "")
	}
	r := strings.NewReplacer(own...)
	replacers.Store(styles, r)
	return r
}

// replacers caches the replacers of the styles that tests have drawn with.
var replacers sync.Map

// hasControls reports whether the screen contains anything but text and styles.
func (d *desk) hasControls() bool { return d.unprintable() != "" }

// styleTexts returns all sequences that the workbench may write.
func styleTexts(v reflect.Value) []string {
	var out []string
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, styleTexts(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			out = append(out, styleTexts(v.Index(i))...)
		}
	case reflect.String:
		if s := v.String(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// TestHasControls makes sure that the other tests would detect a raw sequence.
func TestHasControls(t *testing.T) {
	for _, payload := range []string{"\x1b[2J", "\u009b2J", "a\rb", "\u202e", "\xff", "\x1b[31m", "\x1b]0;x"} {
		d := branchyDesk(t, 80, 24)
		d.app.ws.Log.Add(shell.Entry{Lines: []string{payload}})
		if !d.hasControls() {
			t.Errorf("%q is not seen", payload)
		}
	}
}

// hostileWalk goes through every view of a model; keys that are pressed in sequence are in one
// string.
var hostileWalk = []string{
	"3 l l J K z z f f", "6 j l space d esc d enter r j enter", "6 d enter esc s esc P esc A esc", "4 G m G m", "5 S H T E D m i esc", "2", "j", "j", "j", "G", "g l", "j l", "h", "space", "p", "r", "esc", "u", "?", "esc", ": b", "esc", "/", "esc",
	"a", "esc", "e", "enter", "esc", "Q", "esc", "V", "esc", "v", "j", "esc", "c j j j space j space s b esc", "enter", "c r esc",
	"<", "esc", ">", "f down esc", "/ o down esc esc", "v j W esc", "F", "F", "esc", "g j j space j w", "esc", "/ i f enter", "o enter", "j", "j", "backspace",
	"tab", "j", "tab", "j", "tab", "j", "tab", "j", "tab", "y", "Y", "L", "esc", "s", "esc", "e ctrl+n down tab z down esc", "R j x esc n r", "enter", "esc", "esc", "q", "esc",
}

// hostileTogether is the number of payloads in one name. The soak tests try each alone.
var hostileTogether = 8

// TestHostileNames goes through every view of a model full of payloads.
func TestHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for payloads := range slices.Chunk(graphtest.Hostile, hostileTogether) {
		payload := strings.Join(payloads, "")
		t.Run(fmt.Sprintf("%q", payload), func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := testOptions(graphtest.Decode(t, graphtest.HostileProto(t, payload)))
			o.Path = "folder/" + payload + ".onnx"
			d := newDeskWith(t, o, 140, 50)
			d.walk(hostileWalk)
			d.press("/")
			d.paste(payload)
			d.look("search")
			d.press("enter", "n")
			d.look("next match")
			d.app.ws.Log.Fail(fmt.Errorf("node %s", payload))
			d.look("status")
		})
	}
}

// walk presses keys and looks after each.
func (d *desk) walk(keys []string) {
	d.t.Helper()
	for _, together := range keys {
		for _, k := range strings.Fields(together) {
			d.press(k)
			d.look(k)
		}
	}
}

// look fails if the screen, the window's title or the spoken text contains anything but text.
func (d *desk) look(after string) {
	d.t.Helper()
	drawn := d.app.View()
	if raw := d.unprintableIn(drawn.Content); raw != "" {
		d.t.Fatalf("after %s: %q on the screen\n%q", after, raw, drawn.Content)
	}
	if title := drawn.WindowTitle; strings.ContainsFunc(title, unicode.IsControl) {
		d.t.Fatalf("after %s: the window's title is %q", after, title)
	}
	at := d.app.focused().Pane
	if top := d.app.dialogs.Top(); top != nil {
		at = top
	}
	if raw := graphtest.Unprintable(strings.ReplaceAll(at.Said(), "\n", "")); raw != "" {
		d.t.Fatalf("after %s: %q is said", after, raw)
	}
}
