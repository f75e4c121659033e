package frames

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

const (
	// Rate is how many frames are drawn in a second if the rate is fixed. A frame waits for the next
	// tick, so that with the default of 60 every key would wait for 8 ms in the mean, and for up to 17.
	Rate = 120
	// busy and idle are the times between ticks while messages come, and while none do. A key that
	// wakes the clock waits for busy, as long as it would wait in the mean at a fixed rate.
	busy = 4 * time.Millisecond
	idle = 100 * time.Millisecond
	// rest is how long no message has come before the clock slows down. What changes the screen later
	// without a message, such as the answer of a slow Update, waits for idle at most.
	rest = 250 * time.Millisecond
)

// Clock sets how often a program looks for something to draw.
type Clock struct {
	program *tea.Program

	mu     sync.Mutex
	ticker *time.Ticker
	timer  *time.Timer // puts the clock to rest
	last   time.Time   // of the last message
	awake  bool
	ended  bool
}

// New makes a program with a clock. The caller calls End when the program has ended. A filter among
// the options is not used.
func New(model tea.Model, options ...tea.ProgramOption) (*tea.Program, *Clock) {
	c := &Clock{}
	c.program = tea.NewProgram(model, append(options, tea.WithFPS(Rate), tea.WithFilter(c.filter))...)
	return c.program, c
}

// End stops the clock.
func (c *Clock) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}

// filter wakes the clock for a message. The library calls it in the goroutine that has made the
// ticker.
func (c *Clock) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ticker == nil {
		c.ticker = tickerOf(c.program)
	}
	if c.ticker == nil || c.ended {
		return msg
	}
	c.last = time.Now()
	if !c.awake {
		c.awake = true
		c.ticker.Reset(busy)
		if c.timer == nil {
			c.timer = time.AfterFunc(rest, c.settle)
		} else {
			c.timer.Reset(rest)
		}
	}
	return msg
}

// settle puts the clock to rest if no message has come for long enough.
func (c *Clock) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if left := rest - time.Since(c.last); left > 0 {
		c.timer.Reset(left)
		return
	}
	c.awake = false
	c.ticker.Reset(idle)
}

// tickerOf returns the ticker of a running program, or nil if it has none.
func tickerOf(p *tea.Program) *time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(unsafe.Pointer(field.Pointer()))
}
