//go:build linux

package launch

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/command/commandtest"
)

// measured is the program in a pseudo-terminal that notes when bytes come.
type measured struct {
	b       *testing.B
	process *os.Process
	keys    *os.File

	mu    sync.Mutex
	out   []byte // since the last key
	last  time.Time
	since time.Time // when the last key was sent
}

// quiet is how long nothing is written after a frame, because what is computed in the background can
// come with a second one. frame is the longest time between two keys beyond that.
const (
	quiet = 30 * time.Millisecond
	frame = time.Second / 60
)

// question asks for the type of the terminal, which real terminals answer. Frames do not contain it.
const question = "\x1b[c"

func measure(b *testing.B, model string, w, h uint16) *measured {
	b.Helper()
	cmd := commandtest.Process(b, model)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "XDG_STATE_HOME="+b.TempDir(), "XDG_DATA_HOME="+b.TempDir())
	x := &measured{b: b}
	var err error
	if x.keys, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: h, Cols: w}); err != nil {
		b.Fatal(err)
	}
	x.process = cmd.Process
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = x.keys.Close()
	})
	go x.read()
	return x
}

func (x *measured) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := x.keys.Read(buf)
		if err != nil {
			return
		}
		at := time.Now()
		x.mu.Lock()
		x.out = append(x.out, buf[:n]...)
		if len(bytes.ReplaceAll(buf[:n], []byte(question), nil)) > 0 {
			x.last = at
		}
		x.mu.Unlock()
		if bytes.Contains(buf[:n], []byte(question)) {
			_, _ = x.keys.WriteString("\x1b[?62c")
		}
	}
}

// sees waits for a text since the last key.
func (x *measured) sees(text string) {
	x.b.Helper()
	commandtest.Eventually(x.b, text, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return bytes.Contains(x.out, []byte(text))
	})
}

// press sends a key, and returns how long it takes until the last byte of its frame, and how many
// bytes it costs.
func (x *measured) press(key string) (took time.Duration, cost int) {
	x.b.Helper()
	time.Sleep(time.Duration(rand.Int64N(int64(frame)))) // people do not press keys at the ticks of a renderer
	x.mu.Lock()
	x.out, x.since, x.last = nil, time.Now(), time.Time{}
	x.mu.Unlock()
	if _, err := x.keys.WriteString(key); err != nil {
		x.b.Fatal(err)
	}
	for {
		time.Sleep(time.Millisecond)
		x.mu.Lock()
		n, last := len(x.out), x.last
		x.mu.Unlock()
		switch {
		case n > 0 && !last.IsZero() && time.Since(last) > quiet:
			return last.Sub(x.since), n
		case time.Since(x.since) > 10*time.Second:
			x.b.Fatalf("nothing follows key %q", key)
		}
	}
}

// rest waits until the program has done its work in the background, which is when it has used hardly
// any time of a processor for a while.
func (x *measured) rest() {
	x.b.Helper()
	for before := x.ticks(); ; {
		time.Sleep(time.Second)
		after := x.ticks()
		if after-before <= 3 { // of 10 ms each
			return
		}
		before = after
	}
}

// ticks returns the processor time that the program has used, in clock ticks.
func (x *measured) ticks() int {
	x.b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", x.process.Pid))
	if err != nil {
		x.b.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	if err := errors.Join(errUser, errSystem); err != nil {
		x.b.Fatal(err)
	}
	return user + system
}

// largeModel writes a model of n nodes in modules, with names as exporters write them.
func largeModel(b *testing.B, n int) string {
	b.Helper()
	var text strings.Builder
	text.WriteString("input x f32[1,64]\ninit w f32[64,64] 0\noutput y f32[1,64]\n")
	last := "x"
	for i := range n {
		made := fmt.Sprintf("/model/layers.%d/value_%d", i/12, i)
		if i == n-1 {
			made = "y"
		}
		op, more := "MatMul", ", w"
		if i%3 == 1 {
			op, more = "Relu", ""
		}
		fmt.Fprintf(&text, "/model/layers.%d/%s_%d: %s = %s(%s%s)\n", i/12, strings.ToLower(op), i, made, op, last, more)
		last = made
	}
	path := filepath.Join(b.TempDir(), "large.onnx")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := graphops.Write(f, graphtest.Model(b, text.String())); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkKeyThroughTerminal measures how long a key takes in the whole program until its frame is
// complete, and what it costs in bytes, with 100,000 nodes. A move should take at most 20 ms in 95 of
// 100 cases, and cost at most 500 bytes unless the list scrolls, which at most one move in 16 makes it
// do (80×24), so the 90th percentile shows it. One iteration is one key:
//
//	go test ./tui/launch -run '^$' -bench KeyThroughTerminal -benchtime 400x
func BenchmarkKeyThroughTerminal(b *testing.B) {
	path := largeModel(b, 100_000)
	for _, size := range []struct{ w, h uint16 }{{80, 24}, {120, 40}, {200, 50}} {
		for _, place := range []struct {
			name string
			keys []string
		}{{"list", nil}, {"tree", []string{"1", "*"}}} {
			b.Run(fmt.Sprintf("%dx%d/%s", size.w, size.h, place.name), func(b *testing.B) {
				x := measure(b, path, size.w, size.h)
				x.sees("parameters")
				x.rest()
				for _, key := range place.keys {
					x.press(key)
				}
				x.rest()
				for _, kind := range []struct {
					name string
					keys []string // pressed in turn
				}{{"move", []string{"j"}}, {"back", []string{"k"}}, {"page", []string{"\x06", "\x02"}}, {"jump", []string{"G", "g"}}} {
					b.Run(kind.name, func(b *testing.B) { x.b = b; x.series(b, kind.keys) })
				}
			})
		}
	}
}

// series measures keys that are pressed in turn.
func (x *measured) series(b *testing.B, keys []string) {
	b.Helper()
	var took []time.Duration
	var costs []int
	sum, before := 0, x.ticks()
	for i := 0; b.Loop(); i++ {
		t, n := x.press(keys[i%len(keys)])
		took, costs, sum = append(took, t), append(costs, n), sum+n
	}
	slices.Sort(took)
	slices.Sort(costs)
	at := func(percent int) float64 { return float64(took[(len(took)-1)*percent/100].Microseconds()) / 1000 }
	b.ReportMetric(0, "ns/op") // the pauses between keys are in it
	b.ReportMetric(at(50), "p50-ms")
	b.ReportMetric(at(95), "p95-ms")
	b.ReportMetric(at(99), "p99-ms")
	b.ReportMetric(10*float64(x.ticks()-before)/float64(len(took)), "cpu-ms/key") // does not depend on what else runs
	b.ReportMetric(float64(sum)/float64(len(costs)), "bytes/key")
	b.ReportMetric(float64(costs[(len(costs)-1)/2]), "p50-bytes")
	b.ReportMetric(float64(costs[(len(costs)-1)*90/100]), "p90-bytes")
	b.ReportMetric(float64(costs[(len(costs)-1)*95/100]), "p95-bytes")
}
