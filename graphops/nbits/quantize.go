package nbits

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opset"
	"lathe/graphops/quant"
	"lathe/graphops/region"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/blockwise"
)

// opsetBlocks is the opset in which DequantizeLinear has blocks and types of 4 bits.
const opsetBlocks = 21

// Quantize quantizes the weights of a model in blocks. progress, if set, is called with the number of
// bytes of weights that have been read to find their scales and errors. Codes are computed when the
// result is saved, so that they are never held in memory. The result shares unchanged parts with m.
//
// Nodes in bodies are quantized too. Calls of functions that contain nodes to quantize are inlined, as
// region.Inlined does it. A weight that holds NaN or an infinity stays as it is. If nothing can be
// quantized, the error is quant.ErrNothing, and the report is still returned.
//
// GPTQ needs data, see QuantizeOn.
func Quantize(ctx context.Context, m *graphops.Model, o Options, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	return QuantizeOn(ctx, m, o, nil, progress)
}

// QuantizeOn is Quantize with data, which GPTQ needs. The codes that GPTQ finds are held in memory.
func QuantizeOn(ctx context.Context, m *graphops.Model, o Options, run Activations, progress func(done, total int64)) (*graphops.Model, *Report, error) {
	if o.Method == GPTQ && run == nil {
		return nil, nil, fmt.Errorf("%s needs data that the model is run on; the other methods need none", o.Method)
	}
	refused := map[stored]refusal{}
	for {
		p, err := newPlan(ctx, m, o, refused)
		if err != nil {
			return nil, nil, err
		}
		if len(p.weights) == 0 {
			return nil, p.report, p.nothing()
		}
		known := len(refused)
		if err := p.measure(progress); err != nil {
			return nil, nil, err
		}
		if o.Method == GPTQ && len(refused) == known {
			if err := p.compensate(run, progress); err != nil {
				return nil, nil, err
			}
		}
		if len(refused) > known {
			continue // without the weights that cannot be quantized
		}
		result, err := p.apply()
		if err != nil {
			return nil, nil, err
		}
		p.summarize()
		return result, p.report, ctx.Err()
	}
}

// plan is what is decided about a model.
type plan struct {
	ctx      context.Context
	o        Options
	original *graphops.Model
	model    *graphops.Model // the original with functions inlined, and in the opset that the result needs
	inlined  *graphops.Model
	refused  map[stored]refusal // constants that cannot be quantized, and why
	names    *graphops.Names
	nodes    [][]*taken // by place and node; nil for nodes that stay as they are
	weights  []*packed
	known    map[reading]*packed
	inferred *shape.Result
	report   *Report
}

func newPlan(ctx context.Context, m *graphops.Model, o Options, refused map[stored]refusal) (*plan, error) {
	if err := o.check(m); err != nil {
		return nil, err
	}
	p := &plan{ctx: ctx, o: o, original: m, inlined: m, refused: refused, known: map[reading]*packed{}, report: &Report{}}
	if p.inFunctions(m) {
		var calls int
		if p.inlined, calls, _ = region.Inlined(m); calls > 0 {
			p.report.depart(functionBody)
			p.warn("%d calls of functions were inlined, because nodes in functions cannot be quantized", calls)
		}
	}
	p.model = p.inlined
	if o.Format == Standard {
		if err := p.raise(); err != nil {
			return nil, err
		}
	}
	if plain := p.model.WithoutOverruled(); plain != p.model {
		p.report.depart(overruledConstant)
		p.model = plain
	}
	p.names = graphops.NamesOf(p.model)
	if already := quant.Already(m); already.Nodes > 0 {
		p.warn("the model is already quantized in part, %s; the rest is quantized now", already)
	}
	if len(o.Include) > 0 {
		p.report.depart(onlyIncluded)
	}
	if slices.ContainsFunc(o.OpTypes, func(op string) bool { return op == "Gather" }) {
		p.report.depart(opsetConverter)
	}
	return p, p.choose()
}

// raise converts the model to the opset that has blocks.
func (p *plan) raise() error {
	before, _ := p.model.Opset(graphops.DefaultDomain)
	raised, _, err := opset.AtLeast(p.ctx, p.model, opsetBlocks)
	if err != nil {
		return fmt.Errorf("the standard's form of blocks needs opset %d, and the model cannot be converted to it; the operators of ONNX Runtime need no newer opset: %w", opsetBlocks, err)
	}
	if before < opsetBlocks {
		p.report.depart(opsetConverter)
		p.warn("opset %d became %d, the first in which DequantizeLinear has blocks", before, opsetBlocks)
	}
	p.model = raised
	return nil
}

