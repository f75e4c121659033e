package overflow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/half"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// defaultMaxBytes limits the total size, in bytes, of the values that are examined in one run. A
// value of unknown size counts as unknownBytes.
const defaultMaxBytes = 256 << 20

// maxValues is the largest number of values that are examined in one run. A run loads the model with
// these values as outputs, so few large runs take less time than many small ones; ONNX Runtime needs
// more time for each output if there are very many.
const maxValues = 4096

// Options control how a model is run.
type Options struct {
	MaxBytes int64 // of values in one run; 0 means defaultMaxBytes
	// Progress is called with the number of runs done. It may be nil.
	Progress func(done, total int)
}

// Value is a value whose numbers float16 cannot represent.
type Value struct {
	Name string `json:"value"`
	Node string `json:"node"` // the node that computes it; empty for an input
	// AbsMax is the largest magnitude of a finite element over all runs.
	AbsMax tensor.Number `json:"abs_max"`
}

// Found says which values exceed the range of float16, and which nodes have to stay in float32.
type Found struct {
	// Reasons maps nodes of the main graph, by index, to the reason why they have to stay in
	// float32.
	Reasons map[int]string
	// KeptIO are inputs and outputs of the model that have to stay in float32.
	KeptIO []string
	// Values are the values that float16 cannot represent, in the order of the graph.
	Values []Value
	Looked int // number of values examined
	Runs   int
	Bodies int // number of nodes with bodies, whose values were not examined
}

