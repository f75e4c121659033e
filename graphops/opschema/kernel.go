package opschema

import (
	_ "embed"
	"math"
	"strings"
	"sync"

	"lathe/graphops"
)

//go:embed kernels_1.30.txt
var kernels130 string

//go:embed kernels_1.32.txt
var kernels132 string

// A kernelSource is an embedded table of kernels.
type kernelSource struct {
	release string // of ONNX Runtime
	text    *string
	index   func() *kernelTable
}

// kernelTables are the embedded tables of kernels, oldest first. Each applies to its release and to
// later ones before that of the next table.
var kernelTables = []kernelSource{
	{"1.30", &kernels130, indexed(&kernels130)},
	{"1.32", &kernels132, indexed(&kernels132)},
}

func indexed(text *string) func() *kernelTable {
	return sync.OnceValue(func() *kernelTable {
		t, err := indexKernels(*text)
		if err != nil {
			panic(brokenKernels(err))
		}
		return t
	})
}

func brokenKernels(err error) string { return "the embedded table of kernels: " + err.Error() }

// tables remembers tableFor by version, because it is asked at every node of a model.
var tables sync.Map

// tableFor returns the position of the table of kernels that applies to a version of ONNX Runtime.
// This is the newest table for an unknown version, and the oldest for a version before all tables.
func tableFor(runtime string) int {
	if i, ok := tables.Load(runtime); ok {
		return i.(int)
	}
	i := findTable(runtime)
	tables.Store(runtime, i)
	return i
}

func findTable(runtime string) int {
	i := len(kernelTables) - 1
	for IsRelease(runtime) && i > 0 && CompareReleases(runtime, kernelTables[i].release) < 0 {
		i--
	}
	return i
}

// implemented returns the index of the table of kernels that applies to a version of ONNX Runtime.
func implemented(runtime string) *kernelTable { return kernelTables[tableFor(runtime)].index() }

// KernelRelease returns the release of ONNX Runtime from which the kernels for a version were
// taken.
func KernelRelease(runtime string) string { return kernelTables[tableFor(runtime)].release }

// CPU is the execution provider that every ONNX Runtime has.
const CPU = "CPUExecutionProvider"

// ShortProvider returns the name of an execution provider in provider chains and reports: "cuda" for
// ONNX Runtime's "CUDAExecutionProvider".
func ShortProvider(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "ExecutionProvider"))
}

// Kernel is an implementation of an operator in ONNX Runtime. Kernels are shared and must not be
// changed.
type Kernel struct {
	Provider string // the execution provider, such as "CPUExecutionProvider"
	// Since and Until are the first and the last version of the operator that the kernel
	// implements. Until is math.MaxInt64 if the kernel is valid until the next change of the
	// operator.
	Since, Until int64
	// Constraints are the types that the kernel supports. Each Constraint is for a type variable of
	// the operator, or for an input or output by name.
	Constraints []Constraint
}

// Kernels returns all implementations of an operator in a version of ONNX Runtime, grouped by
// execution provider. Those of a provider are sorted by version. An empty runtime is the newest
// known version, here and below.
func Kernels(runtime, domain, op string) []*Kernel {
	t := implemented(runtime)
	entries := t.kernels[operator{graphops.NormalDomain(domain), op}]
	list := make([]*Kernel, len(entries))
	for i, e := range entries {
		list[i] = e.kernel(t)
	}
	return list
}

// Implemented returns the newest version of a domain in which a version of ONNX Runtime knows an
// operator. It is 0 for a domain without kernels.
func Implemented(runtime, domain string) int64 {
	return implemented(runtime).latest[graphops.NormalDomain(domain)]
}

// Implements reports whether the kernel implements the operator in the version of a schema. A
// kernel with Until = math.MaxInt64 implements only version Since, because a later schema exists
// only if the operator changed.
func (k *Kernel) Implements(s *Schema) bool {
	return k.Since == s.Since || k.Until != math.MaxInt64 && k.Since < s.Since && s.Since <= k.Until
}

// Takes reports whether the kernel supports values of these types. The zero Type stands for a value
// that is omitted or whose type is unknown. If ok is false, variable is the first type variable
// whose type is not supported, and given is that type.
func (k *Kernel) Takes(s *Schema, inputs, outputs []graphops.Type) (variable string, given graphops.Type, ok bool) {
	for _, c := range k.Constraints {
		t := s.bound(c.Name, inputs, outputs)
		if !(Param{types: c.Types}).Allows(t) {
			return c.Name, t, false
		}
	}
	return "", graphops.Type{}, true
}

// bound returns the type that a type variable has for values of these types, or the type of the
// input or output with that name.
func (s *Schema) bound(name string, inputs, outputs []graphops.Type) graphops.Type {
	for _, side := range []struct {
		params []Param
		given  []graphops.Type
	}{{s.Inputs, inputs}, {s.Outputs, outputs}} {
		for i, p := range side.params {
			if (p.Type == name || p.Name == name) && i < len(side.given) && side.given[i].Kind != graphops.TypeUnknown {
				return side.given[i]
			}
		}
	}
	return graphops.Type{}
}
