package ort

import (
	"bytes"
	"context"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/wire"
)

// heldMost is the bound that the package's description states: how much memory a client takes for what a
// worker sends, besides Options.MaxAnswer.
const heldMost = 512 << 20

// TestClientMemory lets workers send as much as a client accepts, in the form that takes the most memory,
// and measures the heap meanwhile.
func TestClientMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and half a gigabyte")
	}
	// .ci/test runs this test without the race detector.
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("measures memory, which the race detector takes, too")
	}
	const maxAnswer = 32 << 20
	items := make([]wire.Value, 300_000)
	for i := range items {
		items[i] = wire.Value{Kind: "tensor", DType: 1, Bare: true}
	}
	nodes := make([]wire.Node, 1_000_000)
	lines := make([]wire.LogLine, 1_000_000)
	ports := make([]wire.Port, 500_000)
	for i := range ports {
		ports[i].Dims = []wire.Dim{{}}
	}
	for name, c := range map[string]struct {
		call  func(c *Client) error
		frame *wire.Reply
		data  int // bytes of payload after it, for ever
	}{
		"items":    {run(graphops.Want{Name: "a"}), &wire.Reply{ID: 1, Value: &wire.Value{Name: "a", Kind: "seq(f32)", Items: items}}, 0},
		"nodes":    {placed, &wire.Reply{ID: 1, Nodes: &wire.Nodes{Nodes: nodes}}, 0},
		"lines":    {placed, &wire.Reply{ID: 1, Nodes: &wire.Nodes{Log: lines}}, 0},
		"progress": {placed, &wire.Reply{ID: 1, Progress: &wire.Progress{Activity: strings.Repeat("x", 15<<20)}}, 0},
		"wills":    {placed, &wire.Reply{Error: &wire.Error{Message: strings.Repeat("x", 1<<20)}}, 0},
		"ports":    {load, &wire.Reply{ID: 1, Loaded: &wire.Loaded{Provider: "cpu", Inputs: ports}}, 0},
		"error":    {load, &wire.Reply{ID: 1, Error: &wire.Error{Message: strings.Repeat("x", 15<<20)}}, 0},
		"elements": {run(graphops.Want{Name: "a", Elements: true}), &wire.Reply{ID: 1, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 2, Dims: []int64{maxAnswer}, Bytes: maxAnswer}}, wire.MaxPayload},
		"too many": {run(graphops.Want{Name: "a", Elements: true}), &wire.Reply{ID: 1, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 2, Dims: []int64{1 << 40}, Bytes: 1 << 40}}, wire.MaxPayload},
		"strings":  {run(graphops.Want{Name: "a", Elements: true}), &wire.Reply{ID: 1, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 8, Dims: []int64{maxAnswer / 17}, Bytes: maxAnswer / 17}}, wire.MaxPayload},
		"parts":    {run(graphops.Want{Name: "a", First: 1}), &wire.Reply{ID: 1, Value: &wire.Value{Name: "a", Kind: "tensor", DType: 1, Bare: true, PartBytes: maxAnswer}}, wire.MaxPayload},
		"content":  {dump, &wire.Reply{ID: 1, Content: &wire.Content{Bytes: maxAnswer}}, wire.MaxPayload},
	} {
		t.Run(name, func(t *testing.T) {
			var frame, data bytes.Buffer
			if err := wire.NewWriter(&frame).Send(c.frame, nil); err != nil {
				t.Fatal(err)
			}
			if err := wire.NewWriter(&data).Send(&wire.Reply{ID: 1, Data: &wire.Data{}}, make([]byte, c.data)); err != nil {
				t.Fatal(err)
			}
			o := Options{Grace: time.Second, MaxAnswer: maxAnswer, Sandbox: sandbox.Off}
			peak := peakOf(func() {
				client, h := startPlaying(o, func(h *hostile) {
					<-h.requests
					again := frame.Bytes()
					for range 64 {
						if _, err := h.raw.Write(again); err != nil {
							return
						}
						if c.data > 0 {
							again = data.Bytes()
						}
					}
				})
				if err := c.call(client); err == nil && name != "ports" {
					t.Error("the answer was taken")
				}
				_ = client.Close()
				<-h.ended
			})
			if peak > heldMost+2*maxAnswer {
				t.Errorf("it takes %d MiB, at most %d are stated", peak>>20, (heldMost+2*maxAnswer)>>20)
			}
			t.Logf("%d MiB", peak>>20)
		})
	}
}

func run(w graphops.Want) func(*Client) error {
	return func(c *Client) error {
		return hostileSession(c).Run(context.Background(), nil, []graphops.Want{w}, func(graphops.Got) error { return nil })
	}
}

func placed(c *Client) error {
	_, _, err := hostileSession(c).Placed(context.Background())
	return err
}

func load(c *Client) error {
	_, err := c.Load(context.Background(), Model{Path: "m.onnx"}, SessionOptions{})
	return err
}

func dump(c *Client) error {
	_, err := hostileSession(c).Dump(context.Background())
	return err
}

// peakOf returns how many bytes of the heap are in use at most while f runs, beyond those before it.
func peakOf(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that little garbage counts
	debug.FreeOSMemory()
	inUse := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	before, peak := inUse(), int64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			peak = max(peak, inUse()-before)
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return peak
}
