//go:build cgo

package timing

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/flags"
	"lathe/session/ort/workertest"
	"lathe/session/sessiontest"
)

// truthModels is an environment variable with further models to measure in three ways: paths
// separated by colons, each followed by "=" and the size of its free dimensions unless that is 1.
const truthModels = "LATHE_TRUTH_MODELS"

// BenchmarkUnbiased measures models in turn as `lathe bench` does, in a plain loop in C, and in a
// plain loop in Python. It reports the ratios of the medians with the half widths of their
// intervals.
func BenchmarkUnbiased(b *testing.B) {
	add := filepath.Join(b.TempDir(), "add.onnx")
	save(b, graphtest.Text(b, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[1] x) => (float[1] y)\n{\ny = Add(x, x)\n}\n"), add)
	models := append([]string{add, "../../testdata/digits.onnx"}, filepath.SplitList(os.Getenv(truthModels))...)
	for _, m := range models {
		for _, threads := range []int64{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", filepath.Base(m), threads), func(b *testing.B) { unbiased(b, m, threads) })
		}
	}
}

func unbiased(b *testing.B, model string, threads int64) {
	path, size, _ := strings.Cut(model, "=")
	if size == "" {
		size = "1"
	}
	subjects := []bench.Subject{
		{Target: newLoop(b, "C", workertest.Built(b, "testdata/bare_loop.c"), workertest.Options(b).Library, path, strconv.FormatInt(threads, 10), size)},
		{Target: called{heldTarget(b, path, size, threads), "lathe"}},
	}
	if python := os.Getenv("LATHE_PARITY_PYTHON"); python != "" {
		subjects = append(subjects, bench.Subject{Target: newLoop(b, "Python", python, "testdata/bare_loop.py", path, strconv.FormatInt(threads, 10), size)})
	}
	for b.Loop() {
		r, err := bench.Measure(b.Context(), subjects, bench.Plan{Seconds: 10 * time.Second, MinTime: 10 * time.Second}, bench.Surroundings{Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range r.Comparisons {
			b.ReportMetric(c.Centre(), c.B+"/C")
			b.ReportMetric(float64(c.CI95[1]-c.CI95[0])/2, "±"+c.B)
		}
		b.ReportMetric(float64(r.Runs[0].P50)*1000, "µs/run")
	}
}

// heldTarget is a model as bench loads it for a comparison.
func heldTarget(b *testing.B, path, size string, threads int64) *Subject {
	env := sessiontest.Env(b)
	m, err := env.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	s := &Benchmark{Models: []string{path, path}, Feeding: flags.Feeding{Fill: "full(0.5)"}, Running: flags.Running{Threads: threads}}
	for symbol := range symbolsOf(m) {
		s.Dim = append(s.Dim, symbol+"="+size)
	}
	t, err := s.Load(b.Context(), env, m, &Subject{Model: m, Path: path})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = t.Session.Close() })
	return t
}

// symbolsOf returns the free dimensions of a model's inputs.
func symbolsOf(m *graphops.Model) map[string]bool {
	out := map[string]bool{}
	for _, in := range graphops.NamedTypes(m.Graph().FeedInputs()) {
		for _, d := range in.Type.Shape {
			if d.Symbol != "" {
				out[d.Symbol] = true
			}
		}
	}
	return out
}

// matMuls is a chain of n products, each followed by a Tanh. With matrices whose elements are all
// 1/96, the elements of the products stay 1/96.
func matMuls(n int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[96,96] x) => (float[96,96] t%d)\n{\n", n)
	before := "x"
	for i := range n {
		fmt.Fprintf(&text, "m%d = MatMul(%s, x)\nt%d = Tanh(m%d)\n", i+1, before, i+1, i+1)
		before = fmt.Sprintf("t%d", i+1)
	}
	return text.String() + "}\n"
}

// BenchmarkPlanted loads, in every iteration, a model, an equal one, and one with 3 % more work. It
// reports how often each of the latter two is called different from the first. With
// LATHE_TRUTH_BUSY, another process uses half of a machine with two processors at the same time.
func BenchmarkPlanted(b *testing.B) {
	if os.Getenv("LATHE_TRUTH_BUSY") != "" {
		busy := exec.CommandContext(b.Context(), "sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			_ = busy.Process.Kill()
			_ = busy.Wait()
		})
	}
	env := sessiontest.Env(b)
	dir := b.TempDir()
	for name, n := range map[string]int{"a": 100, "equal": 100, "slower": 103} {
		save(b, graphtest.Text(b, matMuls(n)), filepath.Join(dir, name+".onnx"))
	}
	for _, name := range []string{"equal", "slower"} {
		b.Run(name, func(b *testing.B) {
			different, trials := 0, 0
			for b.Loop() {
				s := &Benchmark{
					Models: []string{filepath.Join(dir, "a.onnx"), filepath.Join(dir, name+".onnx")}, NoMemory: true,
					Feeding: flags.Feeding{Seed: int64(trials), Fill: "full(0.01041666)"}, Running: flags.Running{Threads: 1},
				}
				out, err := s.Run(b.Context(), env)
				if err != nil {
					b.Fatal(err)
				}
				trials++
				c := out.Report.(*Report).Comparisons[0]
				if c.Significant {
					different++
				}
				b.Logf("ratio %.4f, %.4f to %.4f", c.Centre(), float64(c.CI95[0]), float64(c.CI95[1]))
			}
			b.ReportMetric(float64(different), "different")
			b.ReportMetric(float64(trials), "trials")
		})
	}
}

func save(b *testing.B, m *graphops.Model, path string) {
	if _, err := graphops.Save(b.Context(), m, path, graphops.SaveOptions{}); err != nil {
		b.Fatal(err)
	}
}

// called is a target with another name.
type called struct {
	bench.Target
	name string
}

// Name implements bench.Target.
func (n called) Name() string { return n.name }

// loop is a program that times blocks of runs on request.
type loop struct {
	name string
	in   io.Writer
	out  *bufio.Reader
}

func newLoop(b *testing.B, name, program string, args ...string) *loop {
	cmd := exec.CommandContext(b.Context(), program, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &loop{name, in, bufio.NewReaderSize(out, 1<<20)}
}

// Name implements bench.Target.
func (l *loop) Name() string { return l.name }

// Block implements bench.Target.
func (l *loop) Block(_ context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error) {
	if _, err := fmt.Fprintln(l.in, runs, d.Nanoseconds(), place); err != nil {
		return nil, err
	}
	line, err := l.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var times []time.Duration
	for word := range strings.FieldsSeq(line) {
		ns, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, err
		}
		times = append(times, time.Duration(ns))
	}
	return times, nil
}
