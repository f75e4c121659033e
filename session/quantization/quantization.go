package quantization

import (
	"context"
	"errors"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
	"lathe/session/runtime"
	"lathe/session/trial"
)

// Quantization reduces the precision of a model. Each mode is a step, such as quantize dynamic, and all
// of them test their results in the same way. This file has the common part; each mode has a file
// of its own.
type Quantization struct {
	// Mode is one of Modes. It decides which options the step has.
	Mode        string
	WeightType  string
	PerChannel  bool
	ReduceRange bool
	OpTypes     []string
	Include     []string
	Exclude     []string
	Member      []string // of a folder
	// Generated lets mode static find the ranges of activations on this many generated inputs if there is
	// no data. It is 0 if that is an error.
	Generated int
	dynamicFlags
	halfFlags
	nbitsFlags
	staticFlags
	rangeFlags
	trialFlags
	flags.Keeping
	flags.Saving
}

// precision is one of the modes, such as dynamic or float16.
type precision struct {
	mode, summary string
	// options returns the options of this mode only, without those of the trial and the output.
	options func(*Quantization) []session.Option
	// lower makes the quantized model.
	lower func(*Quantization, context.Context, session.Env, *graphops.Model) (*graphops.Model, *Report, error)
	// draft returns what lower would change. It reads no weights and runs nothing. If quick is set,
	// it may skip the part that takes longest.
	draft func(s *Quantization, ctx context.Context, m *graphops.Model, quick bool) (*quant.Draft, error)
}

var precisions = []precision{
	{
		"dynamic", "quantize weights to 8-bit integers, and activations while the model runs",
		(*Quantization).dynamicSettings, (*Quantization).dynamic, (*Quantization).dynamicDraft,
	},
	{
		"static", "quantize weights and activations, with ranges found on data",
		(*Quantization).staticSettings, (*Quantization).static, (*Quantization).staticDraft,
	},
	{
		"float16", "convert weights and computations to float16",
		(*Quantization).float16Settings, (*Quantization).float16, (*Quantization).float16Draft,
	},
	{
		"bfloat16", "convert weights and computations to bfloat16",
		(*Quantization).halfSettings, (*Quantization).bfloat16, (*Quantization).bfloat16Draft,
	},
	{
		"nbits", "quantize weights in blocks to 2, 4 or 8 bits, and leave activations as they are",
		(*Quantization).nbitsSettings, (*Quantization).nbits, (*Quantization).nbitsDraft,
	},
}

// Modes returns the modes of Quantize.
func Modes() []string {
	modes := make([]string, len(precisions))
	for i, p := range precisions {
		modes[i] = p.mode
	}
	return modes
}

// precision returns the step's mode.
func (s *Quantization) precision() precision {
	return precisions[slices.IndexFunc(precisions, func(p precision) bool { return p.mode == s.Mode })]
}

// About says in one line what the mode does.
func (s *Quantization) About() string { return s.precision().summary }

// Planned reports what Run would do. It runs nothing and writes nothing.
func (s *Quantization) Planned(ctx context.Context, env session.Env, m *graphops.Model) (*Report, error) {
	draft := *s
	draft.previewing = true
	_, r, err := draft.Quantize(ctx, env, m)
	return r, err
}

// Settings returns the options of the mode alone, without those of the trial and the output.
func (s *Quantization) Settings() []session.Option { return s.precision().options(s) }

// Name implements session.Command.
func (s *Quantization) Name() string { return "quantize " + s.Mode }

// Options implements session.Command.
func (s *Quantization) Options() []session.Option {
	out := s.Saving.Options()
	out[0] = out[0].AsRequired()
	settings := session.Measuring(append(s.precision().options(s),
		session.List(&s.Member, "member", "with a folder: quantize only this `MODEL` of it and copy the others; repeat for several").WithDefault("all").AsRare())...)
	all := slices.Concat(settings, s.trialFlags.options(), s.Keeping.Options(), out)
	if at := slices.IndexFunc(all, func(o session.Option) bool { return o.Name == "data" }); at >= 0 && s.Mode == "static" {
		all[at] = all[at].WithDefault("none; give --ranges")
	}
	return session.Foremost(all, "weight-type", "activation-type", "bits", "block-size", "method", "format", "data", "calibration", "samples", "per-channel", "keep-io", "exclude", "include", "include-ops", "out", "force")
}

// Ahead implements session.Running. The trial runs the result and the original.
func (s *Quantization) Ahead() (need runtime.Need, o runtime.Execution) {
	if !s.NoTrial {
		need = runtime.NeedWorker
	}
	return need, runtime.Execution{MemoryLimit: s.How.MemoryLimit}
}

