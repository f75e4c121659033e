package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

var kernelRules = []rule{
	{
		code: "kernel-missing", severity: Error, kernels: true,
		title: "ONNX Runtime has no kernel for an operator, or none for its types",
		about: `ONNX Runtime does not implement everything that the standard allows: a kernel exists for some
versions of an operator and for some of its types. A session on the CPU rejects a model with "Could
not find an implementation for Softmax(13)" if a node has no kernel, even if no output of the node
is used. float16 is an exception: if only float has a kernel, ONNX Runtime computes in float and
inserts casts, so that float16 models load but are slower than float models. Some operators, such as
Bernoulli or Attention, are defined in the standard by other operators. ONNX Runtime replaces such a
node by its definition. This requires kernels for the operators of the definition, and an opset in
which they have not changed since the definition was written.

The causes are models in bfloat16 or float8, integer types that exporters choose for small counters,
opset 6 and older, for which few kernels are left, and operators that ONNX Runtime has only for
other execution providers than the CPU, such as com.microsoft::NhwcConv. If a provider such as CUDA
has the kernel, the model loads with that provider. A node EPContext contains a part that a provider
has compiled; the provider in its attribute source runs it.

Insert casts around the node to a type that has a kernel, or export the model in float or for a
newer opset.`,
		place: missingKernels,
	},
	contextMissing,
}

// inlined are operators of ONNX Runtime that it defines by other operators, although their
// schemas do not say so, and that have kernels for some types only.
var inlined = map[string]bool{"FastGelu": true, "LayerNormalization": true}

func missingKernels(s *subject, p *graphops.Place, report reporter) {
	if _, err := s.shapes(); err != nil {
		return
	}
	kept := sync.OnceValue(func() keeper { return keeperOf(s, p) })
	for i, node := range p.Graph.Nodes() {
		n := site{node, p, i}
		if i%4096 == 0 && s.ctx.Err() != nil {
			return
		}
		w, needed := s.wanted(n)
		if !needed {
			continue
		}
		opset, _ := s.resolved(p, graphops.DefaultDomain)
		text := w.lacking(opset)
		if text == "" || !kept().keeps(n) {
			continue
		}
		problem := of(n, "%s", text)
		problem.Hint = w.hint()
		if isCompiled(n) {
			problem = compiledProblem(n)
		}
		report(problem)
	}
}

// wanted returns the kernel that a node needs; false if it needs none, or if it violates the
// operator's schema.
func (s *subject) wanted(n site) (wanted, bool) {
	schema := s.schema(n)
	if schema == nil || schema.Deprecated {
		return wanted{}, false
	}
	version, _ := s.resolved(n.place, n.Domain())
	if !needsKernel(schema, version) {
		return wanted{}, false
	}
	w := wanted{schema: schema, in: s.typesOf(n.place, n.Inputs()), out: s.typesOf(n.place, n.Outputs())}
	switch {
	case !w.valid():
		return wanted{}, false
	case schema.Domain == graphops.DefaultDomain && schema.Name == "CastLike" && len(w.in) == 2:
		w.schema, _ = opschema.Find(graphops.DefaultDomain, "Cast", version)
		w.in, w.out = w.in[:1], w.in[1:]
	}
	w.kernels = opschema.Kernels(schema.Domain, w.schema.Name)
	form, _ := settings{n}.text("approximate", "none")
	w.approximate = form != "none"
	return w, true
}

// needsKernel reports whether ONNX Runtime needs a kernel to run an operator.
func needsKernel(schema *opschema.Schema, version int64) bool {
	if schema.Runtime {
		return !inlined[schema.Name]
	}
	if opschema.Implemented(schema.Domain) < max(schema.Since, version) {
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

// typesOf returns the types of values as far as they are known.
func (s *subject) typesOf(p *graphops.Place, names []string) []graphops.Type {
	list := make([]graphops.Type, len(names))
	for i, name := range names {
		list[i] = withoutShape(s.inferred(p, name).Type)
	}
	return list
}

// wanted is a kernel that is searched for.
type wanted struct {
	schema  *opschema.Schema
	kernels []*opschema.Kernel
	in, out []graphops.Type
	// approximate is set if attribute "approximate" selects the form without Erf.
	approximate bool
}

// valid reports whether the operator supports the types of the inputs at all.
func (w wanted) valid() bool {
	for i, t := range w.in {
		if p, ok := w.schema.Input(i); ok && !p.Allows(t) {
			return false
		}
	}
	return true
}

func (w wanted) has() bool {
	return slices.ContainsFunc(w.kernels, func(k *opschema.Kernel) bool {
		if !k.Implements(w.schema) {
			return false
		}
		_, _, takes := k.Takes(w.schema, w.in, w.out)
		return takes
	})
}

// asFloat returns the kernel for float that ONNX Runtime uses instead of a missing one for
// float16.
func (w wanted) asFloat() wanted {
	if slices.ContainsFunc(w.in, isHalf) {
		w.in, w.out = asFloat(w.in), asFloat(w.out)
	}
	return w
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

// message returns the text of the problem. It names the version if the version has no kernel, and
// otherwise the types.
func (w wanted) message() string {
	name := fmt.Sprintf("%s-%d", w.schema.Name, w.schema.Since)
	candidates := w.candidates()
	if len(w.kernels) == 0 {
		return fmt.Sprintf("ONNX Runtime has no kernel for %s on the CPU", name)
	}
	if len(candidates) == 0 {
		return fmt.Sprintf("ONNX Runtime has no kernel for %s on the CPU, only for version %s", name, w.versions())
	}
	var variable string
	var given graphops.Type
	var takes []string
	for _, k := range candidates {
		v, t, _ := k.Takes(w.schema, w.in, w.out)
		if variable != "" && v != variable {
			return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s", name, spelledTypes(w.in))
		}
		variable, given = v, t
		c, _ := (&opschema.Schema{Constraints: k.Constraints}).Constraint(v)
		for _, t := range c.Types {
			takes = append(takes, t.String())
		}
	}
	slices.Sort(takes)
	message := fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s where %s is %s", name, variable, given)
	if takes = slices.Compact(takes); len(takes) <= typesShown {
		message += ", only for " + strings.Join(takes, ", ")
	}
	return message
}

// typesShown is the maximum number of types in a message.
const typesShown = 12

// candidates returns the kernels that ONNX Runtime has for the version of the operator, whatever
// their types.
func (w wanted) candidates() []*opschema.Kernel {
	return slices.DeleteFunc(slices.Clone(w.kernels), func(k *opschema.Kernel) bool { return !k.Implements(w.schema) })
}

// versions returns the versions of the operator that have a kernel.
func (w wanted) versions() string {
	var list []string
	for _, s := range opschema.Versions(w.schema.Domain, w.schema.Name) {
		if slices.ContainsFunc(w.kernels, func(k *opschema.Kernel) bool { return k.Implements(s) }) {
			list = append(list, fmt.Sprint(s.Since))
		}
	}
	return strings.Join(list, ", ")
}

func spelledTypes(list []graphops.Type) string {
	var words []string
	for _, t := range list {
		if t.Kind != graphops.TypeUnknown {
			words = append(words, t.String())
		}
	}
	return strings.Join(words, ", ")
}

func (w wanted) hint() string {
	const elsewhere = "another execution provider may have one"
	switch {
	case len(w.kernels) == 0:
		return elsewhere
	case len(w.candidates()) == 0:
		return "export the model for an opset that has one of these versions; " + elsewhere
	default:
		return "insert casts around the node to a type that has one; " + elsewhere
	}
}
