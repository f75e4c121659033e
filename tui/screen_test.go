//go:build linux

package tui

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/controls/keytest"
)

// emulator keeps what a terminal would show after everything that was written.
type emulator struct {
	*terminal
	vt   vt10x.Terminal
	torn []byte // the beginning of a character
}

// emulate runs the workbench in a terminal whose screen can be read.
func emulate(t *testing.T, o Options, w, h uint16) *emulator {
	t.Helper()
	e := &emulator{vt: vt10x.New(vt10x.WithSize(int(w), int(h)))}
	e.terminal = openTerminalAs(t, t.Context(), o, w, h, "screen-256color", e.write)
	return e
}

// write takes what was sent to the terminal. An incomplete character waits for the rest, because
// the emulator would take each part for a character.
func (e *emulator) write(b []byte) {
	e.torn = append(e.torn, b...)
	whole := len(e.torn)
	for i := whole - 1; i >= max(0, whole-utf8.UTFMax); i-- {
		if utf8.RuneStart(e.torn[i]) {
			if !utf8.FullRune(e.torn[i:]) {
				whole = i
			}
			break
		}
	}
	_, _ = e.vt.Write(e.torn[:whole]) // never fails
	e.torn = slices.Clone(e.torn[whole:])
}

// lines returns the screen without blanks at the ends of lines.
func (e *emulator) lines() []string {
	return strings.Split(trimmed(e.vt.String()), "\n")
}

// still returns the screen once it has not changed for a while.
func (e *emulator) still() []string {
	const long = 250 * time.Millisecond
	last, since := e.lines(), time.Now()
	e.poll("a still screen", func() bool {
		now := e.lines()
		// A form waits a moment before it says that it thinks.
		if thinks := strings.Contains(strings.Join(now, " "), "previewing"); thinks || !slices.Equal(now, last) {
			last, since = now, time.Now()
		}
		return time.Since(since) > long
	})
	return last
}

// stillKeys returns keys that change what is drawn, without those that end the program or leave
// something running.
func stillKeys() []string {
	out := []string{"j", "j", "j", "k", "l", "h", "G", "g", "esc", "esc", "esc", "esc", "esc", "esc"}
	for _, b := range randomKeys() {
		if !slices.Contains([]string{"q", "ctrl+c", "ctrl+z", "s", "M", "y", "Y", "ctrl+y"}, b) {
			out = append(out, b)
		}
	}
	return out
}

// stillSteps returns steps that do not run for long and do not show their run time.
func stillSteps() []session.Step {
	return slices.DeleteFunc(fakeSteps(), func(s session.Step) bool { return s.Name() == "bench" })
}

// screenRuns says how many models are tried, and how many keys on each. The soak tests try more.
var screenRuns = struct{ models, keys int }{2, 100}

// TestScreenIsWhatARedrawWouldShow presses random keys and compares the screen, which each key
// changes a little, with a complete redraw.
func TestScreenIsWhatARedrawWouldShow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tried := 0
	for i, path := range modelFiles(t) {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil || tried == screenRuns.models {
			continue
		}
		tried++
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := testOptions(m)
			o.Steps = stillSteps
			w, h := uint16(60+i*7%100), uint16(15+i*5%40)
			checkRedraws(t, emulate(t, o, w, h), rand.New(rand.NewPCG(uint64(i), 3)))
		})
	}
}

func checkRedraws(t *testing.T, e *emulator, rng *rand.Rand) {
	t.Helper()
	keys, burst := stillKeys(), 25
	e.settle()
	for range screenRuns.keys / burst {
		var pressed []string
		for range burst {
			k := keys[rng.IntN(len(keys))]
			pressed = append(pressed, k)
			e.send(keytest.Bytes(t, k))
			if k == "esc" {
				e.settleQuietly(40 * time.Millisecond) // what follows at once would be taken for one key with Alt
			}
		}
		before := e.still()
		e.send("\x0c")
		e.settle()
		after := e.still()
		if len(e.done) > 0 {
			return // the keys have found the action that quits in the help or the palette
		}
		if diff := cmp.Diff(after, before); diff != "" {
			t.Fatalf("after %q the screen is not what a redraw shows:\n%s", pressed, diff)
		}
	}
	fmt.Fprintln(t.Output(), strings.Join(e.lines(), "\n"))
}
