package quantization

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"lathe/graphops"
	"lathe/graphops/nbits"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort/ep"
	"lathe/session/reporting"
	"lathe/session/sides"
	"lathe/session/text"
)

// Here says what a result does on the provider that runs it. The provider was asked: its session returned
// the graph that it runs after its optimizations.
type Here struct {
	Provider  string           `json:"provider"`
	NodesByEP map[string]int64 `json:"nodes_by_ep"`
	// Nodes is how many nodes the session runs. Quantized counts those that compute with quantized values
	// or convert from or to them, by operator.
	Nodes     int            `json:"nodes"`
	Quantized map[string]int `json:"quantized_nodes"`
	// Decoded counts the products that the session computes in floating point, by operator, although their
	// numbers are stored as integers: it dequantizes them in each run.
	Decoded map[string]int `json:"dequantized_first"`
	// Casts is how many Cast nodes the session added, because it has no kernel for the type.
	Casts int `json:"casts_added"`
	// Saturates says whether sums of products with int8 weights lose a part on this processor. It is nil
	// if the result has no such sums, or if another provider computes them.
	Saturates *bool `json:"int8_sums_saturate,omitempty"`
	// Padded are the weights whose last block is not full. PaddingBytes is what they lose.
	Padded       int   `json:"padded_weights"`
	PaddingBytes int64 `json:"padding_bytes"`

	standing quant.Standing
	reduced  bool // weights leave one bit unused
	half     bool // the result has no quantized values
}

// askHere loads the result once more to ask what it does here. If that fails, the reason is a warning,
// because the result itself was tried.
func (s *Quantization) askHere(ctx context.Context, env session.Env, result *graphops.Model, r *Report) error {
	env.Progress(session.Progress{Phase: "asking which kernels run the result"})
	here, err := s.hereOf(ctx, env, result)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.Warnings = append(r.Warnings, "which kernels run the result is not known: "+err.Error())
		return nil
	}
	r.Here = here
	r.Notes = append(r.Notes, here.Notes()...)
	if w := here.saturates(); w != "" && (r.Trial == nil || r.Trial.Validation == nil || r.Trial.Validation.Saturation == nil) {
		r.Warnings = append(r.Warnings, w)
	}
	return nil
}

func (s *Quantization) hereOf(ctx context.Context, env session.Env, result *graphops.Model) (*Here, error) {
	how, err := s.How.Value(env)
	if err != nil {
		return nil, err
	}
	how.Config = configWith(how.Config, s.ResultConfig())
	how.Reuse, how.Dump, how.Placement = true, true, true
	loaded, err := flags.Load(ctx, env.Runtime, result, how)
	if err != nil {
		return nil, err
	}
	here, err := hereIn(ctx, loaded, result)
	if err = errors.Join(err, loaded.Close()); err != nil {
		return nil, err
	}
	here.reduced, here.half = s.ReduceRange, s.Mode == "float16" || s.Mode == "bfloat16"
	here.Padded, here.PaddingBytes = nbits.Padding(result)
	if here.Provider != ep.CPU || quant.SignedProducts(result) == 0 {
		return here, nil
	}
	how.Dump, how.Placement = false, false
	saturates, err := sides.SumsSaturate(ctx, env, how, s.activationsIn())
	if err == nil {
		here.Saturates = &saturates
	}
	return here, err
}

// configWith returns the entries of a session config, and further ones in the form KEY=VALUE.
func configWith(config map[string]string, entries []string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, config)
	for _, entry := range entries {
		key, value, _ := strings.Cut(entry, "=")
		out[key] = value
	}
	return out
}

// activationsIn returns the type that activations have in products with int8 weights. ONNX Runtime turns
// pairs of QuantizeLinear and DequantizeLinear with int8 into uint8 on processors whose sums saturate.
func (s *Quantization) activationsIn() tensor.DType {
	if s.Mode == "static" && s.Format == "qoperator" && cmp.Or(s.ActivationType, "int8") == "int8" {
		return tensor.I8
	}
	return tensor.U8
}

