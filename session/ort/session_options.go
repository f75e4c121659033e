package ort

import (
	"fmt"
	"slices"
	"strings"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// Optimization is a level of ONNX Runtime's graph optimization.
type Optimization int32

// The levels of graph optimization. OptimizeDefault leaves the choice to the runtime, which uses
// OptimizeAll.
const (
	OptimizeDefault  = Optimization(wire.OptimizeDefault)
	OptimizeDisable  = Optimization(wire.OptimizeDisable)
	OptimizeBasic    = Optimization(wire.OptimizeBasic)
	OptimizeExtended = Optimization(wire.OptimizeExtended)
	OptimizeLayout   = Optimization(wire.OptimizeLayout)
	OptimizeAll      = Optimization(wire.OptimizeAll)
)

// optimizationNames are the values of --opt, in the order of the levels.
var optimizationNames = []string{"", "disable", "basic", "extended", "layout", "all"}

// String returns the name of the level, as ParseOptimization accepts it. It is empty for the
// default.
func (o Optimization) String() string {
	if o >= 0 && int(o) < len(optimizationNames) {
		return optimizationNames[o]
	}
	return fmt.Sprintf("optimization(%d)", int32(o))
}

// ParseOptimization returns the level with a name. The empty name is the default.
func ParseOptimization(name string) (Optimization, error) {
	if i := slices.Index(optimizationNames, name); i >= 0 {
		return Optimization(i), nil
	}
	return 0, fmt.Errorf("optimization level %q: expected one of %s", name, strings.Join(optimizationNames[1:], ", "))
}

// SessionOptions are the settings for loading a model. The zero value leaves everything to the
// runtime and runs on the CPU.
type SessionOptions struct {
	Optimization Optimization
	IntraThreads int  // within an operator; 0 means one per core
	InterThreads int  // between operators, with Parallel; 0 means one per core
	Parallel     bool // run independent branches concurrently
	// Providers is a chain in order of preference: the first that can be attached is used. With a
	// single provider there is no fallback. Empty means cpu.
	Providers []Provider
	Config    map[string]string // session config entries
	// NoArena switches off the runtime's arena, so that host memory is allocated directly from the
	// system.
	NoArena         bool
	NoMemoryPattern bool
	// Deterministic makes the runtime prefer kernels that give the same result in every run.
	Deterministic bool
	CustomOps     []string // paths of libraries with custom operators
	// Placement makes the runtime record which provider runs each node. Session.Placed needs it.
	Placement bool
	// Profile makes the runtime measure the time of every node in every run. Session.EndProfile
	// needs it.
	Profile bool
	// Wait makes a provider wait for its device after each start of a kernel, if it has a setting
	// for that (ep.Provider.Blocking). It has no effect in a worker that has used the provider.
	Wait bool
	// Dump makes the worker keep the optimized graph. Session.Dump needs it.
	Dump     bool
	FreeDims map[string]int64 // sizes of free dimensions, by symbol
	// Progress is called with a description of each step that the worker is about to take while it
	// loads the model. It runs in the goroutine that reads the worker's replies, so it must not
	// wait for another call of the client.
	Progress func(activity string)
}

// Provider is an execution provider with its options. Name is "cpu", "cuda", "tensorrt", or the
// name that ONNX Runtime has for another one.
type Provider struct {
	Name    string
	Options map[string]string
	// Device is the device to run on, in one of the forms of ep.CheckDevice. Empty means the
	// provider's default, and the first GPU of a plug-in.
	Device string
}

// Tested reports whether Lathe is tested with an execution provider. Other providers can be used
// too.
func Tested(provider string) bool {
	p, known := ep.Find(provider)
	return known && p.Name == provider && p.Tested
}

// TestedProviders are the execution providers that Lathe is tested with.
func TestedProviders() []string {
	return ep.Names(func(p ep.Provider) bool { return p.Tested })
}

// ParseProviders returns the providers in a chain such as "tensorrt,cuda,cpu". It returns an error
// if a name is empty or listed twice.
func ParseProviders(chain string) ([]Provider, error) {
	var list []Provider
	for name := range strings.SplitSeq(chain, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, fmt.Errorf("provider chain %q: empty name, expected names such as %q", chain, "cuda,cpu")
		}
		if slices.ContainsFunc(list, func(p Provider) bool { return p.Name == name }) {
			return nil, fmt.Errorf("provider chain %q: %q is listed twice", chain, name)
		}
		list = append(list, Provider{Name: name})
	}
	return list, nil
}

func (o SessionOptions) wire() wire.Options {
	out := wire.Options{
		Optimization: wire.Optimization(o.Optimization),
		IntraThreads: int64(o.IntraThreads),
		InterThreads: int64(o.InterThreads),
		Parallel:     o.Parallel,
		Config:       o.Config,

		NoArena: o.NoArena, NoMemoryPattern: o.NoMemoryPattern, Deterministic: o.Deterministic,
		CustomOps: o.CustomOps, Placement: o.Placement, Profile: o.Profile, FreeDims: o.FreeDims, Dump: o.Dump, Wait: o.Wait,
	}
	for _, p := range o.Providers {
		out.Providers = append(out.Providers, wire.Provider{Name: p.Name, Options: p.Options, Device: p.Device})
	}
	return out
}
