package ort_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/session/ort"
	"lathe/session/ort/wire"
)

// fakeMode in the environment makes this test program behave like a worker, or
// like something that is none.
const fakeMode = "LATHE_TEST_FAKE"

// fakes are the behaviours, by name. A fake that returns ends with status 0.
var fakes = map[string]func(){
	"exits":    func() { fmt.Fprintln(os.Stderr, "first\nsomething is \x1b[1mmissing\x1b[m"); os.Exit(3) },
	"prints":   func() { fmt.Println("this is not the machine you look for") },
	"garbage":  func() { writeForever([]byte("garbage\n")) },
	"silent":   func() { waitForever() },
	"mute":     func() { os.Stdout.Close(); waitForever() },
	"greets":   func() { fmt.Print(wire.Greeting) },
	"raw":      func() { fmt.Print(wire.Greeting + "\xff\xff\xff\xff\xff\xff\xff\xff"); waitForever() },
	"newer":    func() { hello(wire.Version + 1); waitForever() },
	"older":    func() { fmt.Print(wire.Greeting + helloOfProtocol10); waitForever() },
	"refuses":  func() { refuse("the library is too old") },
	"works":    func() { serve(hello(wire.Version), respond) },
	"chatters": func() { fmt.Print(strings.Repeat("welcome\n", 8000)); serve(hello(wire.Version), respond) },
	"deaf":     func() { hello(wire.Version); waitForever() },
	"dies":     func() { serve(hello(wire.Version), func(*wire.Writer, *wire.Request) { os.Exit(7) }) },
	"outgrows": func() {
		serve(hello(wire.Version), func(out *wire.Writer, _ *wire.Request) {
			send(out, &wire.Reply{Error: &wire.Error{Message: "it passed the memory limit of 5 bytes"}})
			os.Exit(1)
		})
	},
	"warns": func() {
		serve(hello(wire.Version), func(out *wire.Writer, req *wire.Request) {
			if req.Load == nil {
				fmt.Fprintln(os.Stderr, "something broke\n[W] graph.cc: a warning")
				os.Exit(7)
			}
			fmt.Fprintln(os.Stderr, "earlier words")
			time.Sleep(50 * time.Millisecond) // until they have been read
			respond(out, req)
		})
	},
	"floods": func() {
		serve(hello(wire.Version), func(*wire.Writer, *wire.Request) {
			fmt.Fprint(os.Stderr, strings.Repeat("noise\n", 1<<20), "last words")
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})
	},
	"alive": func() {
		serve(hello(wire.Version), func(out *wire.Writer, req *wire.Request) {
			for range 30 {
				time.Sleep(50 * time.Millisecond)
				send(out, &wire.Reply{Alive: &wire.Alive{}})
			}
			respond(out, req)
		})
	},
	"slow": func() {
		serve(hello(wire.Version), func(out *wire.Writer, req *wire.Request) {
			if req.Run == nil {
				respond(out, req)
				return
			}
			for _, name := range []string{"a", "b"} {
				send(out, &wire.Reply{ID: req.ID, Value: &wire.Value{Name: name, Kind: "tensor", DType: 2, Dims: []int64{30}, Bytes: 30}})
				for range 30 {
					time.Sleep(50 * time.Millisecond)
					sendData(out, req.ID, []byte{1})
				}
			}
			send(out, &wire.Reply{ID: req.ID, Done: &wire.Done{}})
		})
	},
	"unknown request": misbehave(func(out *wire.Writer, id uint64) { send(out, &wire.Reply{ID: id + 1, Done: &wire.Done{}}) }),
	"no body":         misbehave(func(out *wire.Writer, id uint64) { _ = out.Send(&wire.Reply{ID: id}, nil) }),
	"stray data":      misbehave(func(out *wire.Writer, id uint64) { sendData(out, id, []byte{1}) }),
	"wrong size": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 1, Dims: []int64{2}, Bytes: 1 << 60}})
	}),
	"unknown type": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 99, Bytes: 4}})
	}),
	"too much data": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 1, Bytes: 4}})
		sendData(out, id, make([]byte, 5))
	}),
	"half a value": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 1, Bytes: 4}})
		send(out, &wire.Reply{ID: id, Done: &wire.Done{}})
	}),
	"bad strings": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 8, Dims: []int64{2}, Bytes: 2}})
		sendData(out, id, []byte{0, 9})
	}),
	"another value": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "\x1b[2Jb", Kind: "tensor", DType: 1, Bytes: 4}})
	}),
	"too few values": misbehave(func(out *wire.Writer, id uint64) { send(out, &wire.Reply{ID: id, Done: &wire.Done{}}) }),
	"no elements": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 1, Dims: []int64{4}, Bare: true}})
	}),
	"parts of nothing": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 1, Bytes: 4, PartBytes: 1 << 62}})
	}),
	"a map of three": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: "a", Kind: "map(i64,f32)", Items: make([]wire.Value, 3)}})
	}),
	"unwanted content": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Content: &wire.Content{Bytes: 1 << 62}})
	}),
	"payload of no data": misbehave(func(*wire.Writer, uint64) { fmt.Print("\x03\x00\x00\x00\x01\x00\x00\x00\xa1\x01\x02x\n") }),
	"two at once": misbehave(func(out *wire.Writer, id uint64) {
		send(out, &wire.Reply{ID: id, Done: &wire.Done{}, Alive: &wire.Alive{}})
	}),
	"another end": misbehave(func(out *wire.Writer, id uint64) { send(out, &wire.Reply{ID: id, Samples: &wire.Samples{}}) }),
	"huge frame":  misbehave(func(*wire.Writer, uint64) { fmt.Print("\xff\xff\xff\x7f\x00\x00\x00\x00") }),
	// Announces more than any machine has and sends a little of it.
	"huge value": func() {
		serve(hello(wire.Version), func(out *wire.Writer, req *wire.Request) {
			if req.Load != nil {
				respond(out, req)
				return
			}
			send(out, &wire.Reply{ID: req.ID, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 2, Dims: []int64{1 << 50}, Bytes: 1 << 50}})
			sendData(out, req.ID, make([]byte, 100))
			os.Exit(9)
		})
	},
	"another answer": func() {
		serve(hello(wire.Version), func(out *wire.Writer, req *wire.Request) {
			send(out, &wire.Reply{ID: req.ID, Samples: &wire.Samples{}})
		})
	},
}