// Scan runs a model on some inputs. It examines the values of the main graph in batches that fit
// into memory.
func Scan(ctx context.Context, run graphops.Runner, m *graphops.Model, cases []graphops.Feeds, o Options) (*Found, error) {
	s := &scan{model: m, index: m.Graph().Index(), largest: map[string]float64{}, found: &Found{Reasons: map[int]string{}}}
	for _, n := range m.Graph().Nodes() {
		if len(n.Graphs()) > 0 {
			s.found.Bodies++
		}
	}
	if len(cases) == 0 {
		return s.found, nil
	}
	sizes, err := s.sizes(ctx, cases[0])
	if err != nil {
		return nil, err
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	batches := inBatches(sizes, o.MaxBytes)
	for _, in := range cases {
		if err := s.feeds(in); err != nil {
			return nil, err
		}
	}
	total := len(batches) * len(cases)
	for _, batch := range batches {
		for _, in := range cases {
			if err := s.run(ctx, run, in, batch); err != nil {
				return nil, err
			}
			if s.found.Runs++; o.Progress != nil {
				o.Progress(s.found.Runs, total)
			}
		}
	}
	s.judge()
	return s.found, nil
}

// run examines some values of one case. An infinity does not count, since float16 has one too;
// values with infinities are profiled in a second run to find their largest finite magnitude.
func (s *scan) run(ctx context.Context, run graphops.Runner, in graphops.Feeds, batch []graphops.Want) error {
	s.infinite = nil
	if err := run.Run(ctx, s.model, in, batch, s.look); err != nil || len(s.infinite) == 0 {
		return err
	}
	return run.Run(ctx, s.model, in, s.infinite, s.look)
}

type scan struct {
	model   *graphops.Model
	index   *graphops.Index
	largest map[string]float64 // largest magnitude of each value over all runs
	found   *Found
	// infinite are the values of a run that contain an infinity and have to be examined again.
	infinite []graphops.Want
}

// sized is the name of a value to examine, and its size in bytes.
type sized struct {
	name  string
	bytes int64
}

// unknownBytes is the size assumed for a value of unknown size.
const unknownBytes = 4 << 20

// sizes returns the float32 values that nodes of the main graph compute, in order, with their sizes
// for the given inputs.
func (s *scan) sizes(ctx context.Context, in graphops.Feeds) ([]sized, error) {
	e := graphops.Edit(s.model)
	for i, v := range e.Inputs {
		if fed, ok := in[v.Name()]; ok && fed.IsTensor() {
			e.Inputs[i] = v.WithType(graphops.Type{Kind: graphops.TypeTensor, Elem: fed.Tensor.DType, Shape: graphops.FixedShape(fed.Tensor.Shape)})
		}
	}
	fixed := e.Model()
	r, err := shape.Infer(ctx, fixed, shape.Options{})
	if err != nil {
		return nil, err
	}
	order, err := fixed.Graph().Order()
	if err != nil {
		return nil, err
	}
	main, x := fixed.Places()[0], fixed.Graph().Index()
	var out []sized
	for _, i := range order {
		n := fixed.Graph().Nodes()[i]
		if n.Is("Constant") {
			continue
		}
		for _, name := range n.Outputs() {
			id, ok := x.Value(name)
			if !ok || x.Producer(id) != i {
				continue
			}
			t := r.Type(main, id)
			if t.Kind == graphops.TypeUnknown {
				t = x.Type(id)
			}
			if t.Kind == graphops.TypeTensor && t.Elem == tensor.F32 {
				out = append(out, sized{name, bytesOf(t)})
			}
		}
	}
	return out, nil
}

func bytesOf(t graphops.Type) int64 {
	if t.Shape == nil {
		return unknownBytes
	}
	dims := make([]int64, len(t.Shape))
	for i, d := range t.Shape {
		if !d.IsFixed() {
			return unknownBytes
		}
		dims[i] = d.Value
	}
	n, err := tensor.Elements(dims)
	if err != nil {
		return unknownBytes
	}
	size, err := t.Elem.ByteLen(n)
	if err != nil {
		return unknownBytes
	}
	return size
}

// inBatches splits the values into batches of at most most bytes, or of one value.
func inBatches(values []sized, most int64) [][]graphops.Want {
	var out [][]graphops.Want
	left := int64(0)
	for _, v := range values {
		if len(out) == 0 || v.bytes > left || len(out[len(out)-1]) == maxValues {
			out, left = append(out, nil), most
		}
		last := len(out) - 1
		out[last] = append(out[last], graphops.Want{Name: v.name, Extent: true})
		left -= v.bytes
	}
	return out
}

// feeds examines the values of the model's inputs.
func (s *scan) feeds(in graphops.Feeds) error {
	for name, v := range in {
		if !v.IsTensor() || v.Tensor.DType != tensor.F32 || v.Stored != nil {
			continue
		}
		p, err := tensor.ProfileOf(v.Tensor)
		if err != nil {
			return fmt.Errorf("input %q: %w", name, err)
		}
		s.note(name, float64(p.AbsMax))
	}
	return nil
}

// look examines one value of a run. It remembers the largest magnitude, or that the value contains
// an infinity and has to be examined again.
func (s *scan) look(g graphops.Got) error {
	if g.Value.Type.Elem != tensor.F32 {
		return nil
	}
	for _, p := range g.Parts {
		switch {
		case p.Profile != nil:
			s.note(g.Name, float64(p.Profile.AbsMax))
		case p.Extent != nil && math.IsInf(p.Extent.Most, 0):
			s.infinite = append(s.infinite, graphops.Want{Name: g.Name, Profile: true})
		case p.Extent != nil:
			s.note(g.Name, p.Extent.Most)
		}
	}
	return nil
}

func (s *scan) note(name string, x float64) {
	if x != x { // no element is finite
		x = 0
	}
	s.largest[name] = max(s.largest[name], x)
}

// judge decides which values float16 cannot represent, and which nodes compute and read them.
func (s *scan) judge() {
	s.found.Looked = len(s.largest)
	g := s.model.Graph()
	for _, v := range g.Inputs() {
		s.judgeValue(v.Name(), -1)
	}
	for i, n := range g.Nodes() {
		for _, name := range n.Outputs() {
			s.judgeValue(name, i)
		}
	}
	slices.Sort(s.found.KeptIO)
	s.found.KeptIO = slices.Compact(s.found.KeptIO)
}

func (s *scan) judgeValue(name string, producer int) {
	largest, looked := s.largest[name]
	id, ok := s.index.Value(name)
	if !looked || !ok || half.Fits(largest) || s.index.Producer(id) != producer {
		return
	}
	v := Value{Name: name, AbsMax: tensor.Number(largest)}
	says := fmt.Sprintf("%q, which reaches %s; float16 ends at %d", name, number(largest), half.LargestF16)
	if largest < 1 {
		says = fmt.Sprintf("%q, whose largest number is %s; all would be 0 in float16", name, number(largest))
	}
	if producer >= 0 {
		v.Node = s.model.Graph().Nodes()[producer].Name()
		s.reason(producer, "makes "+says)
	}
	for _, i := range s.index.Readers(id) {
		s.reason(int(i), "reads "+says)
	}
	if s.index.IsInput(id) || s.index.IsOutput(id) {
		s.found.KeptIO = append(s.found.KeptIO, name)
	}
	s.found.Values = append(s.found.Values, v)
}

// reason records why a node has to stay in float32. It keeps the first reason.
func (s *scan) reason(node int, why string) {
	if s.found.Reasons[node] == "" {
		s.found.Reasons[node] = why
	}
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
