package quantization

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/text"
)

// staticFlags has the options that only mode static has, except those about ranges of activations.
type staticFlags struct {
	ActivationType       string
	SymmetricActivations bool
	FloatBias            bool
	MinimumRange         float64
	QuantizeMasks        bool
	NoPreprocess         bool
	Format               string
	Extra                []string
	Overrides            string
}

// float8 is the type that either both weights and activations have, or neither.
const float8 = "float8e4m3fn"

// storedTypes are the types to which constants and activations can be quantized.
var storedTypes = map[string]tensor.DType{
	"int8": tensor.I8, "uint8": tensor.U8, "int16": tensor.I16, "uint16": tensor.U16, "int4": tensor.I4, "uint4": tensor.U4,
	float8: tensor.F8E4M3FN,
}

func (s *Quantization) staticSettings() []session.Option {
	types := []string{"int8", "uint8", "int16", "uint16", "int4", "uint4", float8}
	return slices.Concat(
		s.weightOptions(types...),
		[]session.Option{
			typeChoice(&s.ActivationType, "activation-type", "quantize activations to this `TYPE`; float8e4m3fn needs the same --weight-type", "int8", "uint8", "int16", "uint16", float8).WithDefault("int8").AsUsual(),
			session.Choice(&s.Format, "format", "write the quantized model in this `FORMAT`; pairs of QuantizeLinear and DequantizeLinear (qdq), or integer operators (qoperator)", "qdq", "qoperator").WithDefault("qdq").AsUsual(),
		},
		s.nodeOptions(""),
		s.rangeFlags.options(),
		[]session.Option{
			session.Switch(&s.NoPreprocess, "no-preprocess", "do not simplify the model before quantizing it"),
			session.Switch(&s.SymmetricActivations, "symmetric-activations", "center the range of activations on 0").AsRare(),
			session.Switch(&s.FloatBias, "float-bias", "keep biases in float32").AsRare(),
			s.minimumRange(),
			session.Switch(&s.QuantizeMasks, "quantize-masks", "quantize the input of a Softmax even if a mask makes its range so wide that all scores become the same integer").AsRare(),
			session.Keyed(&s.Extra, "extra", "set one of the extra_options of onnxruntime.quantization: `KEY=VALUE`, KEY one of "+strings.Join(static.Extras(), ", ")+"; repeat for several").AsRare(),
			session.Path(&s.Overrides, "overrides", "read types, scales and ranges of single values from this JSON `FILE`, in the format of TensorQuantOverrides of onnxruntime.quantization").OfFiles(".json").WithDefault("none").AsRare(),
		},
	)
}

// minimumRange is an option of the modes dynamic and static, which quantize to integers.
func (f *staticFlags) minimumRange() session.Option {
	return session.Float(&f.MinimumRange, "minimum-range", "widen narrower ranges to this `WIDTH`").WithDefault("no minimum").AsRare()
}

// static quantizes weights and activations. The ranges of activations are found on data.
func (s *Quantization) static(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	o, err := s.staticOptions()
	if err != nil {
		return nil, nil, err
	}
	original := m
	m, before, err := s.prepare(ctx, env, m)
	if err != nil {
		return nil, nil, err
	}
	carried, values, err := static.Wanted(ctx, m, o)
	if err != nil {
		return nil, nil, ofPrepared(original, before, err)
	}
	if len(values) == 0 {
		return nil, nil, fmt.Errorf("%w: no operator that can be quantized reads or makes float32", quant.ErrNothing)
	}
	table, ranges, err := s.findRanges(ctx, env, carried, values)
	if err != nil {
		return nil, nil, err
	}
	if len(table.Tensors) == 0 {
		first := ranges.LeftOut[0]
		return nil, nil, fmt.Errorf("%w: no value gets a range from the data: %q, %s", quant.ErrNothing, first.Value, first.Reason)
	}
	env.Progress(session.Progress{Phase: "quantizing"})
	o.Runtime = env.RuntimeVersion(ctx)
	result, found, err := static.Quantize(ctx, m, table, o)
	if err != nil {
		return nil, nil, ofPrepared(original, before, err)
	}
	r := integerReport(found.Quantized, found.Skipped)
	r.Warnings, r.Ranges = append(found.Warnings, ranges.Remarks...), ranges
	r.Prepared = before
	r.Notes = append(r.Notes, ranges.Notes...)
	if s.isFloat8() {
		r.Warnings = append(r.Warnings, float8Warning(o.Runtime))
	}
	if n := normalizations(m); n > 0 && s.NoPreprocess {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: simplify folds a normalization into the Conv before it, which quantizes better; leave out --no-preprocess", text.Plural(n, "BatchNormalization")))
	}
	return result, r, nil
}