// helloOfProtocol10 is the first frame of a worker that speaks protocol 10, whose messages are
// protobuf.
const helloOfProtocol10 = "\x14\x00\x00\x00\x00\x00\x00\x00" +
	"\x12\x12\x08\x0a\x10\xd2\x09\x1a\x040.90\x2a\x051.2.3\n"

// TestFakeWorker is no test: it is what the fakes run in.
func TestFakeWorker(t *testing.T) {
	mode := os.Getenv(fakeMode)
	if mode == "" {
		t.Skip("started by other tests, as a worker")
	}
	fakes[mode]()
	os.Exit(0)
}

// fake starts this program as one of the fakes.
func fake(t *testing.T, mode string) ort.Options {
	t.Helper()
	if fakes[mode] == nil {
		t.Fatalf("there is no fake %q", mode)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return ort.Options{
		Command: []string{self, "-test.run=^TestFakeWorker$"},
		// Under the race detector a program lingers for a second when it ends.
		Env:   append(os.Environ(), fakeMode+"="+mode, "GORACE=atexit_sleep_ms=0"),
		Grace: 200 * time.Millisecond,
	}
}

// waitForever does not even notice that its input has ended.
func waitForever() { time.Sleep(time.Hour) }

func writeForever(p []byte) {
	for {
		if _, err := os.Stdout.Write(p); err != nil {
			waitForever()
		}
	}
}

func hello(version uint32) *wire.Writer {
	fmt.Print(wire.Greeting)
	out := wire.NewWriter(os.Stdout)
	send(out, &wire.Reply{Hello: &wire.Hello{
		Protocol: version, PID: int64(os.Getpid()), LatheVersion: "fake", LibraryVersion: "1.2.3",
	}})
	return out
}

func refuse(message string) {
	fmt.Print(wire.Greeting)
	send(wire.NewWriter(os.Stdout), &wire.Reply{Error: &wire.Error{Message: message}})
}

func serve(out *wire.Writer, respond func(*wire.Writer, *wire.Request)) {
	in := wire.NewReader(bufio.NewReader(os.Stdin))
	for {
		var req wire.Request
		if err := in.Next(&req); errors.Is(err, io.EOF) {
			os.Exit(0)
		} else if err != nil {
			panic(err)
		}
		respond(out, &req)
	}
}

// respond loads anything, as a model with the outputs a and b, and answers a run with empty sequences.
func respond(out *wire.Writer, req *wire.Request) {
	id := req.ID
	switch {
	case req.Load != nil:
		send(out, &wire.Reply{ID: id, Loaded: &wire.Loaded{Provider: "cpu", Outputs: []wire.Port{{Name: "a", Kind: "tensor", DType: 1}, {Name: "b", Kind: "tensor", DType: 1}}}})
	case req.Run != nil:
		for _, name := range []string{"a", "b"} {
			send(out, &wire.Reply{ID: id, Value: &wire.Value{Name: name, Kind: "seq(f32)"}})
		}
		send(out, &wire.Reply{ID: id, Done: &wire.Done{}})
	case req.Unload != nil:
		send(out, &wire.Reply{ID: id, Done: &wire.Done{}})
	}
}

// misbehave loads and then answers the first run wrongly.
func misbehave(wrong func(*wire.Writer, uint64)) func() {
	return func() {
		serve(hello(wire.Version), func(out *wire.Writer, req *wire.Request) {
			if req.Load != nil {
				respond(out, req)
				return
			}
			wrong(out, req.ID)
			waitForever()
		})
	}
}

func send(out *wire.Writer, reply *wire.Reply) {
	if err := out.Send(reply, nil); err != nil {
		panic(err)
	}
}

func sendData(out *wire.Writer, id uint64, payload []byte) {
	if err := out.Send(&wire.Reply{ID: id, Data: &wire.Data{}}, payload); err != nil {
		panic(err)
	}
}