// hereIn returns what a loaded result says about itself.
func hereIn(ctx context.Context, l *flags.Working, result *graphops.Model) (*Here, error) {
	ran, err := l.Optimized(ctx)
	if err != nil {
		return nil, err
	}
	h := &Here{Provider: l.Facts().Provider, standing: quant.Already(ran), Decoded: map[string]int{}}
	h.Nodes, h.Quantized = h.standing.Of, h.standing.Ops()
	if l.Placement != nil {
		h.NodesByEP = reporting.NodesByProvider(*l.Placement)
	}
	for _, n := range ran.Graph().Nodes() {
		if dequantizes(ran.Graph(), n) {
			h.Decoded[n.OpType()]++
		}
	}
	h.Casts = max(casts(ran)-casts(result), 0)
	return h, nil
}

// products are the operators for which runtimes have kernels on integers.
var products = []string{"MatMul", "Gemm", "FusedGemm", "FusedMatMul", "Conv", "FusedConv", "ConvTranspose"}

// dequantizes reports whether a node multiplies numbers that a DequantizeLinear made of integers.
func dequantizes(g *graphops.Graph, n *graphops.Node) bool {
	in := n.Inputs()
	return slices.Contains(products, n.OpType()) && slices.ContainsFunc(in[:min(len(in), 2)], func(v string) bool { return quant.Decoded(g, v) })
}

func casts(m *graphops.Model) (n int) {
	for node := range m.AllNodes() {
		if node.Is("Cast") {
			n++
		}
	}
	return n
}

// Notes says in lines, safe to print, what runs and what the shapes cost.
func (h *Here) Notes() (out []string) {
	on := text.Clean(ep.Runs(h.Provider, h.NodesByEP))
	switch {
	case h.standing.Nodes > 0:
		out = append(out, fmt.Sprintf("on %s, after ONNX Runtime's optimizations, %s", on, h.standing))
	case !h.half:
		out = append(out, fmt.Sprintf("on %s, after ONNX Runtime's optimizations, none of %s computes with quantized values", on, text.Plural(h.Nodes, "node")))
	}
	if len(h.Decoded) > 0 {
		out = append(out, fmt.Sprintf("%s multiplies in floating point in %s: the integers are dequantized again in each run", on, counted(h.Decoded)))
	}
	if h.Casts > 0 {
		out = append(out, fmt.Sprintf("ONNX Runtime added %s, because %s has no kernel for the type of some nodes and computes them in float32", text.Plural(h.Casts, "Cast"), h.Provider))
	}
	if h.Padded > 0 {
		out = append(out, fmt.Sprintf("the last block of each column is not full in %s: %s of padding; a --block-size that divides the number of rows needs none", text.Plural(h.Padded, "weight"), text.Bytes(h.PaddingBytes)))
	}
	return out
}

// Overflows reports whether sums of the result can overflow on this processor.
func (h *Here) Overflows() bool {
	return h != nil && h.Saturates != nil && *h.Saturates && !h.reduced
}

// saturates warns of sums that can overflow, or returns "".
func (h *Here) saturates() string {
	if !h.Overflows() {
		return ""
	}
	return fmt.Sprintf("sums of products with int8 weights can overflow on this processor%s: large activations then give wrong results; --reduce-range leaves one bit of the weights unused, so that no sum overflows", instructions())
}

// instructions says which vector instructions this processor has for such sums. It is "" if that does not
// explain why they overflow.
func instructions() string {
	switch x := cpu.X86; {
	case !cpu.Initialized || !x.HasAVX2 || x.HasAVX512VNNI || x.HasAVXVNNI:
		return ""
	case x.HasAVX512BW:
		return ", which has AVX-512 and no VNNI"
	}
	return ", which has AVX2 and no VNNI"
}

// counted lists numbers of operators, the most frequent first.
func counted(ops map[string]int) string {
	names := slices.SortedFunc(maps.Keys(ops), func(a, b string) int {
		return cmp.Or(ops[b]-ops[a], strings.Compare(a, b))
	})
	for i, op := range names {
		names[i] = fmt.Sprintf("%d %s", ops[op], text.Clean(op))
	}
	return strings.Join(names, ", ")
}
