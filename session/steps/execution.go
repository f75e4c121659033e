package steps

import (
	"fmt"
	"strings"
	"time"

	"lathe/session"
	"lathe/session/ort"
)

// execution are the options of every step that runs models.
type execution struct {
	EP string
	running
}

func (e *execution) options() []session.Option {
	return append([]session.Option{
		session.Text(&e.EP, "ep", "run on this `CHAIN` of execution providers: the first that attaches is taken, as cuda,cpu"),
	}, e.running.options()...)
}

func (e *execution) value() (session.Execution, error) { return e.on(e.EP) }

// running are those options beside the chain of providers.
type running struct {
	EPOption []string
	Opt      string

	Threads, InterThreads            int64
	Parallel                         bool
	NoArena, NoPattern, Reproducible bool
	Config, CustomOps                []string
	Timeout                          time.Duration
	MemoryLimit                      int64
}

func (r *running) options() []session.Option {
	return []session.Option{
		session.List(&r.EPOption, "ep-option", "an option of a provider: `PROVIDER.KEY=VALUE`, as cuda.cudnn_conv_algo_search=HEURISTIC; repeat for several"),
		session.Choice(&r.Opt, "opt", "how far the runtime optimizes the graph", "disable", "basic", "extended", "layout", "all"),
		session.Int(&r.Threads, "threads", "threads within an operator; the runtime decides without it", 1),
		session.Int(&r.InterThreads, "inter-threads", "threads between operators, with --parallel; the runtime decides without it", 1),
		session.Switch(&r.Parallel, "parallel", "run independent branches of the graph at the same time"),
		session.Switch(&r.NoArena, "no-arena", "take host memory from the system each time and not from the runtime's arena"),
		session.Switch(&r.NoPattern, "no-memory-pattern", "do not plan memory by the shapes of earlier runs"),
		session.Switch(&r.Reproducible, "deterministic", "prefer kernels that give the same result in every run"),
		session.List(&r.Config, "session-config", "a config entry of the runtime's session: `KEY=VALUE`; repeat for several"),
		session.Paths(&r.CustomOps, "custom-ops", "load operators from this library (`LIB`, a .so file); repeat for several"),
		session.Duration(&r.Timeout, "timeout", "give up a load or a run after this `TIME`, as 30s"),
		session.Size(&r.MemoryLimit, "memory-limit", "the most memory a worker may take (`SIZE`, as 4G)"),
	}
}

// on is how to run on a chain, "" for the CPU.
func (r *running) on(chain string) (session.Execution, error) {
	o := session.Execution{
		Opt: r.Opt, Threads: r.Threads, InterThreads: r.InterThreads, Parallel: r.Parallel,
		NoArena: r.NoArena, NoMemoryPattern: r.NoPattern, Deterministic: r.Reproducible,
		CustomOps: r.CustomOps, Timeout: r.Timeout, MemoryLimit: r.MemoryLimit,
	}
	if r.InterThreads > 0 && !r.Parallel {
		return o, session.UsageError("--inter-threads: has a meaning only with --parallel")
	}
	if chain != "" {
		var err error
		if o.Providers, err = ort.ParseProviders(chain); err != nil {
			return o, session.UsageError(err.Error())
		}
	}
	if err := r.setProviderOptions(o.Providers); err != nil {
		return o, err
	}
	for _, entry := range r.Config {
		key, value, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			return o, session.UsageError(fmt.Sprintf("--session-config %q: expected KEY=VALUE, as session.disable_prepacking=1", entry))
		}
		if o.Config == nil {
			o.Config = map[string]string{}
		}
		o.Config[key] = value
	}
	return o, nil
}

// setProviderOptions gives each option to its provider, which must be in the
// chain.
func (r *running) setProviderOptions(chain []ort.Provider) error {
	for _, option := range r.EPOption {
		name, rest, okName := strings.Cut(option, ".")
		key, value, okValue := strings.Cut(rest, "=")
		if !okName || !okValue || name == "" || key == "" {
			return session.UsageError(fmt.Sprintf("--ep-option %q: expected PROVIDER.KEY=VALUE, as cuda.device_id=1", option))
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
