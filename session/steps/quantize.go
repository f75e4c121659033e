package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
)

// Quantize lowers the precision of a model. What several modes ask for stands here, what
// one alone asks for in its file.
type Quantize struct {
	Mode        string
	WeightType  string
	PerChannel  bool
	ReduceRange bool
	OpTypes     []string
	Include     []string
	Exclude     []string
	dynamicFlags
	halfFlags
	staticFlags
	rangeFlags
	trialFlags
	keeping
	output
}

// precision is one mode: the flags that it takes besides those of the output, and what
// makes the model.
type precision struct {
	mode  string
	flags []string
	lower func(*Quantize, context.Context, session.Env, *graphops.Model) (*graphops.Model, *QuantizeReport, error)
}

var precisions = []precision{
	{"dynamic", []string{"weight-type", "per-channel", "reduce-range", "op-types", "include", "exclude", "all-matmuls", "subgraphs", "symmetric", "asymmetric", "minimum-range"}, (*Quantize).dynamic},
	{"static", staticSettings, (*Quantize).static},
	{"float16", append([]string{"min-positive", "max-finite", "no-scan"}, halfSettings...), (*Quantize).float16},
	{"bfloat16", halfSettings, (*Quantize).bfloat16},
}

// Name implements session.Step.
func (*Quantize) Name() string { return "quantize" }

// Summary implements session.Step.
func (*Quantize) Summary() string {
	return "convert weights to 8 or 16 bits, and compare the result with the original"
}

// Options implements session.Step.
func (s *Quantize) Options() []session.Option {
	modes := make([]string, len(precisions))
	for i, p := range precisions {
		modes[i] = p.mode
	}
	out := s.output.options()
	out[0] = out[0].AsRequired()
	return slices.Concat(
		[]session.Option{session.Choice(&s.Mode, "mode", "what is quantized, and when", modes...).AsOperand().AsRequired()},
		s.settings(),
		s.trialFlags.options(),
		s.keeping.options(),
		out,
	)
}

// Ahead implements session.Running: what was made is run beside the original.
func (s *Quantize) Ahead() (need session.Need, o session.Execution) {
	if !s.NoTrial {
		need = session.NeedWorker
	}
	return need, session.Execution{MemoryLimit: s.how.MemoryLimit}
}

// settings are the options that some mode takes.
func (s *Quantize) settings() []session.Option {
	list := s.ofModes()
	for i, o := range list {
		var modes []string
		for _, p := range precisions {
			if slices.Contains(p.flags, o.Name) {
				modes = append(modes, p.mode)
			}
		}
		if len(modes) < len(precisions) {
			list[i] = o.OnlyFor(modes...)
		}
	}
	return list
}

func (s *Quantize) ofModes() []session.Option {
	return slices.Concat(
		[]session.Option{
			session.Choice(&s.WeightType, "weight-type", "quantize weights to this `TYPE`; dynamic accepts int8 and uint8", "int8", "uint8", "int16", "uint16", "int4", "uint4", float8).WithDefault("int8"),
			session.Switch(&s.PerChannel, "per-channel", "use a scale per column of a weight instead of one per tensor"),
			session.Switch(&s.ReduceRange, "reduce-range", "leave one bit of weights unused, to prevent saturation on CPUs without VNNI"),
		},
		s.dynamicFlags.options(),
		s.staticFlags.options(),
		s.rangeFlags.options(),
		s.halfFlags.options(),
		[]session.Option{
			session.List(&s.OpTypes, "op-types", "quantize only operator `OP`; dynamic accepts "+strings.Join(quant.OpTypes(), ", ")+"; repeat for several").Naming(session.NamesOp, ""),
			session.List(&s.Include, "include", "quantize only node `NODE`; repeat for several").Naming(session.NamesNode, ""),
			session.List(&s.Exclude, "exclude", "do not quantize node `NODE`; repeat for several").Naming(session.NamesNode, ""),
		},
	)
}

// Preview implements session.Step.
func (s *Quantize) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	draft := *s
	draft.previewing = true
	_, r, err := draft.quantize(ctx, env, m)
	return session.Preview{Report: r}, err
}

// Run implements session.Step.
func (s *Quantize) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.output.check(ctx); err != nil {
		return session.Result{}, err
	}
	s, remove, err := s.withPrinted(ctx, env, m)
	if err != nil {
		return session.Result{}, about(m, err)
	}
	defer remove()
	quantized, r, err := s.quantize(ctx, env, m)
	if err != nil {
		return session.Result{}, err
	}
	if err := s.try(ctx, env, m, quantized, r); err != nil {
		return session.Result{}, about(m, err)
	}
	if r.File, err = s.save(ctx, env, quantized, smallerStorageFor(m, quantized)); err != nil {
		return session.Result{}, err
	}
	if err := s.store(ctx, env, m, quantized, r); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: quantized, Report: r, Files: r.File.files(), No: r.isDoubtful()}, nil
}

// smallerStorageFor is storageFor of a model whose weights have become smaller, by eight
// times at most: what was outside for its size stays there.
func smallerStorageFor(original, m *graphops.Model) graphops.SaveOptions {
	o := storageFor(original, m)
	if original.HasExternalData() {
		o.MinExternal = max(o.MinExternal/8, 1)
	}
	return o
}

func (s *Quantize) quantize(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *QuantizeReport, error) {
	at := slices.IndexFunc(precisions, func(p precision) bool { return p.mode == s.Mode })
	if at < 0 {
		return nil, nil, session.UsageError("quantize: choose a mode, such as lathe quantize dynamic MODEL")
	}
	if err := s.takes(precisions[at]); err != nil {
		return nil, nil, err
	}
	quantized, r, err := precisions[at].lower(s, ctx, env, m)
	if err != nil {
		return nil, nil, about(m, err)
	}
	r.Schema = "lathe.quantize/1"
	r.Quantized, r.Skipped, r.Notes, r.Warnings = orEmpty(r.Quantized), orEmpty(r.Skipped), orEmpty(r.Notes), orEmpty(r.Warnings)
	if r.Before, err = extentOf(m); err != nil {
		return nil, nil, err
	}
	r.After, err = extentOf(quantized)
	return quantized, r, err
}

// takes refuses what is set and means nothing to the mode.
func (s *Quantize) takes(p precision) error {
	for _, o := range s.settings() {
		if len(o.For) > 0 && len(o.Values()) > 0 && !slices.Contains(o.For, p.mode) {
			return session.UsageError(fmt.Sprintf("--%s does not apply to quantize %s, only to %s", o.LongFlag(), p.mode, strings.Join(o.For, ", ")))
		}
	}
	return nil
}
