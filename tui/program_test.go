//go:build linux

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// terminal is the other side of a pseudo-terminal in which the whole program runs.
type terminal struct {
	t    *testing.T
	ptmx *os.File
	tee  func([]byte)
	done chan error // what Run returned

	mu   sync.Mutex
	out  []byte
	last time.Time // when output came last
}

// openTerminal runs the workbench in a terminal of w × h cells.
func openTerminal(t *testing.T, ctx context.Context, o Options, w, h uint16) *terminal {
	t.Helper()
	return openTerminalAs(t, ctx, o, w, h, "xterm-256color", nil)
}

// openTerminalAs does so in a terminal of a kind; tee receives what is written.
func openTerminalAs(t *testing.T, ctx context.Context, o Options, w, h uint16, kind string, tee func([]byte)) *terminal {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: h, Cols: w}); err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, ptmx: ptmx, tee: tee, done: make(chan error, 1)}
	go term.read()
	o.In, o.Out, o.Environ = tty, tty, []string{"TERM=" + kind, "COLORTERM=truecolor"}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		_, err := Run(ctx, o)
		term.done <- err
		close(ended)
	}()
	t.Cleanup(func() {
		// The program must not read from a terminal that is closed.
		cancel()
		<-ended
		ptmx.Close()
		tty.Close()
	})
	return term
}

func (x *terminal) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := x.ptmx.Read(buf)
		if x.tee != nil {
			x.tee(buf[:n])
		}
		x.mu.Lock()
		x.out, x.last = append(x.out, buf[:n]...), time.Now()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *terminal) send(keys string) {
	x.t.Helper()
	if _, err := x.ptmx.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// deadline is how long a test waits for something that must happen; a busy machine may take long.
const deadline = 2 * time.Minute

// poll checks every few milliseconds until a condition holds.
func (x *terminal) poll(what string, holds func() bool) {
	x.t.Helper()
	for end := time.Now().Add(deadline); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.t.Fatalf("waited for %s in vain; the terminal got %q", what, x.out[max(0, len(x.out)-4000):])
		}
	}
}

// await waits until a text has been written since the last await.
func (x *terminal) await(text string) {
	x.t.Helper()
	x.poll(fmt.Sprintf("%q", text), func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		i := bytes.Index(x.out, []byte(text))
		if i >= 0 {
			x.out = x.out[i+len(text):]
		}
		return i >= 0
	})
}

// settle waits until nothing has been written for a while, and returns the number of bytes since
// the last call.
func (x *terminal) settle() int {
	x.t.Helper()
	x.poll("an end of the output", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(x.out) > 0 && time.Since(x.last) > 40*time.Millisecond
	})
	return x.take()
}

// rest returns the number of bytes written until nothing has been written for long, which a busy
// machine still owes to earlier keys.
func (x *terminal) rest() int {
	x.t.Helper()
	x.settleQuietly(time.Second)
	return x.take()
}

func (x *terminal) take() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.out)
	x.out = nil
	return n
}

// settleQuietly waits until nothing has been written for a while, or nothing is.
func (x *terminal) settleQuietly(while time.Duration) {
	x.t.Helper()
	start := time.Now()
	x.poll("an end of the output", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return time.Since(later(x.last, start)) > while
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (x *terminal) finish() error {
	x.t.Helper()
	select {
	case err := <-x.done:
		return err
	case <-time.After(deadline):
		buf := make([]byte, 1<<20)
		x.t.Fatalf("the program does not end:\n%s", buf[:runtime.Stack(buf, true)])
		return nil
	}
}

// TestProgram does a whole job in a terminal: open, mark, prune, undo, leave.
func TestProgram(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, t.Context(), testOptions(graphtest.Model(t, branchy)), 80, 24)
	x.await("\x1b[?1049h")
	x.await("model.onnx")
	x.send("jjj ")
	x.await("keeps 2 of 6")
	x.send("p")
	x.await("prune: ok")
	x.send("u")
	x.await("took back prune")
	x.send("q")
	x.await("\x1b[?1049l") // the terminal is as it was before
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}

// TestProgramEndsWithItsContext leaves while a job runs: the job ends too.
func TestProgramEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	x := openTerminal(t, ctx, testOptions(graphtest.Model(t, branchy)), 80, 24)
	x.await("model.onnx")
	x.send("b\r")
	x.await("running")
	cancel()
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}

