package quantization

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/nbits"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/reporting"
	"lathe/session/text"
)

// nbitsFlags are the fields of mode nbits. It also uses Symmetric, Asymmetric, Format and PerChannel.
type nbitsFlags struct {
	Bits          string
	Method        string
	BlockSize     string
	AccuracyLevel string
	TableAxis     string
	Damping       string
	LargestFirst  bool
}

// The formats of the result, with the names that mode static has for its own.
const (
	formatOperators = "qoperator"
	formatStandard  = "qdq"
)

func (s *Quantization) nbitsSettings() []session.Option {
	var sizes []string
	for _, n := range nbits.BlockSizes() {
		sizes = append(sizes, strconv.FormatInt(n, 10))
	}
	d := nbits.DefaultOptions()
	return slices.Concat([]session.Option{
		session.Choice(&s.Bits, "bits", "store each weight in this many `BITS`", "2", "4", "8").WithDefault(strconv.Itoa(d.Bits)).AsUsual(),
		session.Choice(&s.BlockSize, "block-size", "let this `NUMBER` of weights share a scale", sizes...).WithDefault(strconv.FormatInt(d.BlockSize, 10)).AsUsual(),
		session.Choice(&s.Method, "method", "find integers by `METHOD`: rtn takes the nearest; k-quant and hqq reduce the error of weights, gptq that on --data", nbits.Methods()...).WithDefault(d.Method.String()).AsUsual(),
		session.Switch(&s.Symmetric, "symmetric", "center the range of a block on 0, without a zero point").WithDefault("unless --asymmetric, or --method k-quant or hqq").AsUsual(),
		session.Switch(&s.Asymmetric, "asymmetric", "use a zero point that fits the range of a block").AsUsual(),
		session.Choice(&s.AccuracyLevel, "accuracy-level", "let MatMulNBits compute in a type as precise as this `LEVEL`: 1 float32, 2 float16, 3 bfloat16, 4 int8; 0 leaves it to the kernel", "0", "1", "2", "3", "4").WithDefault("0").AsUsual(),
		session.Choice(&s.Format, "format", "write the quantized model in this `FORMAT`; MatMulNBits and GatherBlockQuantized of ONNX Runtime (qoperator), or the standard's DequantizeLinear with blocks (qdq)", formatOperators, formatStandard).WithDefault(formatOperators).AsUsual(),
		session.Switch(&s.PerChannel, "per-channel", "with --format qdq: use one scale for a whole column in place of blocks"),
	}, []session.Option{
		session.List(&s.OpTypes, "include-ops", "quantize operator `OP`, one of "+strings.Join(nbits.OpTypes(), ", ")+"; repeat for several").WithDefault("MatMul").Naming(session.NamesOp, "").AsUsual(),
	}, s.nodeOptions("")[1:], []session.Option{
		s.samplesOption("with --method gptq: run the model on the first `N` rows or folders of --data"),
		session.Text(&s.Damping, "damping", "with --method gptq: add this `SHARE` of the mean to the diagonal of XᵀX, so that few data do not decide too much").WithDefault(strconv.FormatFloat(d.Damping, 'g', -1, 64)).AsRare(),
		session.Switch(&s.LargestFirst, "largest-first", "with --method gptq: quantize rows with larger inputs first, with scales of the original weights").AsRare(),
		session.Text(&s.TableAxis, "table-axis", "divide the table of a Gather into blocks along this `AXIS`").WithDefault("1").AsRare(),
	})
}

func (s *Quantization) nbitsOptions() (nbits.Options, error) {
	o := nbits.DefaultOptions()
	if s.Symmetric && s.Asymmetric {
		return o, session.UsageError("weights are either --symmetric or --asymmetric")
	}
	if s.PerChannel && s.BlockSize != "" {
		return o, session.UsageError("--per-channel makes a column one block, so --block-size has no effect; give one of them")
	}
	for _, x := range []struct {
		text string
		set  func(n int)
	}{
		{s.Bits, func(n int) { o.Bits = n }},
		{s.BlockSize, func(n int) { o.BlockSize = int64(n) }},
		{s.AccuracyLevel, func(n int) { o.AccuracyLevel = n }},
	} {
		if n, err := strconv.Atoi(x.text); err == nil { // "" keeps the default
			x.set(n)
		}
	}
	if s.Method != "" {
		o.Method, _ = nbits.ParseMethod(s.Method) // the option accepts no other names
	}
	if s.Symmetric && o.Method.HasZeroPoints() {
		return o, session.UsageError(fmt.Sprintf("--symmetric: --method %s gives each block a zero point; leave out --symmetric, or choose --method %s", o.Method, nbits.Nearest))
	}
	o.Symmetric, o.PerChannel = !s.Asymmetric && !o.Method.HasZeroPoints(), s.PerChannel
	if s.Format == formatStandard {
		o.Format = nbits.Standard
	}
	if s.TableAxis != "" {
		axis, err := strconv.Atoi(s.TableAxis)
		if err != nil {
			return o, session.UsageError(fmt.Sprintf("--table-axis %q is not an axis; expected an integer such as 1, or -1 for the last axis", s.TableAxis))
		}
		o.TableAxis = axis
	}
	o.OpTypes, o.Include, o.Exclude = s.OpTypes, s.Include, s.Exclude
	return o, s.gptqOptions(&o)
}

