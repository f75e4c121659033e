//go:build cgo

package worker_test

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/wire"
	"lathe/session/ort/workertest"
)

// rawWorker is a worker without a client, for requests that no client sends.
type rawWorker struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *wire.Writer
	in     *wire.Reader
	stderr bytes.Buffer
}

func startRaw(t *testing.T) *rawWorker {
	t.Helper()
	w := launchRaw(t, t.TempDir())
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	return w
}

// launchRaw starts a worker in a folder. It ends when its input does.
func launchRaw(t *testing.T, folder string) *rawWorker {
	t.Helper()
	o := workertest.Options(t)
	w := &rawWorker{t: t, cmd: exec.Command(o.Command[0], "--runtime", o.Library)}
	w.cmd.Env, w.cmd.Stderr, w.cmd.Dir = o.Env, &w.stderr, folder
	var err error
	if w.stdin, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReaderSize(stdout, wire.MaxChatter)
	if chatter, err := wire.SkipToGreeting(in); err != nil || len(chatter) > 0 {
		t.Fatalf("%q, %v", chatter, err)
	}
	w.out, w.in = wire.NewWriter(w.stdin), wire.NewReader(in)
	if hello := w.receive().Hello; hello == nil || hello.Protocol != wire.Version || hello.PID != int64(w.cmd.Process.Pid) {
		t.Fatalf("hello: %+v", hello)
	}
	return w
}

func (w *rawWorker) send(req *wire.Request, payload string) {
	w.t.Helper()
	if err := w.out.Send(req, []byte(payload)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *rawWorker) receive() *wire.Reply {
	w.t.Helper()
	var reply wire.Reply
	if err := w.in.Next(&reply); err != nil {
		w.t.Fatal(err)
	}
	return &reply
}

// refused sends a request that must end in an error with some text.
func (w *rawWorker) refused(req *wire.Request, text string) {
	w.t.Helper()
	w.send(req, "")
	reply := w.receive()
	if reply.ID != req.ID || reply.Error == nil || !strings.Contains(reply.Error.Message, text) {
		w.t.Errorf("%v: got %v, want an error with %q", req, reply, text)
	}
}

// loadIdentity returns the session's id.
func (w *rawWorker) loadIdentity(id uint64) uint64 {
	w.t.Helper()
	model := ort.IdentityModel()
	w.send(&wire.Request{ID: id, Load: &wire.Load{Source: wire.FromModel, Bytes: int64(len(model))}}, "")
	w.send(&wire.Request{ID: id, Data: &wire.Data{}}, string(model))
	for {
		switch reply := w.receive(); {
		case reply.Loaded != nil:
			return id
		case reply.Progress == nil:
			w.t.Fatalf("loading: %v", reply)
		}
	}
}

func runRequest(id, session uint64, feeds ...wire.Value) *wire.Request {
	return &wire.Request{ID: id, Run: &wire.Run{Session: session, Feeds: feeds}}
}

// Requests that make no sense, or claim what no machine has, are refused, and
// the worker serves the next.
func TestRefusedRequests(t *testing.T) {
	w := startRaw(t)
	session := w.loadIdentity(1)
	w.refused(&wire.Request{ID: 2}, "not known")
	w.refused(&wire.Request{ID: 3, Load: &wire.Load{}}, "neither a path nor bytes")
	w.refused(&wire.Request{ID: 4, Load: &wire.Load{Source: wire.FromModel, Bytes: -1}}, "-1 bytes")
	w.refused(runRequest(5, 99), "there is no session 99")
	w.refused(&wire.Request{ID: 6, Unload: &wire.Unload{Session: 99}}, "there is no session 99")
	w.refused(runRequest(7, session, wire.Value{Name: "x", Kind: "tensor", DType: 1, Dims: []int64{1 << 55}, Bytes: 1 << 57}), "std::bad_alloc")
	w.refused(runRequest(8, session, wire.Value{Name: "x", Kind: "tensor", DType: 1, Dims: []int64{-1}}), "negative dimension")
	w.refused(runRequest(9, session, wire.Value{Name: "x", Kind: "tensor", DType: 1, Dims: []int64{2}, Bytes: 4}), "takes 8 bytes, 4 were announced")
	w.refused(runRequest(10, session, wire.Value{Name: "x", Kind: "tensor", DType: 99, Dims: []int64{2}, Bytes: 8}), "no fixed size")
	w.refused(runRequest(11, session, wire.Value{Name: "x", Kind: "tensor", DType: 14, Dims: []int64{2}, Bytes: 16}), "tensor type 14 is not supported")
	w.refused(runRequest(12, session, wire.Value{Name: "x", Kind: "tensor", DType: 8, Dims: []int64{1 << 40}, Bytes: 1}), "cannot hold")
	w.refused(runRequest(13, session), `input "x" is missing`)
	w.loadIdentity(14)
}

// Data for a request that was refused or cancelled is passed over.
func TestDataWithoutRequest(t *testing.T) {
	w := startRaw(t)
	session := w.loadIdentity(1)
	data := func(id uint64) *wire.Request {
		return &wire.Request{ID: id, Data: &wire.Data{}}
	}
	w.send(data(77), "nobody waits for this")
	w.send(runRequest(2, session, wire.Value{Name: "x", Kind: "tensor", DType: 1, Bytes: 4}), "")
	w.send(data(2), "ab")
	w.send(&wire.Request{ID: 3, Cancel: &wire.Cancel{Request: 2}}, "")
	if reply := w.receive(); reply.ID != 2 || reply.Error == nil || !reply.Error.Canceled {
		t.Errorf("cancelled: %v", reply)
	}
	w.send(data(2), "cd")
	w.loadIdentity(4)
}

// A worker that is busy inside the runtime reports that it is alive.
func TestAlive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := startRaw(t)
	model := loop(t)
	w.send(&wire.Request{ID: 1, Load: &wire.Load{Source: wire.FromModel, Bytes: int64(len(model))}}, "")
	w.send(&wire.Request{ID: 1, Data: &wire.Data{}}, string(model))
	for w.receive().Loaded == nil {
	}
	begin := time.Now()
	w.send(runRequest(2, 1, wire.Value{Name: "times", Kind: "tensor", DType: tensor.I64, Bytes: 8}), "")
	w.send(&wire.Request{ID: 2, Data: &wire.Data{}}, string(endless()["times"].Data))
	for range 2 {
		if reply := w.receive(); reply.Alive == nil || reply.ID != 0 {
			t.Fatalf("got %+v", reply)
		}
	}
	if took := time.Since(begin); took < 2*wire.AliveEvery {
		t.Errorf("two reports within %v", took)
	}
}

