package simplify

import (
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

var foldConstants = &pass{
	name:   "fold-constants",
	title:  "what depends on constants alone is computed ahead",
	reason: "what is defined to the bit is computed here, the rest by the same kernels of ONNX Runtime; quantized weights stay quantized, and what is drawn at random is left",
	model: func(j *job) error {
		f := &folding{job: j, in: map[*rewrite.Node]bool{}, unable: map[*rewrite.Node]bool{}}
		if err := f.foldExact(); err != nil {
			return err
		}
		err := f.run()
		f.tellExact()
		return err
	},
}

// folding is one run of the pass.
type folding struct {
	*job
	nodes []*rewrite.Node        // that may be folded, in the order of the graphs
	in    map[*rewrite.Node]bool // the same as a set
	// unable are nodes that the runtime did not run.
	unable map[*rewrite.Node]bool
	// computed are the bytes of what the nodes make.
	computed int64
	// exact is while only what needs no runtime is folded.
	exact bool
	// unfolded are the refusals of that time.
	unfolded []unfolded
}

type unfolded struct {
	node *rewrite.Node
	why  string
}

// leave tells why a node is not folded; while only some are, at the end.
func (f *folding) leave(n *rewrite.Node, why string) {
	if f.exact {
		f.unfolded = append(f.unfolded, unfolded{n, why})
	} else {
		f.refuse(n, why)
	}
}

// maxUnable is how many nodes that the runtime does not run are looked for; each
// takes some runs to find.
const maxUnable = 8

func (f *folding) run() error {
	for len(f.unable) <= maxUnable {
		f.collect()
		needed := f.needsRuntime()
		if len(needed) == 0 {
			return nil
		}
		if f.o.Runner == nil {
			f.warnOnce(dependAlone(len(needed)) + " could be computed ahead with ONNX Runtime; lathe runtime install")
			return nil
		}
		failed, err := f.foldAll(needed)
		if failed == nil || err != nil {
			return err
		}
	}
	f.warnOnce("ONNX Runtime does not run " + dependAlone(len(f.unable)) + "; others were not tried")
	return nil
}

func (j *job) warnOnce(text string) {
	if !slices.Contains(j.warnings, text) {
		j.warnings = append(j.warnings, text)
	}
}

// collect finds the nodes that depend on constants alone and can be computed within
// bounds of memory.
func (f *folding) collect() {
	f.nodes, f.computed = nil, 0
	clear(f.in)
	for _, g := range f.m.Graphs() {
		for n := range g.Nodes() {
			if f.foldable(n) {
				f.nodes = append(f.nodes, n)
				f.in[n] = true
			}
		}
	}
}

func (f *folding) foldable(n *rewrite.Node) bool {
	if f.unable[n] || !isComputed(n) || f.exact && !f.isExact(n) {
		return false
	}
	staged := false
	for _, v := range n.Inputs() {
		if v == nil || v.Constant() != nil {
			continue
		}
		if v.Producer() == nil || !f.in[v.Producer()] {
			return false
		}
		staged = true
	}
	return f.bounded(n, staged)
}

// isComputed reports whether a node is one of an operator whose result depends on
// its inputs alone, that makes tensors, and whose constants are better kept as its
// results than as its inputs.
func isComputed(n *rewrite.Node) bool {
	for _, v := range n.Outputs() {
		if v != nil && v.Type().Kind != graphops.TypeTensor {
			return false
		}
	}
	return mayBeComputed(n)
}

// mayBeComputed is isComputed as far as it can be told before types are known.
func mayBeComputed(n *rewrite.Node) bool {
	if !n.Is(n.Op()) && !n.IsOf("ai.onnx.ml", n.Op()) || n.Schema() == nil || len(n.Bodies()) > 0 || n.Op() == "Constant" || isRandom(n) {
		return false
	}
	used := slices.ContainsFunc(n.Outputs(), func(v *rewrite.Value) bool { return v != nil && v.Uses() > 0 })
	return used && n.Op() != "DequantizeLinear" && !slices.ContainsFunc(n.Inputs(), isPacked)
}

// isPacked reports whether elements of a value are smaller than a byte: whatever
// reads them makes them larger.
func isPacked(v *rewrite.Value) bool {
	bits := v.Type().Elem.Bits()
	return bits > 0 && bits < 8
}

// isRandom reports whether two runs of a node may give different results, though
// there are attributes with which they would not.
func isRandom(n *rewrite.Node) bool {
	switch n.Op() {
	case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout":
		return true
	}
	return false
}

const (
	// maxComputed is how many bytes a value may have that is made on the way.
	maxComputed = 512 << 20
	// maxTogether is how many bytes all values of a run may have.
	maxTogether = 8 << 30
	// maxAtOnce is from how many bytes on, read and made, nodes are no more added to a
	// run: the runtime holds all of them.
	maxAtOnce = 32 << 20
	// maxKept is how many bytes a value may have that becomes a constant: one is in
	// memory at a time.
	maxKept = 128 << 20
)

// shrinking are operators of which it is not known how large their result is before
// they have run, but never is it larger than 8 bytes for each axis of each element
// that they read.
var shrinking = []string{"NonZero", "Unique", "Compress", "NonMaxSuppression", "StringSplit"}

// bounded reports whether what a node makes is known to fit into memory. A size that
// is not known may be known when its inputs, which other nodes make (staged), are
// constants.
func (f *folding) bounded(n *rewrite.Node, staged bool) bool {
	total := f.computed
	most := int64(maxTogether)
	if f.exact {
		most = maxExact - f.exactBytes
	}
	for _, v := range n.Outputs() {
		if v == nil {
			continue
		}
		bytes, ok := bytesOf(v)
		switch {
		case !ok && !staged && slices.Contains(shrinking, n.Op()):
		case !ok && !staged:
			f.leave(n, "how large its result is cannot be told before it is computed")
			return false
		case !ok:
			return false
		case bytes > maxComputed && !f.exact:
			f.refuse(n, fmt.Sprintf("its result has %d bytes; up to %d are computed ahead", bytes, maxComputed))
			return false
		case total > most-bytes:
			f.leave(n, fmt.Sprintf("with its %d bytes there would be more than the %d that are computed ahead together", bytes, most))
			return false
		default:
			total += bytes
		}
	}
	f.computed = total
	return true
}

// bytesOf is the size of a tensor; strings are taken to have 16 bytes.
func bytesOf(v *rewrite.Value) (int64, bool) {
	dims, ok := fixedDims(v)
	if !ok {
		return 0, false
	}
	n, err := tensor.Elements(dims)
	if err != nil {
		return 0, false
	}
	if v.Type().Elem == tensor.String {
		return min(n, 1<<50) * 16, true
	}
	size, err := v.Type().Elem.ByteLen(n)
	return size, err == nil && v.Type().Elem != tensor.Undefined
}

// foldAll folds what may grow by what it grows by and has nodes that need a runtime. It
// gives a node that the runtime does not run, if there is one.
func (f *folding) foldAll(needed map[*rewrite.Node]bool) (failed *rewrite.Node, err error) {
	for _, nodes := range byVersions(f.nodes) {
		before := f.grown
		var b batch
		for _, group := range groupsOf(nodes) {
			if !slices.ContainsFunc(group, func(n *rewrite.Node) bool { return needed[n] }) {
				continue
			}
			part, want := f.afford(group)
			b.nodes = append(b.nodes, part...)
			b.wanted = append(b.wanted, want...)
			if b.bytes += bytesAround(part); b.bytes < maxAtOnce {
				continue
			}
			if failed, err := f.fold(b); failed != nil || err != nil {
				f.grown = before
				return failed, err
			}
			before, b = f.grown, batch{}
		}
		if failed, err := f.fold(b); failed != nil || err != nil {
			f.grown = before
			return failed, err
		}
	}
	return nil, nil
}

// batch is nodes that can stand in one model, with those of their values that
// something else needs.
type batch struct {
	nodes  []*rewrite.Node
	wanted []*rewrite.Value
	bytes  int64 // that the nodes read and make, about
}

// bytesAround is the size of the constants that nodes read and of what they make.
func bytesAround(nodes []*rewrite.Node) int64 {
	total := int64(0)
	for _, n := range nodes {
		for _, v := range n.Inputs() {
			if v != nil && v.Constant() != nil {
				bytes, _ := bytesOf(v)
				total += bytes
			}
		}
		for _, v := range n.Outputs() {
			bytes, _ := bytesOf(v)
			total += bytes
		}
	}
	return total
}

// byVersions parts nodes by the versions of operators that they are of.
func byVersions(nodes []*rewrite.Node) [][]*rewrite.Node {
	var out [][]*rewrite.Node
	at := map[string]int{}
	known := map[*rewrite.Graph]int{}
	for _, n := range nodes {
		i, ok := known[n.Graph()]
		if !ok {
			key := fmt.Sprint(n.Graph().Opsets())
			if i, ok = at[key]; !ok {
				i = len(out)
				at[key] = i
				out = append(out, nil)
			}
			known[n.Graph()] = i
		}
		out[i] = append(out[i], n)
	}
	return out
}

// fold computes a batch and puts constants in place of what it makes.
func (f *folding) fold(b batch) (failed *rewrite.Node, err error) {
	if len(b.wanted) == 0 {
		return nil, nil
	}
	results, err := f.compute(b.nodes, b.wanted)
	if stop := f.ctx.Err(); stop != nil {
		return nil, stop
	}
	var full *graphops.ScratchError
	if errors.As(err, &full) {
		return nil, err
	}
	if err != nil {
		return f.search(b.nodes, err), nil
	}
	f.become(b.nodes, b.wanted, results)
	return nil, nil
}

// become puts constants in place of values, and removes the nodes that made them.
func (f *folding) become(nodes []*rewrite.Node, wanted []*rewrite.Value, results []*graphops.Tensor) {
	made := 0
	for i, v := range wanted {
		if v.Become(results[i]) {
			made++
		}
	}
	gone := 0
	for _, n := range slices.Backward(nodes) {
		if !slices.ContainsFunc(n.Outputs(), func(v *rewrite.Value) bool { return v != nil && v.Uses() > 0 }) {
			n.Remove()
			gone++
		}
	}
	if len(wanted) > 0 {
		f.did(counted(gone, "node", "nodes") + " became " + counted(made, "constant", "constants"))
	}
}

// compute runs nodes and gives the wanted values as stored tensors.
func (f *folding) compute(nodes []*rewrite.Node, wanted []*rewrite.Value) ([]*graphops.Tensor, error) {
	m, names := f.m.Part(nodes, wanted)
	want := make([]graphops.Want, len(wanted))
	for i, v := range wanted {
		want[i] = graphops.Want{Name: names[v], Elements: true}
	}
	var out []*graphops.Tensor
	err := f.o.Runner.Run(f.ctx, m, nil, want, func(g graphops.Got) error {
		v := wanted[len(out)]
		if !g.Value.IsTensor() {
			return fmt.Errorf("value %q came as a %s", v.Name(), g.Value.Type)
		}
		t, err := f.keep(v.Name(), g.Value.Tensor)
		out = append(out, t)
		return err
	})
	if err == nil && len(out) < len(wanted) {
		err = fmt.Errorf("%d of %d values came", len(out), len(wanted))
	}
	return out, err
}

// keep is a computed tensor, outside of memory if it is large.
func (f *folding) keep(name string, t tensor.Tensor) (*graphops.Tensor, error) {
	if t.DType == tensor.String {
		return graphops.NewTensorOf(name, t), nil
	}
	p, err := f.scratch.Keep(t.Data)
	if err != nil {
		return nil, err
	}
	return graphops.NewTensor(name, t.DType, t.Shape, p), nil
}

// search finds the first node that does not run: the last one of the shortest
// beginning that fails. It is never folded.
func (f *folding) search(nodes []*rewrite.Node, why error) *rewrite.Node {
	runs, fails := 0, len(nodes)
	for fails-runs > 1 {
		half := (runs + fails) / 2
		if err := f.try(nodes[:half]); err != nil {
			fails, why = half, err
		} else {
			runs = half
		}
		if f.ctx.Err() != nil {
			break
		}
	}
	n := nodes[fails-1]
	f.unable[n] = true
	f.refuse(n, fmt.Sprintf("ONNX Runtime does not run it: %v", why))
	return n
}

// try runs nodes and looks at no value.
func (f *folding) try(nodes []*rewrite.Node) error {
	var last []*rewrite.Value
	in := map[*rewrite.Node]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	for _, n := range nodes {
		for _, v := range n.Outputs() {
			if v != nil && !slices.ContainsFunc(v.Readers(), func(r *rewrite.Node) bool { return in[r] }) {
				last = append(last, v)
			}
		}
	}
	m, names := f.m.Part(nodes, last)
	want := make([]graphops.Want, len(last))
	for i, v := range last {
		want[i] = graphops.Want{Name: names[v]}
	}
	return f.o.Runner.Run(f.ctx, m, nil, want, func(graphops.Got) error { return nil })
}

// dependAlone tells of how many nodes it is the case.
func dependAlone(n int) string {
	return counted(n, "node that depends on constants alone", "nodes that depend on constants alone")
}
