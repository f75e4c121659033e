package ort

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/tensor"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

// hostile is a worker that sends what the bytes of a script say. It is a goroutine behind pipes.
type hostile struct {
	script   []byte
	requests chan *wire.Request // those that arrive
	last     *wire.Request      // the one that it last waited for
	out      *wire.Writer
	raw      io.Writer
	quit     chan struct{} // closed when the client ends the worker
	ended    chan struct{} // closed when the goroutine has ended
	stop     func()
	stderr   tail
}

// startHostile returns a client of a hostile worker that follows a script.
func startHostile(script []byte, o Options) (*Client, *hostile) {
	return startPlaying(o, func(h *hostile) {
		h.script = script
		for len(h.script) > 0 && h.step() == nil {
		}
	})
}

// startPlaying returns a client of a worker that does what play does, and then ends.
func startPlaying(o Options, play func(*hostile)) (*Client, *hostile) {
	fromClient, toWorker := io.Pipe()
	fromWorker, toClient := io.Pipe()
	h := &hostile{requests: make(chan *wire.Request, wire.MaxRequests), out: wire.NewWriter(toClient), raw: toClient, quit: make(chan struct{}), ended: make(chan struct{}), last: new(wire.Request)}
	h.stop = sync.OnceFunc(func() {
		close(h.quit)
		_ = fromClient.Close()
		_ = toClient.Close()
	})
	go func() { // so that the client can always send
		defer close(h.requests)
		in := wire.NewReader(fromClient)
		for {
			req := new(wire.Request)
			if in.Next(req) != nil {
				return
			}
			if req.Data == nil && req.Cancel == nil {
				select {
				case h.requests <- req:
				case <-h.quit:
				}
			}
		}
	}()
	go func() {
		defer close(h.ended)
		play(h)
		_ = toClient.Close()
	}()
	beat := new(pulse)
	in := bufio.NewReaderSize(beat.reader(fromWorker), wire.MaxChatter)
	return newClient(h, &wire.Hello{Protocol: wire.Version}, in, beat.writer(toWorker), beat, o), h
}

func (h *hostile) end(time.Duration) bool            { h.stop(); <-h.ended; return true }
func (h *hostile) giveUp()                           { h.end(0) }
func (h *hostile) closeOutput()                      {}
func (h *hostile) fate() (syscall.Signal, int)       { return 0, 3 }
func (h *hostile) left(_ aftermath, _ string) string { return "" }
func (h *hostile) errors() *tail                     { return &h.stderr }
func (h *hostile) pid() int                          { return -1 }

// byte returns the next byte of the script, or 0.
func (h *hostile) byte() byte {
	if len(h.script) == 0 {
		return 0
	}
	b := h.script[0]
	h.script = h.script[1:]
	return b
}

// The steps of a script.
const (
	stepWait = iota // for the next request
	stepHonest
	stepReply
	stepData
	stepRaw
	stepWords
	stepSilence
	stepCount
)

func (h *hostile) step() error {
	switch h.byte() % stepCount {
	case stepWait:
		select {
		case req, ok := <-h.requests:
			if !ok {
				return io.EOF
			}
			h.last = req
		case <-h.quit:
			return io.EOF
		}
	case stepHonest:
		return h.out.Send(honest(h.last), nil)
	case stepReply:
		var reply wire.Reply
		fields := reflect.ValueOf(&reply).Elem()
		h.fill(fields.Field(1+int(h.byte())%(fields.NumField()-1)), 0)
		reply.ID = [...]uint64{h.last.ID, h.last.ID, h.last.ID, h.last.ID + 1, 0, 1 << 63}[h.byte()%6]
		return h.out.Send(&reply, nil)
	case stepData:
		return h.out.Send(&wire.Reply{ID: h.last.ID, Data: &wire.Data{}}, make([]byte, [...]int{0, 1, 4, 5, 8, 100, 1 << 10, wire.MaxPayload}[h.byte()%8]))
	case stepRaw:
		n := min(int(h.byte()), len(h.script))
		_, err := h.raw.Write(h.script[:n])
		h.script = h.script[n:]
		return err
	case stepWords:
		_, _ = h.stderr.Write([]byte(hostileWords[int(h.byte())%len(hostileWords)]))
	case stepSilence:
		<-h.quit
		return io.EOF
	}
	return nil
}

// hostileWords are the texts that a hostile worker sends.
var hostileWords = []string{"a", "b", "", "tensor", "seq(f32)", "map(i64,f32)", "optional(seq(f32))", "\x1b[2J\x1b]0;x\x07", "two\nlines\r", "\xff\xfe", "a\u202eb", strings.Repeat("long ", 2000), strings.Repeat("\x1b", 3000), "cpu", "sparse(f32)"}

// hostileNumbers are the numbers that it sends.
var hostileNumbers = []int64{0, 1, 2, 3, 4, 8, 10, 11, 100, -1, -8, 1 << 20, 1 << 31, 1 << 40, 1 << 62, 1<<63 - 1, -1 << 63}

