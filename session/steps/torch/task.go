package torch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/quantization"
	"lathe/session/torch"
)

// Task exports a transformer for a task. Its inputs are what the tokenizer makes, an image, or
// sound. Its outputs are those of the task. The batch and the length of texts are dynamic.
type Task struct {
	Task, Path           string
	Opset                int64
	Strategy             []string
	Quantize, AllMatMuls bool
	NoValidate           bool
	NoPast               bool
	MinExternal          int64
	flags.Provenance
	flags.Saving
	flags.Execution
}

const (
	// taskOpset is the opset that the reference uses and that old runtimes read.
	taskOpset = 14
	// oldestOfNew is the first opset that the new exporter writes without conversion.
	oldestOfNew = 18
)

// Name implements session.Step.
func (*Task) Name() string { return "torch task" }

// Summary implements session.Step.
func (*Task) Summary() string {
	return "export a transformer for a task, with its tokenizer's inputs and the task's outputs"
}

// Introspects implements session.Introspecting.
func (*Task) Introspects() {}

// Options implements session.Step.
func (s *Task) Options() []session.Option {
	own := []session.Option{
		session.Choice(&s.Task, "task", "default and seq2seq-encoder output last_hidden_state; pooling outputs embeddings, pooled as the folder of a sentence transformer says, or by the mean; question-answering outputs start_logits and end_logits; the others output logits; text-generation and text2text-generation read and return a cache, and write a folder", torch.Tasks...).AsOperand().AsRequired(),
		session.Path(&s.Path, "path", "the `FOLDER` of a transformer and its tokenizer, or FILE.py:CALLABLE that returns (model, tokenizer)").Holding(withTaskPath).OfFiles(".py").AsOperand().AsRequired().Does(permit.Python),
		session.Int(&s.Opset, "opset", "request opset `N`", 7).WithDefault(fmt.Sprintf("%d, and %d for text-generation and text2text-generation", taskOpset, oldestOfNew)).AsUsual(),
		session.Switch(&s.NoPast, "no-past", "with text-generation and text2text-generation: without a cache, so that every run reads all tokens").AsUsual(),
		session.Switch(&s.Quantize, "quantize", "also quantize the weights to 8 bits, as lathe quantize dynamic does, and compare the result with the model").AsUsual(),
		session.Switch(&s.AllMatMuls, "quantize-all-matmuls", "with --quantize: also quantize products of two computed values, such as in attention").AsRare(),
		strategyOption(&s.Strategy).AsRare(),
		flags.NoCheckOption(&s.NoValidate, "accept the first model that is exported without comparing its results with PyTorch's", "no-validate"),
		externalOption(&s.MinExternal),
	}
	out := s.Saving.Options()
	out[0] = out[0].AsRequired()
	return slices.Concat(own, s.Provenance.Options(), out, s.Execution.Options())
}

// Preview implements session.Step. It makes the PyTorch model and calls it, but exports nothing.
func (s *Task) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	if err := s.check(); err != nil {
		return session.Preview{}, err
	}
	if list := s.models(); len(list) > 0 {
		return s.exportOf(list[len(list)-1], "").Preview(ctx, env, m)
	}
	return s.export().Preview(ctx, env, m)
}

// Run implements session.Step. It does not use the current model.
func (s *Task) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	if err := s.check(); err != nil {
		return session.Result{}, err
	}
	if list := s.models(); len(list) > 0 {
		return s.generation(ctx, env, list)
	}
	return s.export().Run(ctx, env, m)
}

// withTaskPath replaces the path in the model of a task. A module has no path.
func withTaskPath(of string, path func(string) string) string {
	if strings.ContainsRune(of, ':') {
		return flags.WithTargetPath(of, path)
	}
	return path(of)
}

func (s *Task) check() error {
	if s.AllMatMuls && !s.Quantize {
		return session.UsageError("--quantize-all-matmuls: has an effect only with --quantize")
	}
	if s.NoPast && len(s.models()) == 0 {
		return session.UsageError(fmt.Sprintf("--no-past: has an effect only with %s and %s", torch.TextGeneration, torch.Text2Text))
	}
	return nil
}

// export returns the Export step that exports the model of the task.
func (s *Task) export() *Export {
	e := &Export{
		Opset: s.Opset, Strategy: s.Strategy, NoValidate: s.NoValidate, MinExternal: s.MinExternal,
		Provenance: s.Provenance, Saving: s.Saving, Execution: s.Execution, as: s,
	}
	e.Target, e.Task = s.Path, s.Task
	if e.Opset == 0 {
		e.Opset, e.anyOpset = taskOpset, true
		if len(s.models()) > 0 { // tracing makes constants of the sizes of a cache
			e.Opset = oldestOfNew
		}
	}
	if len(e.Strategy) == 0 && e.Opset < oldestOfNew { // which only the old exporter writes without conversion
		for _, x := range []torch.Strategy{torch.Legacy, torch.NonStrict, torch.Strict} {
			e.Strategy = append(e.Strategy, string(x))
		}
	}
	if s.Quantize {
		e.finish = s.quantized
	}
	return e
}

// quantized quantizes the exported model with quantize dynamic.
func (s *Task) quantized(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *quantization.Report, error) {
	q := &quantization.Quantization{Mode: "dynamic"}
	q.AllMatMuls, q.How = s.AllMatMuls, s.Execution
	out, r, err := q.Quantize(ctx, env, m)
	if err != nil {
		return nil, nil, err
	}
	return out, r, q.Try(ctx, env, m, out, r)
}

// strategyOption selects the strategies and their order.
func strategyOption(list *[]string) session.Option {
	var all []string
	for _, x := range torch.Strategies {
		all = append(all, string(x))
	}
	return session.Several(list, "strategy", "try only these `WAYS`, separated by commas, in this order", all...).WithDefault("all, up to the first with a right result")
}

func externalOption(n *int64) session.Option {
	return session.Int(n, "external-data", "store weights of at least `BYTES` in OUT.data beside the model", 1).WithDefault("in the model if they fit").WithImplied(fmt.Sprint(graphops.DefaultMinExternal))
}
