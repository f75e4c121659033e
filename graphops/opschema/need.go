package opschema

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Need is a node's need of a kernel: its operator with the types of its values.
type Need struct {
	Runtime string // version of ONNX Runtime; empty means the newest known one
	Schema  *Schema
	// Version is the version of the operator's domain that the node's graph or function imports,
	// and Opset that of the standard's domain. They differ for operators of other domains.
	Version, Opset int64
	// Inputs and Outputs are types. The zero Type means that a value is left out or unknown.
	Inputs, Outputs []graphops.Type
	// Node has the attributes. If it is nil, they have their defaults.
	Node *graphops.Node
}

// Way is how ONNX Runtime runs a node on an execution provider.
type Way uint8

// The ways. ONNX Runtime runs nodes in all of them except Fails and Missing. Undecided also applies
// to an execution provider whose kernels the table does not have: those other than the CPU.
const (
	Undecided    Way = iota // the operator is unknown or deprecated, or does not support inputs like these
	NotNeeded               // the node needs no kernel of its own
	ByKernel                // by a kernel for its types
	ByDefinition            // by the operators that define it
	ByCasts                 // by a kernel for float, between casts from and to float16
	Fails                   // there is a kernel for its types, but it reports an error when it runs
	Missing                 // there is no kernel, so that the model does not load
)

// Answer says whether an execution provider can run a node.
type Answer struct {
	Way Way
	// Schema is the operator whose kernel runs the node. It is the node's, except that CastLike is
	// run by Cast.
	Schema *Schema
	// Shortfall is set if the kernel is Missing although ONNX Runtime could replace the node by its
	// definition: it says why that does not help.
	Shortfall *Shortfall
	// Refused are, if the kernel is Missing, the kernels for this version of the operator, all of
	// which are for other types.
	Refused []*Kernel
	// Inputs and Outputs are the types that no kernel supports, for Kernel.Takes.
	Inputs, Outputs []graphops.Type
}

// On returns how ONNX Runtime runs the node on an execution provider. A definition has priority
// over a kernel for float that needs casts.
func (n Need) On(provider string) Answer {
	a := Answer{Schema: n.Schema}
	switch {
	case n.Schema == nil || n.Schema.Deprecated || !implemented(n.Runtime).providers[provider]:
		return a
	case !n.valid():
		return a
	case !n.needsKernel():
		a.Way = NotNeeded
		return a
	}
	n = n.folded()
	a.Schema, a.Inputs, a.Outputs = n.Schema, n.Inputs, n.Outputs
	kernels := implemented(n.Runtime).kernelsFor(n.Schema, provider)
	a.Way = n.way(kernels)
	if d, ok := n.definition(); ok && a.Way != ByKernel {
		a.Way = ByDefinition
		if a.Shortfall = n.shortfall(provider, d); a.Shortfall != nil {
			a.Way = Missing
		}
	}
	switch {
	case a.Way == Missing:
		a.Refused = kernels
	case n.fails():
		a.Way = Fails
	}
	return a
}

// way returns how one of the kernels for the operator runs the node.
func (n Need) way(kernels []*Kernel) Way {
	switch {
	case n.taken(kernels, n.Inputs, n.Outputs):
		return ByKernel
	case n.allowsCasts() && n.taken(kernels, asFloat(n.Inputs), asFloat(n.Outputs)):
		return ByCasts
	}
	return Missing
}

// castsByNumber is the first opset whose Cast gives its type by number. In earlier ones ONNX
// Runtime cannot insert casts around a node of float16.
const castsByNumber = 6

// allowsCasts reports whether ONNX Runtime inserts casts around the node so that a kernel for float
// can run it. It does so if an input is float16. It then changes the attribute dtype to float, but
// not the attribute output_datatype, so that a node whose output is float16 because of the latter
// has the wrong type.
func (n Need) allowsCasts() bool {
	stated := slices.ContainsFunc(n.Schema.Attributes, func(a Attribute) bool { return a.Name == "output_datatype" })
	return n.Opset >= castsByNumber && slices.ContainsFunc(n.Inputs, isHalf) && !(stated && slices.ContainsFunc(n.Outputs, isHalf))
}

