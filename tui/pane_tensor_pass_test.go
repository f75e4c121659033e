package tui

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// TestTensorRestsFirst moves over rows: nothing is gathered or read before the selection rests, and
// the pane does not change until then.
func TestTensorRestsFirst(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	d.app.Look(workspace.PlaceNodes)
	d.hold = true
	d.press("j")
	d.sees("input 1  w", "max          7")
	first := d.waiting
	d.waiting = nil
	d.press("j")
	last := d.waiting
	for _, cmd := range first { // an out-of-date answer, and what follows from it
		if cmd != nil {
			d.send(cmd())
		}
	}
	d.sees("input 1  w")
	d.waiting, d.hold = last, false
	d.resume()
	d.sees("·input 3  odd")
	if p := tensorOf(d); p.At != d.app.ws.Here() {
		t.Errorf("the pane is at row %d, the selection at %d", p.At.Row, d.app.ws.Row())
	}
}

// TestHiddenTensorReadsNothing keeps the pane hidden.
func TestHiddenTensorReadsNothing(t *testing.T) {
	d := tensorDesk(t, 80, 24)
	d.press("j", "j", "j")
	if p := tensorOf(d); p.At.Place != nil || len(p.Passes.Kept) > 0 {
		t.Error("a pane that does not show has looked for tensors")
	}
}

// gate is in the middle of a tensor: it signals when reading begins, and lets it continue once it
// is open.
type gate struct {
	begun  chan struct{}
	opened chan struct{}
	open   func()
}

// isReached reports whether reading has begun since the last call.
func (g gate) isReached() bool {
	select {
	case <-g.begun:
		return true
	default:
		return false
	}
}

// slowModel returns a model with a weight behind a gate.
func slowModel(t testing.TB) (*graphops.Model, gate) {
	t.Helper()
	g := gate{begun: make(chan struct{}, 100), opened: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.opened) })
	const n = 1 << 20
	data := graphops.TransformPayload(4*n, func(w io.Writer) error {
		g.begun <- struct{}{}
		chunk := make([]byte, 1<<16)
		for i := 0; i < 4*n; i += len(chunk) {
			if i == 4*n/2 {
				<-g.opened
			}
			if _, err := w.Write(chunk); err != nil {
				return err
			}
		}
		return nil
	})
	e := graphops.Edit(tensorModel(t))
	e.Initializers = append(e.Initializers, graphops.NewTensor("slow", tensor.F32, []int64{1024, 1024}, data))
	e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Foo", Name: "heavy", Inputs: []string{"slow"}, Outputs: []string{"z"}}))
	return e.Model(), g
}

// gated is a workbench whose commands run concurrently, with a gate in its model.
type gated struct{ *live }

func newGated(t *testing.T, m *graphops.Model, g gate) gated {
	t.Helper()
	o := testOptions(m)
	o.Now = time.Now
	b := gated{newLive(t, o)}
	t.Cleanup(g.open)
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.until("the graph", func() bool { return b.app.ws.Wiring != nil })
	b.app.Look(workspace.PlaceTensor)
	return b
}

func (b gated) screen() string { return ansi.Strip(b.app.View().Content) }

func (b gated) shows(words string) func() bool {
	return func() bool { return strings.Contains(b.screen(), words) }
}

func (b gated) sees(want ...string) {
	b.t.Helper()
	for _, w := range want {
		if !b.shows(w)() {
			b.t.Errorf("the screen does not show %q:\n%s", w, b.screen())
		}
	}
}

// choose selects a row by name.
func (b gated) choose(name string) {
	o := b.app.ws.Outline
	for row := range o.Len() {
		if o.Name(row) == name {
			b.app.ws.GoTo(row)
		}
	}
	b.send(nudge{})
}

func (b gated) pane() *tensors.Pane {
	return (&desk{app: b.app}).paneOf(workspace.PlaceTensor).(*tensors.Pane)
}

// TestTensorProgress reads a slow tensor: its progress is shown, Esc stops it, and it can be read
// again.
func TestTensorProgress(t *testing.T) {
	m, g := slowModel(t)
	b := newGated(t, m, g)
	b.choose("heavy")
	b.until("the pass", g.isReached)
	b.until("progress", b.shows(" of 4.0 MiB"))
	b.sees("Esc stops it")
	b.press("esc")
	b.sees("stopped; what was read so far is discarded", "A reads it again")
	if b.app.focused().Panel.Place != workspace.PlaceTensor {
		t.Error("Esc has left the pane")
	}
	b.press("A")
	b.until("progress", b.shows(" of 4.0 MiB"))
	b.press("ctrl+c") // ends what is read, not the program
	b.sees("stopped; what was read so far is discarded")
	g.open()
	b.press("A")
	b.until("the answer", b.shows("numbers      1,048,576"))
}

// TestTensorMovesOn leaves a tensor that is being read: the next one is read, and the answer for
// the first is dropped.
func TestTensorMovesOn(t *testing.T) {
	m, g := slowModel(t)
	b := newGated(t, m, g)
	b.choose("heavy")
	b.until("the pass", g.isReached)
	asked := b.pane().Passes.Asked
	b.choose("conv")
	b.until("the next tensor", b.shows("kernel"))
	b.until("its numbers", b.shows("numbers      480"))
	g.open()
	b.until("quiet", func() bool { return !b.pane().Passes.Question.IsOpen() })
	b.sees("numbers      480")
	if b.pane().Passes.Answer(asked) != nil {
		t.Error("a stale answer is kept")
	}
}

// TestTensorWhileScanning moves about while the whole model is scanned.
func TestTensorWhileScanning(t *testing.T) {
	m, g := slowModel(t)
	e := graphops.Edit(m)
	slow := m.Graph().Initializers()[len(m.Graph().Initializers())-1]
	e.Initializers = append(e.Initializers, slow.WithName("slow2"))
	b := newGated(t, e.Model(), g)
	b.press("D")
	b.choose("gemm")
	b.until("the pass", g.isReached)
	b.app.Look(workspace.PlaceNodes)
	for range 50 {
		b.press("j", "k", "j", "G", "g")
	}
	g.open()
	b.until("the groups", b.shows("2 groups of equal tensors"))
	b.until("what they are, once the selection rests", b.shows("2 × f32 1024×1024, 4.0 MiB each"))
}

// TestTensorBroken runs a pass that panics: the error is shown, and nothing keeps waiting.
func TestTensorBroken(t *testing.T) {
	d := tensorDesk(t, 120, 40)
	toTensor("gemm")(d)
	p := tensorOf(d)
	q := tensors.Inquiry{Of: p.Current().TensorSource, What: "profile"}
	p.Passes.Forget(q)
	broken := func(context.Context, func(done, total int64)) (any, error) { panic("out of order") }
	d.perform(p.Passes.Begin(d.app.ws, q, broken, p.TakeAnswer))
	d.sees("internal error: out of order", "A reads it again")
}
