package flags

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
)

// Execution has the options of every step that runs a model: the chain of execution providers, and
// the options of running.
type Execution struct {
	EP string
	Running
}

// chainOption is the option for the chain of execution providers.
func chainOption(chain *string) session.Option {
	return session.Text(chain, "ep", "run on the first execution provider of this `CHAIN` that works here, such as cuda,cpu").WithDefault("cpu").In(session.GroupRunOn).AsUsual()
}

// Options returns the options.
func (e *Execution) Options() []session.Option {
	return append(session.Measuring(chainOption(&e.EP)), e.Running.Options()...)
}

// Value returns how and where the model runs, as the options say. The progress of starting a worker
// goes to env.
func (e *Execution) Value(env session.Env) (runtime.Execution, error) {
	if len(e.On) > 1 {
		return runtime.Execution{}, session.UsageError(fmt.Sprintf("--on %q: a second launcher; only bench takes several", e.On[1]))
	}
	return e.WithChain(env, e.EP, e.Launcher())
}

// Running has the options for running a model, without the chain of execution providers. Some steps
// have several chains.
type Running struct {
	EPOption []string
	Device   string
	Opt      string
	// Captures makes the provider capture a graph. Only a step that replays it in device memory has
	// an option for that.
	Captures bool

	Threads, InterThreads            int64
	Parallel                         bool
	NoArena, NoPattern, Reproducible bool
	Config, CustomOps                []string
	Timeout                          time.Duration
	MemoryLimit                      int64

	On           []string
	Send         bool
	StartTimeout time.Duration
}

// RunsElsewhere implements session.Launched.
func (r *Running) RunsElsewhere() bool { return len(r.On) > 0 }

// OpensElsewhere implements session.Launched.
func (r *Running) OpensElsewhere() bool { return len(r.On) > 0 && !r.Send }

// Ahead implements session.Running.
func (r *Running) Ahead() (runtime.Need, runtime.Execution) {
	return runtime.NeedWorker, runtime.Execution{On: r.Launcher(), MemoryLimit: r.MemoryLimit}
}

// Launcher returns the first launcher command of --on, or "" if models run on this machine.
func (r *Running) Launcher() string {
	if len(r.On) == 0 {
		return ""
	}
	return r.On[0]
}

// Options returns the options.
func (r *Running) Options() []session.Option {
	return slices.Concat(
		session.Measuring(r.providerOptions()...), r.machineOptions(),
		session.Measuring(r.sessionOptions()...), r.limitOptions(),
	)
}

func (r *Running) providerOptions() []session.Option {
	return session.Grouped(session.GroupRunOn,
		session.Keyed(&r.EPOption, "ep-option", "set an option of an execution provider: `PROVIDER.KEY=VALUE`, such as cuda.cudnn_conv_algo_search=HEURISTIC; repeat for several").AsRare().Does(permit.Settings),
		session.Text(&r.Device, "device", "run on this `DEVICE` of the provider: its number in lathe runtime list, gpu, npu or cpu, or VENDOR/TYPE such as intel/gpu").WithDefault("the first GPU, else the first device").AsRare(),
	)
}

// machineOptions choose the machine. They do not count as settings of a measurement, which records
// the machine itself.
func (r *Running) machineOptions() []session.Option {
	return session.Grouped(session.GroupRunOn,
		session.List(&r.On, "on", "run on the machine that this `LAUNCHER` command reaches, such as 'ssh gpu1'; it starts lathe from PATH there, or the one that it names: 'ssh gpu1 /opt/bin/lathe worker'; the model, --runtime, --custom-ops and --allow-external are paths on that machine").WithDefault("this machine").AsRare().Does(permit.Launch),
		session.Switch(&r.Send, "send", "with --on: send the model from this machine").AsRare(),
		session.Duration(&r.StartTimeout, "start-timeout", "with --on: stop waiting for the worker to start after this `TIME`").WithDefault("30s").AsRare(),
	)
}