// fill sets a value from the script.
func (h *hostile) fill(v reflect.Value, depth int) {
	if depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		h.fill(v.Elem(), depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && h.byte()%4 != 0 {
				h.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), int(h.byte())%5, 5))
		for i := range v.Len() {
			h.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range h.byte() % 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			h.fill(key, depth+1)
			h.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(hostileWords[int(h.byte())%len(hostileWords)])
	case reflect.Bool:
		v.SetBool(h.byte()%2 == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n := hostileNumbers[int(h.byte())%len(hostileNumbers)]; !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := uint64(hostileNumbers[int(h.byte())%len(hostileNumbers)]); !v.OverflowUint(n) {
			v.SetUint(n)
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(hostileNumbers[int(h.byte())%len(hostileNumbers)]))
	}
}

// honest returns the end of a right answer to a request, so that scripts get far.
func honest(req *wire.Request) *wire.Reply {
	r := &wire.Reply{ID: req.ID}
	for _, end := range []wire.Reply{
		{Loaded: &wire.Loaded{Provider: "cpu"}},
		{Samples: &wire.Samples{Runs: []time.Duration{1}}},
		{Stages: &wire.Stages{}},
		{MemoryUse: &wire.MemoryUse{}},
		{Opened: &wire.Opened{}},
		{Received: &wire.Received{}},
		{Dumped: &wire.Dumped{}},
		{Offered: &wire.Offered{}},
		{Compiled: &wire.Compiled{}},
		{Decoding: &wire.Decoding{}},
		{Generated: &wire.Generated{}},
		{Done: &wire.Done{}},
	} {
		if req.IsAnsweredBy(&end) {
			end.ID = r.ID
			return &end
		}
	}
	return r
}

// FuzzHostileWorker lets a hostile worker answer the real client. Whatever it sends, each call ends,
// each error is one short line that can be printed, and each result is one that was requested.
func FuzzHostileWorker(f *testing.F) {
	for _, script := range []string{
		"\x00\x01\x00\x01\x00\x01\x00\x01", "\x00\x02\x02\x01\x01\x01\x02", "\x00\x02\x03\x03\x00\x03\x01", "\x06", "\x00\x06", "\x05\x07\x00\x02\x07\x01\x01",
		"\x00\x04\x08\xff\xff\xff\xff\xff\xff\xff\xff", "\x04\x0b\x03\x00\x00\x00\x01\x00\x00\x00\xa1\x01\x02", "\x00\x02\x02\x01\x01\x01\x03\x01\x01\x00\x00\x00\x00\x03\x02\x01",
	} {
		for start := range byte(len(calls)) {
			f.Add(start, []byte(script))
		}
	}
	f.Fuzz(func(t *testing.T, start byte, script []byte) {
		if len(script) > 4096 {
			return
		}
		watchdog := time.AfterFunc(20*time.Second, func() {
			stacks := make([]byte, 1<<20)
			panic(fmt.Sprintf("a call does not end:\n%s", stacks[:runtime.Stack(stacks, true)]))
		})
		defer watchdog.Stop()
		var said sync.Map
		client, h := startHostile(script, Options{
			Grace: time.Second, Silence: 40 * time.Millisecond, MaxAnswer: 64 << 20, Sandbox: sandbox.Off,
			Note: func(line string) { said.Store(line, true) },
		})
		for i := range callNames {
			name := callNames[(i+int(start))%len(calls)]
			if err := calls[name](t, client, func(line string) { said.Store(line, true) }); err != nil {
				said.Store(err.Error(), true)
			}
		}
		_ = client.Close()
		<-h.ended
		said.Range(func(line, _ any) bool { checkLine(t, line.(string)); return true })
	})
}

// checkLine fails if a text is not one short line that can be printed.
func checkLine(t *testing.T, line string) {
	t.Helper()
	if line != text.CleanLine(line) || !utf8.ValidString(line) {
		t.Errorf("a line that cannot be printed: %.200q", line)
	}
	if n := utf8.RuneCountInString(line); n > 2*maxLineRunes {
		t.Errorf("a line of %d characters: %.200q", n, line)
	}
}

// callNames are the keys of calls, in a fixed order.
var callNames = []string{"load", "compile", "run all", "run", "look", "bind", "block", "stages", "decode", "generate", "memory", "placed", "profile", "dump", "open", "machine", "devices", "close"}

// hostileSession returns a model with the outputs a and b that a worker has loaded.
func hostileSession(c *Client) *Session {
	return &Session{client: c, id: 1 << 40, model: "m.onnx", loaded: &wire.Loaded{}, outputs: []ValueInfo{{Name: "a"}, {Name: "b"}}}
}