// What is against the protocol ends the worker with an exit code and a word.
func TestBrokenProtocol(t *testing.T) {
	tests := []struct{ name, bytes, text string }{
		{"huge frame", "\xff\xff\xff\xff\x00\x00\x00\x00", "a frame is too large"},
		{"huge payload", "\x00\x00\x00\x00\xff\xff\xff\xff", "a frame is too large"},
		{"not a message", "\x01\x00\x00\x00\x00\x00\x00\x00\xff", "decoding a message"},
		{"no id", "\x01\x00\x00\x00\x00\x00\x00\x00\xa0\n", "a request has no id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := startRaw(t)
			if _, err := io.WriteString(w.stdin, tt.bytes); err != nil {
				t.Fatal(err)
			}
			w.ended(1, tt.text)
		})
	}
	t.Run("too much data", func(t *testing.T) {
		w := startRaw(t)
		w.send(&wire.Request{ID: 1, Load: &wire.Load{Source: wire.FromModel, Bytes: 3}}, "")
		w.send(&wire.Request{ID: 1, Data: &wire.Data{}}, "abcd")
		w.ended(1, "4 bytes of data arrived, but 3 of 3 are missing")
	})
	t.Run("an id in use", func(t *testing.T) {
		w := startRaw(t)
		load := &wire.Request{ID: 1, Load: &wire.Load{Source: wire.FromModel, Bytes: 3}}
		w.send(load, "")
		w.send(load, "")
		w.ended(1, "request 1: its id is in use")
	})
	t.Run("the id of a session", func(t *testing.T) {
		w := startRaw(t)
		w.loadIdentity(1)
		w.send(&wire.Request{ID: 1, Load: &wire.Load{Source: wire.FromModel, Bytes: 3}}, "")
		w.ended(1, "request 1: its id is in use")
	})
	t.Run("too many requests", func(t *testing.T) {
		w := startRaw(t)
		for id := range uint64(wire.MaxRequests + 1) {
			w.send(&wire.Request{ID: id + 1, Load: &wire.Load{Source: wire.FromModel, Bytes: 3}}, "")
		}
		w.ended(1, "256 requests are in progress, which is the limit")
	})
	t.Run("end in a frame", func(t *testing.T) {
		w := startRaw(t)
		if _, err := io.WriteString(w.stdin, "\x01\x00"); err != nil {
			t.Fatal(err)
		}
		if err := w.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		w.ended(1, "unexpected EOF")
	})
	t.Run("end", func(t *testing.T) {
		w := startRaw(t)
		if err := w.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		w.ended(0, "")
	})
}