// weightOptions are the options for integer weights of the given types.
func (s *Quantization) weightOptions(types ...string) []session.Option {
	return []session.Option{
		typeChoice(&s.WeightType, "weight-type", "quantize weights to this `TYPE`", types...).WithDefault("int8").AsUsual(),
		session.Switch(&s.PerChannel, "per-channel", "use a scale per column of a weight instead of one per tensor").AsUsual(),
		session.Switch(&s.ReduceRange, "reduce-range", "leave one bit of weights unused, to prevent saturation on CPUs without VNNI").AsUsual(),
		session.Switch(&s.Symmetric, "symmetric", "center the range of weights on 0").WithDefault("for int8 only"),
		session.Switch(&s.Asymmetric, "asymmetric", "use a zero point that fits the range of weights").WithDefault("for uint8 only"),
	}
}

// typeChoice is a choice of element types. It accepts every name of a type, such as i8 for int8.
func typeChoice(p *string, name, usage string, types ...string) session.Option {
	return session.Choice(p, name, usage, types...).Spelled(func(v string) string {
		d, err := tensor.ParseDType(v)
		for _, t := range types {
			if err == nil && storedTypes[t] == d {
				return t
			}
		}
		return v
	})
}

// nodeOptions are the options that select nodes.
func (s *Quantization) nodeOptions(about string) []session.Option {
	return []session.Option{
		session.List(&s.OpTypes, "include-ops", "quantize only operator `OP`"+about+"; repeat for several").WithDefault("all").Naming(session.NamesOp, "").AsUsual().Formerly("op-types"),
		session.List(&s.Include, "include", "quantize only node `NODE`; repeat for several").WithDefault("all").Naming(session.NamesNode, "").AsUsual(),
		session.List(&s.Exclude, "exclude", "do not quantize node `NODE`; repeat for several").Naming(session.NamesNode, "").AsUsual(),
	}
}

// Run quantizes a model, tries the result, and writes it. The report of the result is a
// *Report.
func (s *Quantization) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if len(s.Member) > 0 {
		return session.Result{}, session.UsageError("--member: has an effect only with a folder in place of a model")
	}
	if err := s.Saving.CheckTarget(ctx); err != nil {
		return session.Result{}, err
	}
	s, remove, err := s.withPrinted(ctx, env, m)
	if err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	defer remove()
	if s.NoTrial && s.Out != "" {
		once := *s
		once.scalesLater = true
		result, err := once.runOnce(ctx, env, m)
		if !errors.Is(err, quant.ErrRanges) {
			return result, err
		}
	}
	return s.runOnce(ctx, env, m)
}

// runOnce is Run after the options were checked.
func (s *Quantization) runOnce(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	quantized, r, err := s.quantize(ctx, env, m)
	if err != nil {
		return session.Result{}, err
	}
	if err := s.Try(ctx, env, m, quantized, r); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if r.File, err = s.Save(ctx, env, quantized, smallerStorageFor(m, quantized)); err != nil {
		return session.Result{}, err
	}
	if err := r.count(ctx, env); err != nil {
		return session.Result{}, session.InModel(m, err)
	}
	if err := s.store(ctx, env, m, quantized, r); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: quantized, Report: r, Files: r.File.Files(), No: r.IsDoubtful()}, nil
}

// smallerStorageFor is storageFor for a model whose weights became smaller, at most by a factor of
// eight. Weights that were external because of their size stay external.
func smallerStorageFor(original, m *graphops.Model) graphops.SaveOptions {
	o := trial.StorageFor(original, m)
	if original.HasExternalData() {
		o.MinExternal = max(o.MinExternal/8, 1)
	}
	return o
}

// Quantize makes the quantized model. It neither tries nor writes it.
func (s *Quantization) Quantize(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	quantized, r, err := s.quantize(ctx, env, m)
	if err != nil {
		return nil, nil, err
	}
	return quantized, r, session.InModel(m, r.count(ctx, env))
}

// quantize is Quantize without the count of changed numbers, which the caller makes with
// Report.count after it has read the weights anyway.
func (s *Quantization) quantize(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	quantized, r, err := s.precision().lower(s, ctx, env, m)
	if err != nil {
		return nil, nil, session.InModel(m, err)
	}
	r.Schema = "lathe.quantize/1"
	r.Quantized, r.Skipped, r.Notes, r.Warnings = reporting.OrEmpty(r.Quantized), reporting.OrEmpty(r.Skipped), reporting.OrEmpty(r.Notes), reporting.OrEmpty(r.Warnings)
	if r.Before, err = reporting.ExtentOf(m); err != nil {
		return nil, nil, err
	}
	r.After, err = reporting.ExtentOf(quantized)
	return quantized, r, err
}