// inFunctions reports whether a function of the model has a node that could be quantized.
func (p *plan) inFunctions(m *graphops.Model) bool {
	return slices.ContainsFunc(m.CalledFunctions(), func(f *graphops.Function) bool {
		return slices.ContainsFunc(f.Graph().Nodes(), func(n *graphops.Node) bool {
			return n.Domain() == graphops.DefaultDomain && slices.Contains(OpTypes(), n.OpType()) && p.o.wants(n.OpType())
		})
	})
}

func (p *plan) warn(format string, args ...any) {
	p.report.Warnings = append(p.report.Warnings, fmt.Sprintf(format, args...))
}

// types returns the inferred types, which are only needed for rare models.
func (p *plan) types() (*shape.Result, error) {
	if p.inferred == nil {
		r, err := shape.Infer(p.ctx, p.model, shape.Options{})
		if err != nil {
			return nil, err
		}
		p.inferred = r
	}
	return p.inferred, nil
}

// keptBytes is how many bytes of scales and zero points are held in memory. Those of further weights are
// computed again when the result is saved.
const keptBytes = 96 << 20

// measure reads the weights, finds what they lose, and which of them cannot be quantized.
func (p *plan) measure(progress func(done, total int64)) error {
	var done, total int64
	for _, w := range p.weights {
		total += w.before()
	}
	left := int64(keptBytes)
	for _, w := range p.weights {
		b, err := w.open()
		if err != nil {
			return err
		}
		size := b.Len(blockwise.Scales) + b.Len(blockwise.ZeroPoints)
		if w.o.Method != Nearest {
			size += blockwise.FitBytes * scaleCount(w)
		}
		w.kept = size <= left
		m, err := b.Measure(p.ctx, w.kept, func(read int64) {
			if progress != nil {
				progress(min(done+read, done+w.before()), total)
			}
		})
		if err := p.refuse(w, err); err != nil {
			return fmt.Errorf("weight %q: %w", w.name, err)
		}
		if w.measured = &m; w.kept {
			left -= size
		}
		done += w.before()
	}
	return nil
}

// scaleCount returns the number of blocks of a weight.
func scaleCount(w *packed) int64 {
	_, scales, _ := w.shapes()
	n := int64(1)
	for _, d := range scales {
		n *= d
	}
	return n
}

// refusal says why a weight cannot be quantized.
type refusal struct {
	departure Departure
	reason    string
}

// refuse records a weight that cannot be quantized. It returns any other error.
func (p *plan) refuse(w *packed, err error) error {
	var number *tensor.NotFiniteError
	var wide *blockwise.RangeError
	switch {
	case errors.As(err, &number):
		p.refused[w.key()] = refusal{notFinite, fmt.Sprintf("reads %q, whose element %d is %v, which integers cannot represent", w.name, number.Index, number.Value)}
	case errors.As(err, &wide):
		p.refused[w.key()] = refusal{rangeOverflow, fmt.Sprintf("reads %q, whose numbers from element %d on lie too far apart for a scale", w.name, wide.Index)}
	default:
		return err
	}
	return nil
}

// nothing returns the error for a model in which no node is quantized.
func (p *plan) nothing() error {
	switch {
	case quant.IsQuantized(p.original):
		return fmt.Errorf("%w: the model is already quantized, %s; start from the original model", quant.ErrNothing, quant.Already(p.original))
	case len(p.report.Skipped) > 0:
		return quant.LeftOut(p.report.Skipped)
	}
	return fmt.Errorf("%w: no MatMul or Gather reads a constant of floating-point numbers", quant.ErrNothing)
}

// summarize fills the report's lists.
func (p *plan) summarize() {
	for _, list := range p.nodes {
		for _, t := range list {
			if t == nil {
				continue
			}
			n, w := t.place.Graph.Nodes()[t.index], t.weight
			q := quant.Quantized{Place: t.place.String(), Index: t.index, Node: n.Name(), Op: n.OpType(), Weight: w.name}
			if !w.counted {
				w.counted = true
				q.BytesBefore, q.BytesAfter = w.before(), w.after()
				p.noteBlocks(w)
				p.report.Weights = append(p.report.Weights, Weight{w.name, w.place.String(), w.nodes, q.BytesBefore, q.BytesAfter, w.measured.Error})
			}
			p.report.Quantized = append(p.report.Quantized, q)
		}
	}
	for _, d := range p.refused {
		p.report.depart(d.departure)
	}
}

// noteBlocks reports the departures that the blocks of a weight show.
func (p *plan) noteBlocks(w *packed) {
	if w.measured.Tiny {
		p.report.depart(tinyRange)
	}
	if w.measured.ZeroBlock && w.form == tableForm && w.o.Symmetric {
		p.report.depart(zeroSign)
	}
}
