package quantization

import (
	"context"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
)

// dynamicFlags are the fields of mode dynamic. Mode static also uses Symmetric and Asymmetric.
type dynamicFlags struct {
	AllMatMuls bool
	Subgraphs  bool
	Symmetric  bool
	Asymmetric bool
	// scalesLater reads weights only when the result is saved (see quant.DynamicOptions).
	scalesLater bool
}

func (s *Quantization) dynamicSettings() []session.Option {
	return slices.Concat(
		s.weightOptions("int8", "uint8"),
		s.nodeOptions(", one of "+strings.Join(quant.OpTypes(), ", ")),
		[]session.Option{
			session.Switch(&s.AllMatMuls, "all-matmuls", "also quantize products of two computed values, such as in attention").AsUsual(),
			session.Switch(&s.Subgraphs, "subgraphs", "also quantize nodes in subgraphs, such as the branches of an If"),
			s.minimumRange(),
		},
	)
}

func (s *Quantization) dynamicDraft(ctx context.Context, m *graphops.Model, quick bool) (*quant.Draft, error) {
	return quant.DynamicDraft(ctx, m, s.dynamicOptions(), quick)
}

// dynamic quantizes weights now. Activations are quantized while the model runs.
func (s *Quantization) dynamic(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	if s.Symmetric && s.Asymmetric {
		return nil, nil, session.UsageError("weights are either --symmetric or --asymmetric")
	}
	quantized, found, err := quant.Dynamic(ctx, m, s.dynamicOptions(), func(done, total int64) {
		env.Progress(session.Progress{Phase: "reading weights", Done: done, Total: total, Unit: "B"})
	})
	if err != nil {
		return nil, nil, err
	}
	r := integerReport(found.Quantized, found.Skipped)
	r.Warnings = found.Warnings
	return quantized, r, nil
}

func (s *Quantization) dynamicOptions() quant.DynamicOptions {
	o := quant.DefaultDynamicOptions()
	if s.WeightType != "" {
		o.WeightType = storedTypes[s.WeightType]
	}
	o.PerChannel, o.ReduceRange = s.PerChannel, s.ReduceRange
	o.MatMulConstBOnly, o.Subgraphs = !s.AllMatMuls, s.Subgraphs
	o.WeightSymmetric, o.MinimumRealRange = s.symmetry(), s.MinimumRange
	o.OpTypes, o.Include, o.Exclude, o.ScalesLater = s.OpTypes, s.Include, s.Exclude, s.scalesLater
	return o
}

// symmetry returns the symmetry of weights that the flags select.
func (f *dynamicFlags) symmetry() quant.Symmetry {
	switch {
	case f.Symmetric:
		return quant.Symmetric
	case f.Asymmetric:
		return quant.Asymmetric
	}
	return quant.SymmetryByType
}

// integerReport returns the report of the nodes that were quantized and those that were not.
func integerReport(quantized []quant.Quantized, skipped []quant.Skipped) *Report {
	r := &Report{}
	for _, q := range quantized {
		r.Quantized = append(r.Quantized, quantizedNode{q.Place, q.Node, q.Op, q.Weight, q.BytesBefore, q.BytesAfter})
	}
	for _, x := range skipped {
		r.Skipped = append(r.Skipped, skippedNode{x.Place, x.Node, x.Op, x.Reason})
	}
	return r
}