// float8Warning says how a version of ONNX Runtime runs a float8 model on the CPU. The optimizations
// of 1.32 make no integer operators of it. But they leave out a Relu before QuantizeLinear as if its
// type had no negative numbers.
func float8Warning(version string) string {
	does, otherwise := "loads", "fuse integer operators that do not exist for float8"
	if opschema.IsRelease(version) && opschema.CompareReleases(version, "1.32") >= 0 {
		does, otherwise = "computes the results of", "leave out each Relu whose result becomes float8"
	}
	return "ONNX Runtime's CPU " + does + " a float8 model only with --session-config " + pairsStay + " (or --opt basic), because it would otherwise " + otherwise + "; it computes in float32, and the result was tried in this way"
}

// isFloat8 reports whether one of the types is float8; the other one must be, too.
func (s *Quantization) isFloat8() bool { return s.WeightType == float8 || s.ActivationType == float8 }

func (s *Quantization) staticOptions() (static.Options, error) {
	o := static.DefaultOptions()
	if s.Symmetric && s.Asymmetric {
		return o, session.UsageError("weights are either --symmetric or --asymmetric")
	}
	if s.isFloat8() {
		o.WeightType, o.ActivationType = tensor.F8E4M3FN, tensor.F8E4M3FN
	}
	if s.WeightType != "" {
		o.WeightType = storedTypes[s.WeightType]
	}
	if s.ActivationType != "" {
		o.ActivationType = storedTypes[s.ActivationType]
	}
	o.PerChannel, o.ReduceRange = s.PerChannel, s.ReduceRange
	o.WeightSymmetric = s.symmetry()
	o.ActivationSymmetric, o.QuantizeBias, o.MinimumRealRange = s.SymmetricActivations, !s.FloatBias, s.MinimumRange
	o.Masks = s.QuantizeMasks
	if s.Format == "qoperator" {
		o.Format = static.FormatOperators
	}
	for _, x := range s.Extra {
		name, value, _ := strings.Cut(x, "=")
		if err := o.Set(name, value); err != nil {
			return o, session.UsageError("--extra: " + err.Error())
		}
	}
	o.OpTypes, o.Include, o.Exclude = s.OpTypes, s.Include, s.Exclude
	return o, s.readOverrides(&o)
}

// readOverrides reads the types, scales and ranges given for single values.
func (s *Quantization) readOverrides(o *static.Options) error {
	if s.Overrides == "" {
		return nil
	}
	f, err := os.Open(s.Overrides)
	if err != nil {
		return fmt.Errorf("--overrides: %w", err)
	}
	defer f.Close()
	if o.Overrides, err = static.ReadOverrides(f); err != nil {
		return fmt.Errorf("--overrides %s: %w", s.Overrides, err)
	}
	return nil
}

// normalizations counts the BatchNormalization nodes, which simplify would fold.
func normalizations(m *graphops.Model) int {
	n := 0
	for _, node := range m.Graph().Nodes() {
		if node.Is("BatchNormalization") {
			n++
		}
	}
	return n
}