// sessionOptions say how the runtime loads and runs a model.
func (r *Running) sessionOptions() []session.Option {
	return session.Grouped(session.GroupRuntime,
		session.Choice(&r.Opt, "opt", "optimize the graph up to this `LEVEL`", "disable", "basic", "extended", "layout", "all").WithDefault("all").AsUsual(),
		session.Int(&r.Threads, "threads", "use `N` threads within an operator", 1).WithDefault("chosen by ONNX Runtime").NoList("only bench measures several"),
		session.Int(&r.InterThreads, "inter-threads", "use `N` threads across operators, with --parallel", 1).WithDefault("chosen by ONNX Runtime").AsRare(),
		session.Switch(&r.Parallel, "parallel", "run independent branches of the graph at the same time").AsRare(),
		session.Switch(&r.NoArena, "no-arena", "allocate host memory from the system each time, not from the runtime's arena").AsRare(),
		session.Switch(&r.NoPattern, "no-memory-pattern", "do not plan memory from the shapes of earlier runs").AsRare(),
		session.Switch(&r.Reproducible, "deterministic", "prefer kernels that return the same result in every run").AsRare(),
		session.Keyed(&r.Config, "session-config", "set a config entry of the runtime's session: `KEY=VALUE`; repeat for several").AsRare().Does(permit.Settings),
		session.Paths(&r.CustomOps, "custom-ops", "load custom operators from `LIB`, a .so file; repeat for several").OfFiles(".so", ".dylib", ".dll").AsRare().Does(permit.Library),
	)
}

// limitOptions limit the time and memory of a run.
func (r *Running) limitOptions() []session.Option {
	return session.Grouped(session.GroupRuntime,
		session.Duration(&r.Timeout, "timeout", "stop a load or a run that takes longer than this `TIME`, such as 30s").WithDefault("no limit"),
		session.Size(&r.MemoryLimit, "memory-limit", "limit the memory of a worker process to this `SIZE`, such as 4G").WithDefault("no limit").AsRare(),
	)
}

// ExecutionAt returns where to run: behind a launcher, or here if it is "".
func (r *Running) ExecutionAt(env session.Env, launcher string) (runtime.Execution, error) {
	o := runtime.Execution{
		On: launcher, Send: r.Send, StartTimeout: r.StartTimeout, Timeout: r.Timeout, MemoryLimit: r.MemoryLimit,
		Progress: func(phase string, done, total int64) {
			env.Progress(session.Progress{Phase: phase, Done: done, Total: total, Unit: "bytes"})
		},
	}
	switch {
	case r.RunsElsewhere() && launcher == "":
		return o, session.UsageError("--on \"\": expected a command, such as ssh gpu1")
	case r.Send && launcher == "":
		return o, session.UsageError("--send: has an effect only with --on")
	case r.StartTimeout > 0 && launcher == "":
		return o, session.UsageError("--start-timeout: has an effect only with --on")
	}
	return o, nil
}

// WithChain returns how the model runs on a chain of execution providers and behind a launcher. A
// chain of "" means the CPU, and a launcher of "" means this machine.
func (r *Running) WithChain(env session.Env, chain, launcher string) (runtime.Execution, error) {
	o, err := r.ExecutionAt(env, launcher)
	if err != nil {
		return o, err
	}
	o.Opt, o.Threads, o.InterThreads, o.Parallel = r.Opt, r.Threads, r.InterThreads, r.Parallel
	o.NoArena, o.NoMemoryPattern, o.Deterministic = r.NoArena, r.NoPattern, r.Reproducible
	if o.CustomOps, err = r.customOps(launcher); err != nil {
		return o, err
	}
	if r.InterThreads > 0 && !r.Parallel {
		return o, session.UsageError("--inter-threads: has an effect only with --parallel")
	}
	if chain != "" {
		if o.Providers, err = ort.ParseProviders(chain); err != nil {
			return o, session.UsageError(err.Error())
		}
	}
	if err := cmp.Or(r.setProviderOptions(o.Providers), r.setDevice(o.Providers), r.setCapture(o.Providers)); err != nil {
		return o, err
	}
	for _, entry := range r.Config {
		key, value, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			return o, session.UsageError(fmt.Sprintf("--session-config %q: expected KEY=VALUE, such as session.disable_prepacking=1", entry))
		}
		if o.Config == nil {
			o.Config = map[string]string{}
		}
		o.Config[key] = value
	}
	return o, nil
}

