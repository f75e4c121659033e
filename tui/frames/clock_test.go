package frames

import (
	"bytes"
	"io"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// counter is a model that counts keys, and quits at q.
type counter struct{ keys atomic.Int64 }

func (*counter) Init() tea.Cmd { return nil }

func (c *counter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if c.keys.Add(1); k.String() == "q" {
			return c, tea.Quit
		}
	}
	return c, nil
}

func (c *counter) View() tea.View { return tea.NewView(time.Duration(c.keys.Load()).String()) }

// running is a program with a clock, and the keys that it reads.
type running struct {
	t     *testing.T
	model counter
	clock *Clock
	keys  *io.PipeWriter
	done  chan error
}

func start(t *testing.T) *running {
	t.Helper()
	in, keys := io.Pipe()
	r := &running{t: t, keys: keys, done: make(chan error, 1)}
	program, clock := New(&r.model, tea.WithInput(in), tea.WithOutput(&bytes.Buffer{}), tea.WithWindowSize(80, 24))
	r.clock = clock
	go func() {
		_, err := program.Run()
		r.done <- err
	}()
	return r
}

func (r *running) press(key string) {
	r.t.Helper()
	before := r.model.keys.Load()
	if _, err := io.WriteString(r.keys, key); err != nil {
		r.t.Fatal(err)
	}
	r.eventually("the key "+key, func() bool { return r.model.keys.Load() > before })
}

func (r *running) eventually(what string, is func() bool) {
	r.t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("%s: not seen", what)
		}
	}
}

func (r *running) isAwake() bool {
	r.clock.mu.Lock()
	defer r.clock.mu.Unlock()
	return r.clock.awake
}

// TestClock wakes a clock and lets it rest, in a program that runs.
func TestClock(t *testing.T) {
	r := start(t)
	r.press("a")
	if r.clock.ticker == nil {
		t.Fatal("this version of Bubble Tea has no ticker, so that the rate stays fixed; see tickerOf")
	}
	if !r.isAwake() {
		t.Error("a key does not wake the clock")
	}
	r.eventually("rest", func() bool { return !r.isAwake() })
	r.press("a")
	if !r.isAwake() {
		t.Error("a key does not wake the clock again")
	}
	r.press("q")
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
	r.clock.End()
	if r.clock.settle(); !r.clock.awake {
		t.Error("the clock changes the ticker of a program that has ended")
	}
}

// TestRates counts ticks of a ticker that nobody else reads.
func TestRates(t *testing.T) {
	c := &Clock{ticker: time.NewTicker(time.Second / Rate)}
	defer c.ticker.Stop()
	defer c.End()
	count := func() (n int) {
		for end := time.After(500 * time.Millisecond); ; {
			select {
			case <-c.ticker.C:
				n++
			case <-end:
				return n
			}
		}
	}
	c.filter(nil, nil)
	if n := count(); n < 10 {
		t.Errorf("%d ticks while awake", n) // 62 and more on an idle machine
	}
	if n := count(); n > 6 || n < 1 {
		t.Errorf("%d ticks at rest, want 5", n)
	}
}