// gptqOptions sets the options that only GPTQ has.
func (s *Quantization) gptqOptions(o *nbits.Options) error {
	o.LargestFirst = s.LargestFirst
	if s.Damping != "" {
		share, err := strconv.ParseFloat(s.Damping, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return session.UsageError(fmt.Sprintf("--damping %q is not a share; expected a number from 0 to 1, such as %v", s.Damping, nbits.DefaultDamping))
		}
		o.Damping = share
	}
	if o.Method == nbits.GPTQ {
		return nil
	}
	for _, idle := range []struct {
		flag string
		set  bool
	}{{"samples", s.Samples != 0}, {"damping", s.Damping != ""}, {"largest-first", s.LargestFirst}} {
		if idle.set {
			return session.UsageError(fmt.Sprintf("--%s: has an effect only with --method %s", idle.flag, nbits.GPTQ))
		}
	}
	return nil
}

func (s *Quantization) nbitsDraft(ctx context.Context, m *graphops.Model, _ bool) (*quant.Draft, error) {
	o, err := s.nbitsOptions()
	if err != nil {
		return nil, err
	}
	return nbits.Draft(ctx, m, o)
}

// nbits quantizes weights in blocks and leaves activations as they are.
func (s *Quantization) nbits(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	o, err := s.nbitsOptions()
	if err != nil {
		return nil, nil, err
	}
	run, used, err := s.activations(env, o)
	if err != nil {
		return nil, nil, err
	}
	quantized, found, err := nbits.QuantizeOn(ctx, m, o, run, readingWeights(env))
	if err != nil {
		return nil, nil, err
	}
	r := integerReport(found.Quantized, found.Skipped)
	r.Warnings = found.Warnings
	r.blockwise = blockwiseOf(o.Method, found.Weights)
	r.blockwise.OnData = used
	return quantized, r, nil
}

// blockwise has the part of a report that only mode nbits has.
type blockwise struct {
	Method  string        `json:"method"`
	OnData  *onData       `json:"method_data,omitempty"` // nil if the method needs none
	Weights []blockWeight `json:"weights"`
}

// blockWeight is a weight that was quantized in blocks, and what its numbers lost.
type blockWeight struct {
	Weight      string        `json:"weight"`
	Place       string        `json:"place,omitempty"`
	Nodes       int           `json:"nodes"` // how many read it
	BytesBefore int64         `json:"bytes_before"`
	BytesAfter  int64         `json:"bytes_after"`
	SNR         tensor.Number `json:"snr_db"`
	MaxAbs      tensor.Number `json:"max_abs"`
}

func blockwiseOf(method nbits.Method, list []nbits.Weight) *blockwise {
	b := &blockwise{Method: method.String(), Weights: []blockWeight{}}
	for _, w := range list {
		b.Weights = append(b.Weights, blockWeight{w.Name, w.Place, w.Nodes, w.BytesBefore, w.BytesAfter, tensor.Number(w.Error.SNR()), tensor.Number(w.Error.MaxAbs)})
	}
	return b
}

// writeText writes the weights that lost most.
func (b *blockwise) writeText(w io.Writer) error {
	if b == nil {
		return nil
	}
	worst := slices.Clone(b.Weights)
	slices.SortStableFunc(worst, func(x, y blockWeight) int {
		switch {
		case x.SNR < y.SNR:
			return -1
		case x.SNR > y.SNR:
			return 1
		}
		return 0
	})
	if d := b.OnData; d != nil {
		fmt.Fprintf(w, "%s used %s of data in %s\n", b.Method, text.Plural(d.Cases, "case"), text.Plural(int(d.Runs), "run"))
	}
	fmt.Fprintf(w, "error of %s by %s, the largest first\n", text.Plural(len(worst), "weight"), b.Method)
	t := text.Table{}
	for i, x := range worst {
		if i == reporting.FewRows {
			t.Add(fmt.Sprintf("and %d more", len(worst)-reporting.FewRows))
			break
		}
		t.Add(text.Clean(x.Weight), "SNR "+compare.Decibels(float64(x.SNR)), fmt.Sprintf("max error %.3g", float64(x.MaxAbs)))
	}
	return t.WriteText(w, "  ")
}