// chain returns a model of n nodes: residual blocks with types, and with names as exporters write
// them.
func chain(t testing.TB, n int) *graphops.Model {
	t.Helper()
	e := graphops.Edit(graphtest.Model(t, "input x f32[1,64]\ninit w f32[64,64] 0\noutput y f32[1,64]"))
	dims := graphops.Type{Kind: graphops.TypeTensor, Elem: 1, Shape: graphops.FixedShape([]int64{1, 64})}
	last, skip := "x", "x"
	for i := range n {
		made := fmt.Sprintf("/model/layers.%d/value_%d", i/12, i)
		op, in := "MatMul", []string{last, "w"}
		switch {
		case i == n-1:
			made = "y"
		case i%12 == 11:
			op, in = "Add", []string{last, skip}
			skip = made
		case i%3 == 1:
			op, in = "Relu", []string{last}
		}
		e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{
			Op: op, Name: fmt.Sprintf("/model/layers.%d/%s_%d", i/12, strings.ToLower(op), i), Inputs: in, Outputs: []string{made},
		}))
		e.ValueInfo = append(e.ValueInfo, graphops.NewValueInfo(made, dims))
		last = made
	}
	return e.Model()
}

// keyCost is the maximum number of bytes that keys may cost over a slow connection.
type keyCost struct {
	what         string
	key          string
	n            int
	median, mean int
}

func (x *terminal) keyCosts(list ...keyCost) {
	x.t.Helper()
	x.rest()
	for _, c := range list {
		var sizes []int
		sum := 0
		for range c.n {
			x.send(c.key)
			sizes = append(sizes, x.settle())
			sum += sizes[len(sizes)-1]
		}
		slices.Sort(sizes)
		median, mean := sizes[c.n/2], (sum+x.rest())/c.n
		x.t.Logf("%s: %d bytes in the median, %d in the mean", c.what, median, mean)
		if median > c.median || mean > c.mean {
			x.t.Errorf("%s: want at most %d in the median, %d in the mean", c.what, c.median, c.mean)
		}
	}
}

// TestBytesPerKey limits what a key costs over a slow connection, on a large model with the detail
// pane beside the list.
func TestBytesPerKey(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x := openTerminal(t, t.Context(), testOptions(chain(t, 100_000)), 120, 40)
	x.await("parameters")
	x.keyCosts(
		keyCost{"a move", "j", 20, 500, 600},
		keyCost{"moves past the edge", "j", 40, 500, 1400},
		keyCost{"half a page", "\x04", 4, 5000, 5000},
		keyCost{"back, over a whole block", "k", 12, 620, 650},
	)
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}

// TestBytesPerKeyOfPasses does the same for the list of passes: moving, unfolding a pass that would
// change a hundred nodes, and ticking, which starts a new preview.
func TestBytesPerKeyOfPasses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var model strings.Builder
	model.WriteString("input x f32[2]\nv0 = Relu(x)\n")
	for i := range 100 {
		fmt.Fprintf(&model, "node%d: i%d = Identity(v%d)\nv%d = Sigmoid(i%d)\n", i, i, i, i+1, i)
	}
	model.WriteString("output v100 f32[2]")
	x := openTerminal(t, t.Context(), simplifyOptions(graphtest.Model(t, model.String())), 120, 40)
	x.await("model.onnx")
	x.send("S")
	x.await("nothing here") // the answer is there: passes without one are folded away
	x.keyCosts(
		keyCost{"a move", "j", 1, 700, 700},
		keyCost{"unfolding", "l", 1, 2000, 2000},
		keyCost{"moves among the changes", "j", 20, 250, 300},
		keyCost{"moves past the edge", "j", 30, 250, 400},
		keyCost{"half a page", "\x04", 4, 1500, 2000},
		keyCost{"back to the passes", "g", 1, 2000, 2000},
		keyCost{"folding and a tick, and back", "jh ", 2, 4000, 4000},
	)
	x.send("\x1b")
	x.await("Sigmoid") // of the list: before it is drawn, a q would come as alt+q
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}

// TestSpokenInATerminal receives the text of each key at once, and leaves the terminal as it was.
func TestSpokenInATerminal(t *testing.T) {
	t.Parallel()
	o := testOptions(graphtest.Model(t, branchy))
	o.Settings.ScreenReader = true
	x := openTerminal(t, t.Context(), o, 80, 24)
	x.await("nodes\r\n")
	x.await("row 1 of 10\r\n")
	x.send("j")
	x.await("row 2 of 10\r\n")
	// Types come beside the screen, and a row is told as it is when one gets there.
	const typed = "input mask, f32 1×4, row 2 of 10\r\n"
	x.poll("a row with its type", func() bool {
		x.mu.Lock()
		told := bytes.Contains(x.out, []byte(typed))
		x.mu.Unlock()
		if !told {
			x.send("k")
			x.send("j")
			time.Sleep(100 * time.Millisecond)
		}
		return told
	})
	x.await(typed)
	x.send("?")
	x.await("follow to what reads this")
	x.send("\x1b")
	x.await("row 2 of 10")
	x.send("q")
	if err := x.finish(); err != nil {
		t.Error(err)
	}
}
