package ep

import (
	"maps"
	"slices"
	"strings"
)

// CPU is the provider that is part of every session and runs what no other one does.
const CPU = "cpu"

// CUDA is the provider by which a build of ONNX Runtime for NVIDIA's GPUs is recognized.
const CUDA = "cuda"

// Provider is what Lathe knows about an execution provider.
type Provider struct {
	// Name is the name in chains such as "cuda,cpu" and in reports. It is the lower case of Runtime
	// without "ExecutionProvider".
	Name    string
	Runtime string // ONNX Runtime's name: "CUDAExecutionProvider"
	// Attached is the name by which ONNX Runtime attaches it. It is empty for providers that have a
	// function of their own for that.
	Attached string
	Words    string // the name that people use
	Tested   bool   // Lathe is tested with it

	// File is the name in the file of its library, libonnxruntime_providers_FILE.so, which is beside
	// ONNX Runtime's. It is empty if it is compiled into ONNX Runtime's library.
	File string
	// Package is the Python package that includes it, and Installed reports that `lathe runtime
	// install` can get a build that does. Without either, the user has to find a build.
	Package   string
	Installed bool
	// Plugin is the Python package of the library that has the provider and is loaded beside ONNX
	// Runtime, in place of a build that contains it.
	Plugin string
	// Folders are those of the Python packages that have libraries which it needs.
	Folders []string
	// Later are libraries that it loads only when an operator first needs them.
	Later  []Later
	NVIDIA bool // it needs NVIDIA's driver

	// Memory is ONNX Runtime's name for the memory of its device. It is empty if it works in host
	// memory.
	Memory string
	// Asynchronous reports that it only starts work on its device, so that the time of a node on the
	// processor does not include its computation.
	Asynchronous bool
	// Blocking are environment variables, as NAME=VALUE, with which the libraries of an asynchronous
	// provider wait for the device after each start of a kernel. They are read when the device is
	// first used.
	Blocking []string
	Torch    string // PyTorch's name for its device, or ""
	// Graph says how it captures the work of a run and replays it. It is zero if it cannot.
	Graph Graph
	// Int64 are options with which it computes with elements of type int64. It is nil if it always does.
	Int64 map[string]string

	// Failures has, for each kind of failure, the beginnings and expressions by which the messages
	// of its libraries are recognized.
	Failures Failures
}

// Later is a library that is loaded only when an operator first needs it.
type Later struct {
	Name string
	CUDA int // the version of CUDA that it belongs to; 0 if every version since 12 has it
}

// Failures says how the failures of a provider's libraries read. Memory, Unusable and Device are
// regular expressions.
type Failures struct {
	// Libraries are the names that start messages such as "CUDNN failure 4: ...".
	Libraries []string
	Memory    []string // the device has no memory left
	Unusable  []string // the driver or the device cannot be used at all
	Device    []string // the device failed; the group "found" is the reason
}

// All returns the table.
func All() []Provider { return slices.Clone(table) }

// Find returns the provider with a name, which may also be that of its file, or the one by which
// ONNX Runtime attaches it in any case. For a name without a row the result has only this name.
func Find(name string) (p Provider, known bool) {
	i := slices.IndexFunc(table, func(p Provider) bool {
		return p.Name == name || p.File != "" && p.File == name || p.Attached != "" && strings.EqualFold(p.Attached, name)
	})
	if i < 0 {
		return Provider{Name: name, Attached: name}, false
	}
	return table[i], true
}

// IsAsynchronous reports whether a provider may only start work on its device. It is assumed of a
// provider without a row.
func IsAsynchronous(name string) bool {
	p, known := Find(name)
	return p.Asynchronous || !known
}

// Names returns the names of the providers for which a condition holds, in the order of the table.
func Names(holds func(Provider) bool) []string {
	var names []string
	for _, p := range table {
		if holds(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Folders returns the folders of Python packages that have libraries for any provider.
func Folders() []string { return gather(func(p Provider) []string { return p.Folders }) }

// FailureTexts returns how the failures of all providers read.
func FailureTexts() Failures {
	return Failures{
		Libraries: gather(func(p Provider) []string { return p.Failures.Libraries }),
		Memory:    gather(func(p Provider) []string { return p.Failures.Memory }),
		Unusable:  gather(func(p Provider) []string { return p.Failures.Unusable }),
		Device:    gather(func(p Provider) []string { return p.Failures.Device }),
	}
}

// gather returns what the rows have in a column, each once.
func gather(column func(Provider) []string) []string {
	var all []string
	for _, p := range table {
		for _, entry := range column(p) {
			if !slices.Contains(all, entry) {
				all = append(all, entry)
			}
		}
	}
	return all
}

// Runs returns the provider to name in a result, given how many nodes each provider runs: the one that
// attached, unless only others run nodes. Then it is the one that runs most of them.
func Runs(attached string, nodes map[string]int64) string {
	runs := attached
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		if nodes[attached] == 0 && nodes[name] > nodes[runs] {
			runs = name
		}
	}
	return runs
}
