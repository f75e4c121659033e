//go:build linux

package home

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// terminal runs the whole program in a pseudo-terminal.
type terminal struct {
	t    *testing.T
	ptmx *os.File
	vt   vt10x.Terminal
	done chan struct{}

	choice Choice
	err    error
}

func openTerminal(t *testing.T, ctx context.Context, o Options) *terminal {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, ptmx: ptmx, vt: vt10x.New(vt10x.WithSize(80, 24)), done: make(chan struct{})}
	go x.read()
	o.In, o.Out, o.Environ = tty, tty, []string{"TERM=screen-256color"}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(x.done)
		x.choice, x.err = Run(ctx, o)
	}()
	t.Cleanup(func() {
		cancel()
		<-x.done
		ptmx.Close()
		tty.Close()
	})
	return x
}

func (x *terminal) read() {
	buf := make([]byte, 1<<14)
	for {
		n, err := x.ptmx.Read(buf)
		_, _ = x.vt.Write(buf[:n]) // never fails
		if err != nil {
			return
		}
	}
}

// deadline is how long a test waits for the expected text.
const deadline = 2 * time.Minute

// await waits until a text is on the screen.
func (x *terminal) await(text string) *terminal {
	x.t.Helper()
	for end := time.Now().Add(deadline); !strings.Contains(x.vt.String(), text); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			x.t.Fatalf("%q does not appear:\n%s", text, x.vt)
		}
	}
	return x
}

func (x *terminal) send(keys string) *terminal {
	x.t.Helper()
	if _, err := x.ptmx.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
	return x
}

func (x *terminal) finish() (Choice, error) {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(deadline):
		x.t.Fatal("the program does not end")
	}
	return x.choice, x.err
}

func TestProgram(t *testing.T) {
	o := testOptions(numbered(t, 30))
	choice, err := openTerminal(t, t.Context(), o).await("30 models").send("0029").await("model_0029.onnx").send("\r").finish()
	if err != nil || choice.Path != "model_0029.onnx" {
		t.Errorf("%+v, %v", choice, err)
	}
	choice, err = openTerminal(t, t.Context(), o).await("30 models").send("\x1b").finish()
	if err != nil || choice != (Choice{}) {
		t.Errorf("Esc gives %+v, %v", choice, err)
	}
	choice, err = openTerminal(t, t.Context(), o).await("30 models").send("\x03").finish()
	if !errors.Is(err, context.Canceled) || err.Error() != "interrupted" || choice != (Choice{}) {
		t.Errorf("Ctrl-C gives %+v, %v", choice, err)
	}
}

// TestProgramEnds leaves the program while a file does not answer.
func TestProgramEnds(t *testing.T) {
	o := testOptions(numbered(t, 30))
	var release func()
	o.Open, release = blocked(t.Context(), "model_0001.onnx", o.Open)
	defer release()
	choice, err := openTerminal(t, t.Context(), o).await("29 read").send("0029").await("model_0029.onnx").send("\r").finish()
	if err != nil || filepath.Base(choice.Path) != "model_0029.onnx" {
		t.Errorf("%+v, %v", choice, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	x := openTerminal(t, ctx, o).await("29 read")
	cancel()
	if choice, err := x.finish(); !errors.Is(err, context.Canceled) || choice != (Choice{}) {
		t.Errorf("an end from outside gives %+v, %v", choice, err)
	}
}
