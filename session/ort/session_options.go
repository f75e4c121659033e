package ort

import (
	"fmt"
	"slices"
	"strings"

	"lathe/session/ort/wire"
)

// Optimization is how far the runtime rewrites a graph before it runs.
type Optimization int32

// The levels of graph optimization. OptimizeDefault is the runtime's own
// choice, which is OptimizeAll.
const (
	OptimizeDefault  = Optimization(wire.Optimization_OPTIMIZATION_DEFAULT)
	OptimizeDisable  = Optimization(wire.Optimization_OPTIMIZATION_DISABLE)
	OptimizeBasic    = Optimization(wire.Optimization_OPTIMIZATION_BASIC)
	OptimizeExtended = Optimization(wire.Optimization_OPTIMIZATION_EXTENDED)
	OptimizeLayout   = Optimization(wire.Optimization_OPTIMIZATION_LAYOUT)
	OptimizeAll      = Optimization(wire.Optimization_OPTIMIZATION_ALL)
)

// optimizationNames are the values of --opt, in the order of the levels.
var optimizationNames = []string{"", "disable", "basic", "extended", "layout", "all"}

// String is the name that ParseOptimization understands, empty for the default.
func (o Optimization) String() string {
	if o >= 0 && int(o) < len(optimizationNames) {
		return optimizationNames[o]
	}
	return fmt.Sprintf("optimization(%d)", int32(o))
}

// ParseOptimization finds a level by name; the empty name is the default.
func ParseOptimization(name string) (Optimization, error) {
	if i := slices.Index(optimizationNames, name); i >= 0 {
		return Optimization(i), nil
	}
	return 0, fmt.Errorf("optimization level %q: want one of %s", name, strings.Join(optimizationNames[1:], ", "))
}

// SessionOptions say how a model is to be loaded. The zero value leaves all to
// the runtime and runs on the CPU.
type SessionOptions struct {
	Optimization Optimization
	IntraThreads int  // within an operator; 0 is one per core
	InterThreads int  // between operators, with Parallel; 0 is one per core
	Parallel     bool // run independent branches at the same time
	// Providers is a preference: the first that attaches is taken, so a single
	// one is strict. Empty means cpu.
	Providers []Provider
	Config    map[string]string // session config entries
	// NoArena makes each allocation of host memory one of the system.
	NoArena         bool
	NoMemoryPattern bool
	// Deterministic prefers kernels that give the same result in every run.
	Deterministic bool
	CustomOps     []string // paths of libraries with operators of their own
	// Placement has the session note which node goes to which provider.
	Placement bool
	// Profile times every node from the start, for EndProfile.
	Profile bool
	// Dump keeps the graph as the optimizations leave it, for Dump.
	Dump     bool
	FreeDims map[string]int64 // sizes of dimensions that are left free, by symbol
	// Progress is told what the worker is about to do. It is called by the
	// goroutine that reads replies and must not wait for another call.
	Progress func(activity string)
}

// Provider is an execution provider: "cpu", "cuda", "tensorrt", or any other by
// the name the library has for it.
type Provider struct {
	Name    string
	Options map[string]string
}

// Tested reports whether Lathe is tried with an execution provider. Any other is
// taken at its word.
func Tested(provider string) bool { return slices.Contains(TestedProviders(), provider) }

// TestedProviders are the execution providers that Lathe is tried with.
func TestedProviders() []string { return []string{"cpu", "cuda", "tensorrt"} }

// ParseProviders reads a chain such as "tensorrt,cuda,cpu".
func ParseProviders(chain string) ([]Provider, error) {
	var providers []Provider
	for name := range strings.SplitSeq(chain, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, fmt.Errorf("provider chain %q: an empty name; want names such as %q", chain, "cuda,cpu")
		}
		if slices.ContainsFunc(providers, func(p Provider) bool { return p.Name == name }) {
			return nil, fmt.Errorf("provider chain %q: %q stands there twice", chain, name)
		}
		providers = append(providers, Provider{Name: name})
	}
	return providers, nil
}

func (o SessionOptions) wire() *wire.Options {
	out := &wire.Options{
		Optimization: wire.Optimization(o.Optimization),
		IntraThreads: int64(o.IntraThreads),
		InterThreads: int64(o.InterThreads),
		Parallel:     o.Parallel,
		Config:       o.Config,

		NoArena: o.NoArena, NoMemoryPattern: o.NoMemoryPattern, Deterministic: o.Deterministic,
		CustomOps: o.CustomOps, Placement: o.Placement, Profile: o.Profile, FreeDims: o.FreeDims, Dump: o.Dump,
	}
	for _, p := range o.Providers {
		out.Providers = append(out.Providers, &wire.Provider{Name: p.Name, Options: p.Options})
	}
	return out
}