func (w *rawWorker) ended(code int, text string) {
	w.t.Helper()
	_ = w.cmd.Wait() // the exit code tells
	if got := w.cmd.ProcessState.ExitCode(); got != code || !strings.Contains(w.stderr.String(), text) {
		w.t.Errorf("exit code %d and %q, want %d and %q", got, w.stderr.String(), code, text)
	}
}

// done waits for the end of a request and gives the values that came before it,
// with the bytes that follow each.
func (w *rawWorker) done(id uint64) (values []wire.Value, data []string) {
	w.t.Helper()
	for {
		switch reply := w.receive(); {
		case reply.Done != nil && reply.ID == id:
			return values, data
		case reply.Value != nil:
			values, data = append(values, *reply.Value), append(data, "")
		case reply.Data != nil:
			payload := make([]byte, w.in.Payload())
			if err := w.in.ReadPayload(payload); err != nil {
				w.t.Fatal(err)
			}
			data[len(data)-1] += string(payload)
		default:
			w.t.Fatalf("request %d: %v", id, reply)
		}
	}
}

// What one session holds is compared with what another one does, and none of it
// leaves the worker.
func TestAgainstHeld(t *testing.T) {
	w := startRaw(t)
	first, second := w.loadIdentity(1), w.loadIdentity(2)
	hold := func(id, session uint64, x string) {
		w.send(&wire.Request{ID: id, Run: &wire.Run{
			Session: session, Hold: true, Want: []wire.Want{{Name: "y"}},
			Feeds: []wire.Value{{Name: "x", Kind: "tensor", DType: 1, Bytes: 4}},
		}}, "")
		w.send(&wire.Request{ID: id, Data: &wire.Data{}}, x)
		if values, data := w.done(id); len(values) != 1 || !values[0].Bare || data[0] != "" {
			t.Errorf("holding gave %v with %q", values, data)
		}
	}
	hold(3, first, "\x00\x00\x80\x3f")  // 1
	hold(4, second, "\x00\x00\x20\x40") // 2.5
	look := func(id, held uint64, name string) *wire.Request {
		return &wire.Request{ID: id, Look: &wire.Look{Session: second, Want: []wire.Want{
			{Name: "y", Against: &wire.Against{Session: held, Held: name}},
		}}}
	}
	w.send(look(5, first, "y"), "")
	values, data := w.done(5)
	if len(values) != 1 || values[0].PartBytes != int64(len(data[0])) {
		t.Fatalf("got %v with %d bytes", values, len(data[0]))
	}
	parts, err := wire.DecodeParts([]byte(data[0]), wire.MaxDecoded)
	if err != nil || len(parts) != 1 || parts[0].Metrics == nil || parts[0].Metrics.MaxAbs != 1.5 {
		t.Errorf("got %+v, %v; want an error of 1.5", parts, err)
	}
	w.refused(look(6, first, "z"), `no run has kept a value "z"`)
	w.refused(look(7, 99, "y"), "there is no session 99")
}
