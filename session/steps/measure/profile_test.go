package measure

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/runtime"
)

// uncompiled is a runtime that cannot write the graph that it runs, like providers that compile
// parts of it.
type uncompiled struct {
	runtime.Runtime
	refuses bool // rejects a load with Dump
	loads   []runtime.Execution
}

type uncompiledSession struct{ runtime.Loaded }

func (u *uncompiled) Load(_ context.Context, _ *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	u.loads = append(u.loads, o)
	if u.refuses && o.Dump {
		return nil, errors.New("the graph has compiled nodes")
	}
	return uncompiledSession{}, nil
}

func (uncompiledSession) Optimized(context.Context) (*graphops.Model, error) {
	return nil, errors.New("no graph was kept")
}

// TestProfileWithoutGraph checks that the profile continues without the optimized graph, and says
// so.
func TestProfileWithoutGraph(t *testing.T) {
	for _, refuses := range []bool{true, false} {
		u := &uncompiled{refuses: refuses}
		env := session.Env{Runtime: u, Progress: func(session.Progress) {}}
		var s Profile
		var r profileReport
		got, err := s.timed(t.Context(), env, nil, runtime.Execution{}, nil, &r)
		if err != nil || got.Loaded == nil || got.optimized != nil {
			t.Fatalf("%+v, %v", got, err)
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "nodes are matched by name only") {
			t.Errorf("%q", r.Notes)
		}
		if last := u.loads[len(u.loads)-1]; !last.Profile || last.Dump == refuses {
			t.Errorf("loaded with %+v", last)
		}
	}
}

// device is a runtime with a provider that only starts work. It runs one node.
type device struct {
	runtime.Runtime
	provider string
	// waiting is the provider that takes the graph with waits. It is the same by default.
	waiting string
	loads   []runtime.Execution
	open    int
}

type deviceSession struct {
	runtime.Loaded
	of       *device
	provider string
}

func (d *device) Load(_ context.Context, _ *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	d.loads, d.open = append(d.loads, o), d.open+1
	provider := d.provider
	if !o.Dump {
		provider = cmp.Or(d.waiting, provider)
	}
	return &deviceSession{of: d, provider: provider}, nil
}

func (s *deviceSession) Facts() runtime.Facts {
	f := runtime.Facts{Provider: s.provider}
	if s.provider != s.of.provider {
		f.Refused = []ort.Refusal{{Provider: s.of.provider, Reason: "no kernel"}}
	}
	return f
}

func (s *deviceSession) Optimized(context.Context) (*graphops.Model, error) {
	return onnxtext.Parse(`<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) { [a] y = Relu(x) }`)
}

func (s *deviceSession) Bind(context.Context, graphops.Feeds, ort.Binding) error { return nil }

func (s *deviceSession) Block(context.Context, int, time.Duration) ([]time.Duration, error) {
	return []time.Duration{1}, nil
}

func (s *deviceSession) EndProfile(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, `[
{"cat" : "Node","pid" :1,"tid" :1,"dur" :5,"ts" :10,"ph" : "X","name" :"a_kernel_time","args" : {"op_name" : "Relu","provider" : "WebGpuExecutionProvider","node_index" : "0"}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :9,"ts" :9,"ph" : "X","name" :"model_run","args" : {}}
]
`)
	return err
}

func (s *deviceSession) Close() error { s.of.open--; return nil }

// TestTimedOnDevice waits for a device by the provider's own setting if it has one, and otherwise by
// nodes in the graph. If these do not run on the device, a note says so, and the times are those of
// starting.
func TestTimedOnDevice(t *testing.T) {
	for name, c := range map[string]struct {
		of    device
		waits bool
		clock profile.Clock
		loads int
		note  string
	}{
		"setting": {device{provider: "cuda"}, false, profile.ClockWaits, 1, ""},
		"nodes":   {device{provider: "webgpu"}, true, "", 2, ""},
		"refused": {device{provider: "webgpu", waiting: "cpu"}, false, "", 3, "cannot be run: cpu runs it\nwebgpu: no kernel"},
		"on host": {device{provider: "openvino"}, false, "", 1, ""},
	} {
		var s Profile
		r := profileReport{Provider: c.of.provider}
		env := session.Env{Runtime: &c.of, Progress: func(session.Progress) {}}
		got, err := s.timed(t.Context(), env, nil, runtime.Execution{Parallel: true}, nil, &r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if (got.waits != nil) != c.waits || got.clock != c.clock || len(c.of.loads) != c.loads || c.of.open != 1 {
			t.Errorf("%s: waits %v, clock %q, %d loads, %d of them open", name, got.waits, got.clock, len(c.of.loads), c.of.open)
		}
		if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, c.note) || (notes == "") != (c.note == "") {
			t.Errorf("%s: notes %q", name, notes)
		}
		if last := c.of.loads[len(c.of.loads)-1]; c.waits && (last.Opt != "disable" || last.Parallel || !last.Profile) {
			t.Errorf("%s: loaded with %+v", name, last)
		}
	}
}
