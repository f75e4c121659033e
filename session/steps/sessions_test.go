//go:build cgo

package steps

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/steps/cut"
	"lathe/session/steps/look"
	"lathe/session/steps/measure"
	"lathe/session/steps/shrink"
	"lathe/session/steps/validate"
	"lathe/session/trial"
)

// countStarts makes every worker of an environment leave a line in a file.
func countStarts(t *testing.T, env session.Env) (starts func() int) {
	t.Helper()
	w := env.Runtime.(*runtime.Workers)
	log := filepath.Join(t.TempDir(), "starts")
	w.Command = append([]string{"/bin/sh", "-c", `echo >> "$0"; exec "$@"`, log}, w.Command...)
	return func() int {
		lines, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Count(string(lines), "\n")
	}
}

// TestSessionsShareWorkers checks that models that run one after the other share a worker and
// compute the right results, that two kept sessions have separate workers, and that nothing is
// shared without Prepare.
func TestSessionsShareWorkers(t *testing.T) {
	if goruntime.GOOS != "linux" {
		t.Skip("the memory of a worker is known only from /proc; otherwise no worker is used again")
	}
	for name, c := range map[string]struct {
		prepare bool
		most    int
		want    int
	}{"one after the other": {true, 1, 1}, "two at a time": {true, 0, 2}, "not prepared": {false, 1, 3}} {
		t.Run(name, func(t *testing.T) {
			env := sessiontest.Env(t)
			starts := countStarts(t, env)
			if c.prepare {
				defer env.Prepare(t.Context(), &shrink.Simplify{})()
			}
			run := &trial.Sessions{Env: env, Opt: "disable", Most: c.most}
			defer run.Close()
			for i := range 3 {
				m := graphtest.Model(t, fmt.Sprintf("init a f32[2] %d 2\ninit b f32[2] 10 20\noutput y f32[2]\ny = Add(a, b)\n", i))
				var got tensor.Tensor
				err := run.Run(t.Context(), m, nil, []execution.Want{{Name: "y", Elements: true}}, func(g execution.Got) error {
					got = g.Value.Tensor
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if v, err := got.Float64s(); err != nil || v[0] != float64(10+i) {
					t.Errorf("model %d gives %v %v, expected %d", i, v, err, 10+i)
				}
			}
			if n := starts(); n != c.want {
				t.Errorf("%d workers were started, expected %d", n, c.want)
			}
		})
	}
}

// TestAhead checks what steps say they will need of a runtime.
func TestAhead(t *testing.T) {
	for _, c := range []struct {
		step session.Step
		need runtime.Need
		how  runtime.Execution
	}{
		{&shrink.Simplify{}, runtime.NeedWorker, runtime.Execution{}},
		{&shrink.Simplify{NoProof: true}, runtime.NeedNothing, runtime.Execution{}},
		{&cut.Export{}, runtime.NeedNothing, runtime.Execution{}},
		{&cut.Export{Opset: 21}, runtime.NeedWorker, runtime.Execution{}},
		{&cut.Export{Opset: 21, NoProof: true}, runtime.NeedNothing, runtime.Execution{}},
		{&measure.RunModel{}, runtime.NeedWorker, runtime.Execution{}},
		{&measure.RunModel{Execution: flags.Execution{Running: flags.Running{On: []string{"ssh a"}, MemoryLimit: 5}}}, runtime.NeedWorker, runtime.Execution{On: "ssh a", MemoryLimit: 5}},
		{&validate.Validate{}, runtime.NeedWorker, runtime.Execution{}},
		{&measure.Bench{}, runtime.NeedWorker, runtime.Execution{}},
		{&shrink.Optimize{}, runtime.NeedWorker, runtime.Execution{}},
		{&look.Check{}, runtime.NeedVersion, runtime.Execution{}},
		{&look.Check{RuntimeLoad: true}, runtime.NeedWorker, runtime.Execution{}},
		{&cut.Axes{}, runtime.NeedNothing, runtime.Execution{}},
		{&cut.Axes{Repair: true}, runtime.NeedWorker, runtime.Execution{}},
	} {
		running, ok := c.step.(session.Running)
		if !ok {
			t.Errorf("%s does not say what it will need", c.step.Name())
			continue
		}
		if need, how := running.Ahead(); need != c.need || how.On != c.how.On || how.MemoryLimit != c.how.MemoryLimit {
			t.Errorf("%s: %v %+v, expected %v %+v", c.step.Name(), need, how, c.need, c.how)
		}
	}
}
