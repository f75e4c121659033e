//go:build cgo && soak

package worker_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// A leak of a hundred bytes in every run, or of 10 kB in every load, is found.
const (
	leakRuns  = 100_000
	leakLoads = 1_000
	leakBytes = 10 << 20
)

// resident is the worker's private memory, in bytes (proc(5)).
func resident(t *testing.T, client *ort.Client) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", client.Info().PID))
	if err != nil {
		t.Skip(err)
	}
	var kB int64
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "RssAnon: %d kB", &kB); err == nil {
			return kB << 10
		}
	}
	t.Fatal("the system does not tell the memory of a process")
	return 0
}

// steady repeats something and wants memory not to grow after the first tenth,
// in which caches and arenas fill.
func steady(t *testing.T, client *ort.Client, times int, do func(i int)) {
	t.Helper()
	for i := range times / 10 {
		do(i)
	}
	before := resident(t, client)
	for i := range times {
		do(i)
	}
	after := resident(t, client)
	t.Logf("%d times: %d kB, then %d kB", times, before>>10, after>>10)
	if after-before > leakBytes {
		t.Errorf("memory grew by %d bytes", after-before)
	}
}

func TestNoLeakInRuns(t *testing.T) {
	client := start(t)
	of := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
	one := graphops.TensorValue(pattern(t, tensor.F32, 16))
	kinds := []struct {
		session *ort.Session
		in      graphops.Value
	}{
		{load(t, client, identity(t, tensor.F32, "n")), one},
		{load(t, client, identity(t, tensor.String, "n")), graphops.TensorValue(tensor.FromStrings([]string{"some text", "more"}, 2))},
		{load(t, client, passing(t, sequenceType(tensorType(tensor.F32, "n")))), graphops.SequenceValue(of, one, one)},
		{load(t, client, passing(t, sequenceType(tensorType(tensor.F32, "n")))), graphops.SequenceValue(of)},
		{load(t, client, passing(t, optionalType(tensorType(tensor.F32, "n")))), graphops.OptionalValue(of)},
	}
	wants := [][]execution.Want{
		nil,
		{{Name: "y", Profile: true, First: 3}},
		{{Name: "y", Elements: true}},
	}
	start := time.Now()
	steady(t, client, leakRuns, func(i int) {
		k := kinds[i%len(kinds)]
		run := k.session.Run
		if i%7 == 0 {
			run = k.session.Hold
		}
		err := run(t.Context(), graphops.Feeds{"x": k.in}, wants[i%len(wants)], func(execution.Got) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("in %v", time.Since(start))
}

func TestNoLeakInBlocks(t *testing.T) {
	client := start(t)
	session := load(t, client, addOne(t))
	steady(t, client, leakRuns/1000, func(int) {
		if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 1)}), ort.Binding{}); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Block(t.Context(), 1000, time.Second); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNoLeakInLoads(t *testing.T) {
	client := start(t)
	models := [][]byte{addOne(t), chain(t), []byte("no model"), loop(t)}
	options := []ort.SessionOptions{
		{},
		{Placement: true},
		{Profile: true},
		{NoArena: true},
		{Providers: []ort.Provider{{Name: "NoSuchProvider"}, {Name: "cpu"}}},
	}
	steady(t, client, leakLoads, func(i int) {
		session, err := client.Load(t.Context(), ort.Model{Bytes: models[i%len(models)]}, options[i%len(options)])
		if err != nil {
			return // no model
		}
		if err := session.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
