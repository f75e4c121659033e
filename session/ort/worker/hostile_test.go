//go:build cgo

package worker_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"lathe/session/ort/wire"
)

// spelled are the texts that a hostile client sends, and numbered the numbers.
var (
	spelled  = []string{"x", "y", "", "tensor", "seq(f32)", "map(i64,f32)", "\x1b[2J", "\xff", "no-such/file", "../up", "cpu"}
	numbered = []int64{0, 1, 2, 3, 4, 8, 10, 100, -1, -8, 1 << 20, 1 << 31, 1 << 62, 1<<63 - 1, -1 << 63}
)

// client plays a hostile client from a script.
type client struct{ script []byte }

func (c *client) byte() byte {
	if len(c.script) == 0 {
		return 0
	}
	b := c.script[0]
	c.script = c.script[1:]
	return b
}

// fill sets a value from the script.
func (c *client) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		c.fill(v.Elem(), depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if depth < 6 && c.byte()%3 != 0 {
				c.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), int(c.byte())%4, 4))
		for i := range v.Len() {
			c.fill(v.Index(i), depth+1)
		}
	case reflect.String:
		v.SetString(spelled[int(c.byte())%len(spelled)])
	case reflect.Bool:
		v.SetBool(c.byte()%2 == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n := numbered[int(c.byte())%len(numbered)]; !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := uint64(numbered[int(c.byte())%len(numbered)]); !v.OverflowUint(n) {
			v.SetUint(n)
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(numbered[int(c.byte())%len(numbered)]))
	}
}

// lastID is the id of a request that shows that a worker still answers. No script has it.
const lastID = 1 << 50

// FuzzHostileClient sends sequences of requests to a real worker that has loaded a model. Whatever they
// are, the worker answers a further request, or ends with status 1 and one line that says why.
func FuzzHostileClient(f *testing.F) {
	for kind := range byte(reflect.TypeFor[wire.Request]().NumField()) {
		f.Add([]byte{kind, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
		f.Add([]byte{kind, 2, 2, 1, 4, 5, 7, 8, 13, 11, 12, 14, 7, 2, 1, kind, 2, 2, 2, 2})
	}
	folder := f.TempDir()
	var kept *rawWorker
	base := uint64(2) // of the ids of a script, which are new
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 512 {
			return
		}
		if kept == nil {
			kept = launchRaw(t, folder)
			kept.loadIdentity(1)
		}
		w := kept
		watchdog := time.AfterFunc(20*time.Second, func() {
			panic(fmt.Sprintf("the worker does not answer after %q", script))
		})
		defer watchdog.Stop()
		base += 8
		w.t = t
		c := &client{script: script}
		ended := false
		for len(c.script) > 0 && !ended {
			var req wire.Request
			fields := reflect.ValueOf(&req).Elem()
			c.fill(fields.Field(1+int(c.byte())%(fields.NumField()-1)), 0)
			if limits := req.Block; limits != nil {
				limits.Duration = min(limits.Duration, 10*time.Millisecond)
			}
			if limits := req.StageRuns; limits != nil {
				limits.Duration = min(limits.Duration, 10*time.Millisecond)
			}
			req.ID = base + uint64(c.byte())%8
			if req.ID == base+7 {
				req.ID = 0 // which no request may have
			}
			var payload []byte
			if req.Data != nil {
				payload = make([]byte, c.byte())
			}
			ended = w.out.Send(&req, payload) != nil
		}
		if !ended {
			ended = w.out.Send(&wire.Request{ID: lastID, Unload: &wire.Unload{Session: 1 << 60}}, nil) != nil
		}
		for !ended {
			var reply wire.Reply
			ended = w.in.Next(&reply) != nil
			if reply.ID == lastID {
				break
			}
		}
		if ended {
			w.ended(1, "")
			if said := w.stderr.String(); strings.Contains(said, "panic") || strings.Contains(said, "goroutine ") {
				t.Errorf("the worker said %q", said)
			}
			kept = nil
		} else if !forget(w, base) {
			kept = nil
		}
	})
}

// forget cancels what a script has left unfinished. It reports whether the worker can be used again.
func forget(w *rawWorker, base uint64) bool {
	for id := range uint64(8) {
		if w.out.Send(&wire.Request{ID: lastID + 1, Cancel: &wire.Cancel{Request: base + id}}, nil) != nil {
			return false
		}
	}
	return true
}