// customOps returns the paths of libraries with custom operators. Paths on this machine are made
// absolute, because the loader would search for a plain name on its own path.
func (r *Running) customOps(launcher string) ([]string, error) {
	if launcher != "" {
		return r.CustomOps, nil
	}
	var out []string
	for _, path := range r.CustomOps {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("--custom-ops %q: %w", path, err)
		}
		out = append(out, abs)
	}
	return out, nil
}

// setDevice gives the requested device to every provider of the chain besides the CPU.
func (r *Running) setDevice(chain []ort.Provider) error {
	if r.Device == "" {
		return nil
	}
	if err := ep.CheckDevice(r.Device); err != nil {
		return session.UsageError(err.Error())
	}
	if !BeyondCPU(chain) {
		return session.UsageError(fmt.Sprintf("--device %q: has an effect only with a provider besides the CPU in --ep", r.Device))
	}
	for i := range chain {
		if chain[i].Name != ep.CPU {
			chain[i].Device = r.Device
		}
	}
	return nil
}

// setCapture switches graph capture on in every provider of the chain that can capture, if that is
// requested. It is an error if an option of a provider requests it in a step that cannot replay.
func (r *Running) setCapture(chain []ort.Provider) error {
	able := false
	for i, p := range chain {
		row, _ := ep.Find(p.Name)
		switch {
		case row.Graph.Option == "":
		case !r.Captures && row.Graph.IsSet(p.Options):
			return session.UsageError(fmt.Sprintf("--ep-option %s.%s: a captured graph reads and writes the memory of the run that was captured, so other runs would have wrong results; only lathe bench --graph-capture replays such a graph", p.Name, row.Graph.Option))
		case r.Captures:
			able = true
			chain[i].Options = maps.Clone(p.Options)
			if chain[i].Options == nil {
				chain[i].Options = map[string]string{}
			}
			chain[i].Options[row.Graph.Option] = "1"
		}
	}
	if r.Captures && !able {
		return session.UsageError(fmt.Sprintf("--graph-capture: has an effect only on %s; name one in --ep", strings.Join(ep.Names(func(p ep.Provider) bool { return p.Graph.Option != "" }), ", ")))
	}
	return nil
}

// setProviderOptions gives each option to its provider. A provider that is not in the chain is an
// error.
func (r *Running) setProviderOptions(chain []ort.Provider) error {
	for _, option := range r.EPOption {
		name, rest, okName := strings.Cut(option, ".")
		key, value, okValue := strings.Cut(rest, "=")
		if !okName || !okValue || name == "" || key == "" {
			return session.UsageError(fmt.Sprintf("--ep-option %q: expected PROVIDER.KEY=VALUE, such as cuda.device_id=1", option))
		}
		at := -1
		for i := range chain {
			if chain[i].Name == name {
				at = i
			}
		}
		if at < 0 {
			return session.UsageError(fmt.Sprintf("--ep-option %q: %q is not in the chain of --ep; add it there", option, name))
		}
		if chain[at].Options == nil {
			chain[at].Options = map[string]string{}
		}
		chain[at].Options[key] = value
	}
	return nil
}

// CheckStdin returns an error for a second model from standard input, which can be read only once.
func CheckStdin(models []string) error {
	if i := slices.Index(models, "-"); i >= 0 && slices.Contains(models[i+1:], "-") {
		return session.UsageError("-: standard input holds one model; name a file instead of the second -")
	}
	return nil
}
