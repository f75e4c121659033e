//go:build cgo && soak && linux

package layers_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/session/inputs"
	"lathe/session/layers"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

var (
	measureA      = flag.String("measure-a", filepath.Join("..", "..", "..", "shared", "models", "text", "gpt2_past.onnx"), "model")
	measureB      = flag.String("measure-b", "", "another model; the same without it")
	measureDims   = flag.String("measure-dims", "", "SYMBOL=N with commas")
	measureMemory = flag.Int64("measure-memory", 256<<20, "bytes")
	measureTimes  = flag.Int("measure-times", 1, "how often")
)

// mostOf is the peak memory of this process and of a child process.
var mostOf [2]int64

// resident returns how many bytes this process and its children have in memory.
func resident() int64 {
	pids := []string{"self"}
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, t := range tasks {
		b, _ := os.ReadFile(t)
		pids = append(pids, strings.Fields(string(b))...)
	}
	total := int64(0)
	for i, pid := range pids {
		b, _ := os.ReadFile("/proc/" + pid + "/status")
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				total += n << 10
				mostOf[min(i, 1)] = max(mostOf[min(i, 1)], n<<10)
			}
		}
	}
	return total
}

// TestMeasure measures how long a comparison takes, and how much more memory it needs than this
// process and an idle worker.
func TestMeasure(t *testing.T) {
	w := sessiontest.Workers(t)
	on, err := w.Stay(runtime.Execution{Opt: "disable", NoArena: true, NoMemoryPattern: true, Config: map[string]string{"session.disable_prepacking": "1"}}, runtime.Frugal(*measureMemory)...)
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	a, err := graphops.Open(*measureA, graphops.OpenOptions{})
	if err != nil {
		t.Skip(err)
	}
	b := a
	if *measureB != "" {
		if b, err = graphops.Open(*measureB, graphops.OpenOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	dims := map[string]int64{}
	for _, d := range strings.Split(*measureDims, ",") {
		if name, n, ok := strings.Cut(d, "="); ok {
			dims[name], _ = strconv.ParseInt(n, 10, 64)
		}
	}
	g, err := inputs.Generate(graphops.NamedTypes(a.Graph().FeedInputs()), inputs.Options{Model: a, Dims: dims})
	if err != nil {
		t.Fatal(err)
	}
	none := graphtest.Model(t, "input x f32[1]\ny = Relu(x)\noutput y f32[1]")
	x, err := inputs.Generate(graphops.NamedTypes(none.Graph().FeedInputs()), inputs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := on.Run(t.Context(), none, x.Feeds, execution.Whole("y"), func(execution.Got) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for range *measureTimes {
		idle, most := resident(), int64(0)
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
					most = max(most, resident())
				}
			}
		}()
		start := time.Now()
		r, err := layers.Compare(t.Context(), layers.Side{Model: a, On: on}, layers.Side{Model: b, On: on}, g.Feeds, layers.Options{Memory: *measureMemory})
		took := time.Since(start)
		close(stop)
		<-stopped
		if err != nil {
			t.Fatal(err)
		}
		bytes, judged := int64(0), map[layers.Judgement]int{}
		for _, l := range r.Layers {
			bytes += l.Bytes
			judged[l.Judgement]++
		}
		fmt.Printf("%.1f MB here, %.1f MB there; ", float64(mostOf[0])/1e6, float64(mostOf[1])/1e6)
		fmt.Printf("%d layers, %d and %d without, %.1f MB of values, %d segments, %v; %.1f MB above %.1f MB; %v, first %v %v\n",
			len(r.Layers), len(r.OnlyA), len(r.OnlyB), float64(bytes)/1e6, r.Segments, took.Round(time.Millisecond),
			float64(most-idle)/1e6, float64(idle)/1e6, judged, r.First, r.Notes)
	}
}
