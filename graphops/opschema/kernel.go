package opschema

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"lathe/graphops"
)

//go:embed kernels.txt
var kernelText string

// implemented is the index of the embedded table of kernels.
var implemented = sync.OnceValue(func() *kernelTable {
	t, err := indexKernels(kernelText)
	if err != nil {
		panic(brokenKernels(err))
	}
	return t
})

func brokenKernels(err error) string { return "the embedded table of kernels: " + err.Error() }

// CPU is the execution provider that every ONNX Runtime has.
const CPU = "CPUExecutionProvider"

// Kernel is an implementation of an operator in ONNX Runtime. Kernels are shared:
// nothing in one may be changed.
type Kernel struct {
	Provider string // the execution provider, such as "CPUExecutionProvider"
	// Since and Until are the versions of the operator that it is for; Until is
	// math.MaxInt64 of one that stands until the operator changes.
	Since, Until int64
	// Constraints are the types that it takes. Each is for a type variable of the
	// operator, or for a parameter by its name.
	Constraints []Constraint
}

// Kernels are the implementations of an operator, by provider, the oldest first.
func Kernels(domain, op string) []*Kernel {
	t := implemented()
	entries := t.kernels[operator{graphops.NormalDomain(domain), op}]
	list := make([]*Kernel, len(entries))
	for i, e := range entries {
		list[i] = e.kernel(t)
	}
	return list
}

// Implemented is the newest version of a domain of which ONNX Runtime knows an
// operator, and 0 of a domain for which it has no kernels.
func Implemented(domain string) int64 { return implemented().latest[graphops.NormalDomain(domain)] }

// Implements reports whether the kernel is for an operator in the version of a
// schema. One without an end is for the version that it begins with only: a later
// one is another operator.
func (k *Kernel) Implements(s *Schema) bool {
	return k.Since == s.Since || k.Until != math.MaxInt64 && k.Since < s.Since && s.Since <= k.Until
}

// HasKernel reports whether an execution provider of ONNX Runtime implements the operator
// for values of these types, as Kernel.Takes takes them.
func (s *Schema) HasKernel(provider string, inputs, outputs []graphops.Type) bool {
	return slices.ContainsFunc(Kernels(s.Domain, s.Name), func(k *Kernel) bool {
		if k.Provider != provider || !k.Implements(s) {
			return false
		}
		_, _, takes := k.Takes(s, inputs, outputs)
		return takes
	})
}

// Takes reports whether the kernel takes values of these types. What a node leaves
// out, and what is not known, is the zero Type. The variable is the first whose
// type it does not take, the type the one that it was given.
func (k *Kernel) Takes(s *Schema, inputs, outputs []graphops.Type) (variable string, given graphops.Type, ok bool) {
	for _, c := range k.Constraints {
		t := s.bound(c.Name, inputs, outputs)
		if !(Param{types: c.Types}).Allows(t) {
			return c.Name, t, false
		}
	}
	return "", graphops.Type{}, true
}

// bound is the type of the first value that stands for a variable, or for a
// parameter of this name.
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