func (n Need) taken(kernels []*Kernel, inputs, outputs []graphops.Type) bool {
	return slices.ContainsFunc(kernels, func(k *Kernel) bool {
		_, _, takes := k.Takes(n.Schema, inputs, outputs)
		return takes
	})
}

// folded returns the need of the node that ONNX Runtime puts in place of a node of CastLike: a Cast
// of the first input.
func (n Need) folded() Need {
	if n.Schema.Domain == graphops.DefaultDomain && n.Schema.Name == "CastLike" && len(n.Inputs) == 2 {
		n.Schema, _ = Find(graphops.DefaultDomain, "Cast", n.Version)
		n.Inputs, n.Outputs = n.Inputs[:1], n.Inputs[1:]
	}
	return n
}

// needsKernel reports whether ONNX Runtime needs a kernel to run the operator of the imported
// version.
func (n Need) needsKernel() bool {
	schema := n.Schema
	if schema.Runtime {
		return !inlined[schema.Name]
	}
	if Implemented(n.Runtime, schema.Domain) < max(schema.Since, n.Version) {
		return false // it is not ONNX Runtime's domain, or the opset as a whole is too new
	}
	if schema.Domain != graphops.DefaultDomain {
		return !schema.Function
	}
	switch schema.Name {
	case "Constant", "Shape":
		return false // folded without a kernel
	case "CastLike":
		return true // becomes a Cast
	default:
		return !schema.Function || definitions[schema.Name] != nil
	}
}

// valid reports whether the operator supports inputs of these types at all.
func (n Need) valid() bool {
	for i, t := range n.Inputs {
		if p, ok := n.Schema.Input(i); !ok || !p.Allows(t) {
			return false
		}
	}
	return true
}

// fails reports whether a kernel of ONNX Runtime for the CPU does not compute what its types
// promise, as measured with ONNX Runtime 1.30. The kernels of ScatterND and ScatterElements reject
// most reductions of float16, UnfoldTensor rejects float16 altogether, and operators with bodies,
// such as BeamSearch, need bodies in float.
func (n Need) fails() bool {
	if !slices.ContainsFunc(n.Inputs, isHalf) && !slices.ContainsFunc(n.Outputs, isHalf) {
		return false
	}
	switch n.Schema.Domain {
	case graphops.DefaultDomain:
		reduction := n.text("reduction", "none")
		return n.Schema.Name == "ScatterND" && reduction != "none" ||
			n.Schema.Name == "ScatterElements" && (reduction == "add" || reduction == "mul")
	case graphops.MicrosoftDomain:
		return n.Schema.Name == "UnfoldTensor" || n.Node != nil && len(n.Node.Graphs()) > 0
	}
	return false
}

// text returns the text of an attribute, or a default if the node does not state it as a text.
func (n Need) text(attribute, otherwise string) string {
	if n.Node == nil {
		return otherwise
	}
	a, given := n.Node.Attribute(attribute)
	if !given || a.Kind() != graphops.AttrString || a.RefName() != "" {
		return otherwise
	}
	if _, deferred := a.Deferred(); deferred {
		return otherwise
	}
	return a.Text()
}

func isHalf(t graphops.Type) bool { return t.Kind == graphops.TypeTensor && t.Elem == tensor.F16 }

func asFloat(list []graphops.Type) []graphops.Type {
	list = slices.Clone(list)
	for i := range list {
		if isHalf(list[i]) {
			list[i].Elem = tensor.F32
		}
	}
	return list
}

// KernelVersions returns the versions of an operator that an execution provider implements in a
// version of ONNX Runtime, for any types, oldest first.
func KernelVersions(runtime, provider, domain, op string) []int64 {
	kernels := Kernels(runtime, domain, op)
	var list []int64
	for _, s := range Versions(domain, op) {
		if slices.ContainsFunc(kernels, func(k *Kernel) bool { return k.Provider == provider && k.Implements(s) }) {
			list = append(list, s.Since)
		}
	}
	return list
}