var calls = map[string]func(t *testing.T, c *Client, say func(string)) error{
	"load": func(t *testing.T, c *Client, say func(string)) error {
		s, err := c.Load(context.Background(), Model{Path: "m.onnx"}, SessionOptions{Progress: say})
		if err != nil {
			return err
		}
		for _, r := range s.Refused() {
			say(r.String())
		}
		for _, port := range append(s.Inputs(), s.Outputs()...) {
			for _, d := range port.Dims {
				if d.Value < -1 {
					t.Errorf("a size of %d", d.Value)
				}
			}
		}
		say(s.Provider())
		return nil
	},
	"compile": func(_ *testing.T, c *Client, say func(string)) error {
		done, err := c.Compile(context.Background(), Model{Path: "m.onnx"}, SessionOptions{Progress: say}, Target{Path: "x"})
		say(done.Provider)
		return err
	},
	"run all": func(t *testing.T, c *Client, _ func(string)) error {
		return hostileSession(c).Run(context.Background(), nil, nil, gather(t, []graphops.Want{{Name: "a", Elements: true}, {Name: "b", Elements: true}}))
	},
	"run": func(t *testing.T, c *Client, _ func(string)) error {
		return hostileSession(c).Hold(context.Background(), nil, wanted, gather(t, wanted))
	},
	"look": func(t *testing.T, c *Client, _ func(string)) error {
		return hostileSession(c).Look(context.Background(), wanted, gather(t, wanted))
	},
	"bind": func(_ *testing.T, c *Client, _ func(string)) error {
		return hostileSession(c).Bind(context.Background(), nil, Binding{})
	},
	"block": func(t *testing.T, c *Client, _ func(string)) error {
		runs, err := hostileSession(c).Block(context.Background(), 10, time.Second)
		checkDurations(t, runs, 10)
		return err
	},
	"stages": func(t *testing.T, c *Client, _ func(string)) error {
		st, err := hostileSession(c).Stages(context.Background(), 10, time.Second)
		if st != nil {
			checkDurations(t, st.Complete, 10)
		}
		return err
	},
	"decode": func(_ *testing.T, c *Client, _ func(string)) error {
		_, err := hostileSession(c).Decode(context.Background(), Decode{})
		return err
	},
	"generate": func(t *testing.T, c *Client, _ func(string)) error {
		g, err := hostileSession(c).Generate(context.Background(), Generation{Steps: 4})
		if g != nil && (len(g.Steps) > 4 || len(g.Tokens) != len(g.Margins)) {
			t.Errorf("%d steps, %d tokens", len(g.Steps), len(g.Tokens))
		}
		return err
	},
	"memory": func(_ *testing.T, c *Client, _ func(string)) error {
		_, err := hostileSession(c).Memory(context.Background())
		return err
	},
	"placed": func(_ *testing.T, c *Client, _ func(string)) error {
		nodes, log, err := hostileSession(c).Placed(context.Background())
		PlacementOf(nodes, log, "cpu")
		return err
	},
	"profile": func(_ *testing.T, c *Client, _ func(string)) error {
		return hostileSession(c).EndProfile(context.Background(), io.Discard)
	},
	"dump": func(_ *testing.T, c *Client, _ func(string)) error {
		_, err := hostileSession(c).Dump(context.Background())
		return err
	},
	"open": func(_ *testing.T, c *Client, _ func(string)) error {
		_, err := c.Open(context.Background(), "m.onnx", nil)
		return err
	},
	"machine": func(_ *testing.T, c *Client, _ func(string)) error {
		_, err := c.Machine(context.Background())
		return err
	},
	"devices": func(_ *testing.T, c *Client, _ func(string)) error {
		_, err := c.Devices(context.Background(), "x.so")
		return err
	},
	"close": func(_ *testing.T, c *Client, _ func(string)) error { return hostileSession(c).Close() },
}

// wanted has each kind of result about a value.
var wanted = []graphops.Want{
	{Name: "a", First: 3, Profile: true, Grid: &graphops.GridWant{Rows: 2, Columns: 2}},
	{Name: "b", Elements: true, Window: &graphops.WindowWant{Window: tensor.Window{Rows: 2, Columns: 2}}, Extent: true, Bins: &calibration.Bins{Elem: tensor.F32, Edges: []float64{0, 1, 2}}},
}

// gather returns a function that checks each value of an answer.
func gather(t *testing.T, want []graphops.Want) func(graphops.Got) error {
	n := 0
	return func(g graphops.Got) error {
		if n >= len(want) || g.Name != want[n].Name {
			t.Fatalf("value %d is %q", n, g.Name)
		}
		w := want[n]
		n++
		tensors := 0
		for at, v := range g.Value.Tensors() {
			tensors++
			if err := v.Check(); w.Elements && err != nil {
				t.Errorf("tensor %q: %v", at, err)
			}
		}
		if wantsParts(w) && len(g.Parts) != tensors {
			t.Errorf("%d parts of %d tensors", len(g.Parts), tensors)
		}
		return nil
	}
}

func checkDurations(t *testing.T, list []time.Duration, most int) {
	t.Helper()
	if len(list) > most {
		t.Errorf("%d times, %d requested", len(list), most)
	}
	for _, d := range list {
		if d < 0 {
			t.Errorf("a run took %v", d)
		}
	}
}
