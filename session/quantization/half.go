package quantization

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/half"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/overflow"
	"lathe/session/reporting"
	"lathe/session/sides"
	"lathe/session/text"
	"lathe/session/trial"
)

// halfFlags are the fields of the modes float16 and bfloat16.
type halfFlags struct {
	KeepIO      bool
	Keep        []string
	KeepOps     []string
	ConvertOps  []string
	AllWeights  bool
	MinPositive float64
	MaxFinite   float64
	NoScan      bool
	previewing  bool
}

// halfSettings are the options of mode bfloat16. Mode float16 has them and more.
func (s *Quantization) halfSettings() []session.Option {
	return slices.Concat([]session.Option{
		session.Switch(&s.KeepIO, "keep-io", "keep inputs and outputs in float32").AsUsual(),
		session.List(&s.Keep, "keep", "keep input or output `VALUE` in float32; repeat for several").Naming(session.NamesValue, ""),
	}, s.nodeOptions(""), []session.Option{
		session.List(&s.KeepOps, "exclude-ops", "keep operator `OP` in float32, in addition to "+strings.Join(half.KeptOps(), ", ")+"; repeat for several").Naming(session.NamesOp, "").Formerly("keep-ops"),
		session.List(&s.ConvertOps, "convert-ops", "convert operator `OP` although it is one of those kept in float32; repeat for several").AsRare(),
		session.Switch(&s.AllWeights, "all-weights", "also convert weights that only float32 nodes read").AsRare(),
	})
}

func (s *Quantization) float16Settings() []session.Option {
	return append(s.halfSettings(),
		session.Float(&s.MinPositive, "min-positive", "raise smaller magnitudes of weights to this `NUMBER`").WithDefault("5.96e-08").AsRare(),
		session.Float(&s.MaxFinite, "max-finite", "lower larger magnitudes of weights to this `NUMBER`").WithDefault("65504").AsRare(),
		session.Switch(&s.NoScan, "no-scan", "do not run the model to find values that float16 cannot hold, whose nodes stay in float32").AsRare(),
	)
}

// halved has the parts of a report that only the modes float16 and bfloat16 have.
type halved struct {
	Casts int `json:"casts"`
	// DroppedCasts is how many Cast nodes of the model became unnecessary and were removed.
	DroppedCasts int `json:"dropped_casts"`
	// Truncated are weights with numbers that were changed by more than rounding.
	Truncated []truncatedWeight `json:"truncated"`
	// KeptWeights are the weights and constants that stay in float32.
	KeptWeights []string      `json:"kept_weights"`
	Scan        *overflowScan `json:"scan,omitempty"`
	// NoKernel are operators for which ONNX Runtime has no CPU kernel in this type.
	NoKernel []missingKernel `json:"no_cpu_kernel"`

	found *half.Report // counted in count
}

// truncatedWeight is a weight in the list of Truncated, with the number of elements that were
// changed.
type truncatedWeight struct {
	Weight   string `json:"weight"`
	Place    string `json:"place,omitempty"`
	Elements int64  `json:"elements"`
	Raised   int64  `json:"raised"`   // raised to the smallest magnitude
	Lowered  int64  `json:"lowered"`  // lowered to the largest magnitude
	Vanished int64  `json:"vanished"` // became 0
	Infinite int64  `json:"infinite"` // became infinite
}

// overflowScan is the result of running the model in float32 to find values that float16 cannot
// represent.
type overflowScan struct {
	// NotRun says why the model was not run. It is empty if it was.
	NotRun string `json:"not_run,omitempty"`
	OnData bool   `json:"on_data"`
	// OnlyFirst reports that the data does not fit into memory and only its first samples were
	// used.
	OnlyFirst bool             `json:"only_first,omitempty"`
	Cases     int              `json:"cases"`
	Values    int              `json:"values"` // number of values that were checked
	Bodies    int              `json:"bodies"` // number of bodies whose values were not checked
	Beyond    []overflow.Value `json:"beyond"`

	outside []string // inputs and outputs among the values beyond the range
}

// missingKernel is an operator that the CPU cannot run in this type.
type missingKernel struct {
	Op    string `json:"op"`
	Nodes int    `json:"nodes"`
	First string `json:"first"` // its first node
}

func (s *Quantization) float16(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	m = m.WithoutOverruled()
	o, err := s.halfOptions()
	if err != nil {
		return nil, nil, err
	}
	o.Runtime, o.CountLater = env.RuntimeVersion(ctx), true
	result, found, err := half.Float16(ctx, m, o, nil)
	if err != nil {
		return nil, nil, err
	}
	scan, err := s.scan(ctx, env, m, found, &o)
	if err != nil {
		return nil, nil, err
	}
	if scan != nil && len(scan.Beyond) > 0 {
		if result, found, err = half.Float16(ctx, m, o, nil); err != nil {
			return nil, nil, err
		}
	}
	r := halfReport(found)
	r.Scan, r.NoKernel = scan, []missingKernel{}
	r.Warnings = append(r.Warnings, scan.warnings()...)
	return result, r, nil
}

func (s *Quantization) bfloat16(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *Report, error) {
	o, err := s.halfOptions()
	if err != nil {
		return nil, nil, err
	}
	o.Runtime, o.CountLater = env.RuntimeVersion(ctx), true
	result, found, err := half.Bfloat16(ctx, m, o, nil)
	if err != nil {
		return nil, nil, err
	}
	r := halfReport(found)
	if r.NoKernel, err = withoutKernel(ctx, result, o.Runtime); err != nil {
		return nil, nil, err
	}
	if len(r.NoKernel) > 0 {
		r.Elsewhere = "ONNX Runtime has no kernels on the CPU for " + r.missing() + " in bfloat16: the result is for a GPU"
	}
	return result, r, nil
}

// readingWeights reports progress while weights are read.
func readingWeights(env session.Env) func(done, total int64) {
	return func(done, total int64) {
		env.Progress(session.Progress{Phase: "reading weights", Done: done, Total: total, Unit: "B"})
	}
}

func (s *Quantization) halfOptions() (half.Options, error) {
	o := half.DefaultOptions()
	o.KeepIO, o.KeptIO = s.KeepIO, s.Keep
	for _, op := range s.ConvertOps {
		at := slices.Index(o.KeptOps, op)
		if at < 0 {
			return o, session.UsageError(fmt.Sprintf("--convert-ops %q: is converted anyway; expected one of %s", op, strings.Join(half.KeptOps(), ", ")))
		}
		o.KeptOps = slices.Delete(o.KeptOps, at, at+1)
	}
	o.KeptOps = append(o.KeptOps, s.KeepOps...)
	o.OpTypes, o.Include, o.Exclude, o.AllWeights = s.OpTypes, s.Include, s.Exclude, s.AllWeights
	if s.MinPositive != 0 {
		o.MinPositive = float32(s.MinPositive)
	}
	if s.MaxFinite != 0 {
		o.MaxFinite = float32(s.MaxFinite)
	}
	return o, nil
}

// scan runs the model with its weights rounded to float16. Nodes with values that float16 cannot
// represent are added to those that stay in float32.
func (s *Quantization) scan(ctx context.Context, env session.Env, m *graphops.Model, found *half.Report, o *half.Options) (*overflowScan, error) {
	if s.NoScan || s.previewing {
		return nil, nil
	}
	if err := found.Count(ctx, readingWeights(env)); err != nil {
		return nil, err
	}
	out := &overflowScan{OnData: s.Data != "", Beyond: []overflow.Value{}}
	of := s.Feeding
	all, err := of.WithinMemory(m)
	if err != nil {
		return nil, err
	}
	out.OnlyFirst = !all
	request, err := of.Request(m, sides.GeneratedCases, 0)
	if err != nil {
		return nil, err
	}
	how, err := s.How.Value(env)
	if err != nil {
		return nil, err
	}
	run := &trial.Sessions{Env: trial.OnProviders(env, how), Opt: "disable", Most: 1}
	defer run.Close()
	bounded := half.Bounded(m, found, *o)
	var feeds []graphops.Feeds
	var saw *overflow.Found
	err = of.Fitted(ctx, env, m, graphops.NamedTypes(m.Graph().FeedInputs()), request, s.How.Timeout, func(cases inputs.Cases) (err error) {
		feeds = nil
		for _, c := range cases.Cases {
			feeds = append(feeds, c.Feeds)
		}
		saw, err = overflow.Scan(ctx, run, bounded, feeds, overflow.Options{Progress: func(done, total int) {
			env.Progress(session.Progress{Phase: "looking for values beyond float16", Done: int64(done), Total: int64(total), Unit: "runs"})
		}})
		return err
	})
	switch {
	case err == nil:
	case ctx.Err() != nil, feeds == nil && (out.OnData || len(s.Input) > 0):
		return nil, err
	case feeds == nil:
		out.NotRun = "no inputs could be generated: " + err.Error()
		return out, nil
	case errors.Is(err, ort.ErrNoRuntime):
		out.NotRun = err.Error()
		return out, nil
	default:
		out.NotRun = "the model does not run in float32: " + err.Error()
		return out, nil
	}
	out.Cases, out.Values, out.Bodies = len(feeds), saw.Looked, saw.Bodies
	out.Beyond, out.outside = append(out.Beyond, saw.Values...), saw.KeptIO
	o.Reasons = saw.Reasons
	o.KeptIO = append(slices.Clone(o.KeptIO), saw.KeptIO...)
	return out, nil
}

// warnings say what a scan did not check, and which inputs and outputs it affects.
func (s *overflowScan) warnings() []string {
	switch {
	case s == nil:
		return nil
	case s.NotRun != "":
		return []string{"values beyond float16 were not searched for: " + s.NotRun}
	}
	var out []string
	for _, name := range s.outside {
		out = append(out, fmt.Sprintf("%q stays float32, because float16 cannot hold its values in a run", name))
	}
	if s.OnlyFirst {
		out = append(out, fmt.Sprintf("values beyond float16 were searched for only in the first %s of the data: the rest does not fit in memory", text.Plural(s.Cases, "case")))
	}
	if s.Bodies > 0 {
		out = append(out, fmt.Sprintf("the bodies of %s were not searched for values beyond float16", text.Plural(s.Bodies, "node")))
	}
	return out
}

// halfReport returns the report of a conversion.
func halfReport(found *half.Report) *Report {
	r := &Report{Warnings: found.Warnings, halved: &halved{
		Casts: found.Casts, DroppedCasts: found.Dropped, Truncated: []truncatedWeight{}, KeptWeights: []string{}, NoKernel: []missingKernel{},
		found: found,
	}}
	r.Quantized = make([]quantizedNode, 0, len(found.Converted))
	for _, c := range found.Converted {
		r.Quantized = append(r.Quantized, quantizedNode{Place: c.Place.String(), Node: c.Node, Op: c.Op, Weight: c.Weight, BytesBefore: c.Bytes, BytesAfter: c.Bytes / 2})
	}
	for _, k := range found.Kept {
		r.Skipped = append(r.Skipped, skippedNode{k.Place.String(), k.Node, k.Op, k.Reason})
	}
	for _, w := range found.Wide {
		r.KeptWeights = append(r.KeptWeights, w.Name)
	}
	return r
}

// count completes Truncated. Weights are only read here if the result was neither saved nor run.
func (h *halved) count(ctx context.Context, env session.Env) error {
	if h == nil {
		return nil
	}
	if err := h.found.Count(ctx, readingWeights(env)); err != nil {
		return err
	}
	h.Truncated = []truncatedWeight{}
	for _, w := range h.found.Truncated() {
		h.Truncated = append(h.Truncated, truncatedWeight{w.Name, w.Place.String(), w.Elements, w.Raised, w.Lowered, w.Vanished, w.Infinite})
	}
	return nil
}

// withoutKernel returns the operators of a bfloat16 model for which the CPU has no kernel with
// their types.
func withoutKernel(ctx context.Context, m *graphops.Model, runtime string) ([]missingKernel, error) {
	types, err := shape.Infer(ctx, m, shape.Options{})
	if err != nil {
		return nil, err
	}
	out := []missingKernel{}
	for _, p := range m.Places() {
		opsets := m.OpsetVersions()
		if p.Function != nil {
			opsets = p.Function.OpsetVersions()
		}
		for _, n := range p.Graph.Nodes() {
			schema, _ := opschema.Find(n.Domain(), n.OpType(), opsets[n.Domain()])
			need := opschema.Need{
				Runtime: runtime, Schema: schema, Version: opsets[n.Domain()], Opset: opsets[graphops.DefaultDomain],
				Inputs: typesIn(types, p, n.Inputs()), Outputs: typesIn(types, p, n.Outputs()), Node: n,
			}
			if !slices.ContainsFunc(slices.Concat(need.Inputs, need.Outputs), isBfloat16) || need.On(opschema.CPU).Way != opschema.Missing {
				continue
			}
			at := slices.IndexFunc(out, func(k missingKernel) bool { return k.Op == n.OpType() })
			if at < 0 {
				at = len(out)
				out = append(out, missingKernel{Op: n.OpType(), First: n.Name()})
			}
			out[at].Nodes++
		}
	}
	return out, nil
}

func isBfloat16(t graphops.Type) bool {
	return t.Kind == graphops.TypeTensor && t.Elem == tensor.BF16
}

// typesIn returns the types of values by their names as seen from a place, including those of outer
// graphs.
func typesIn(r *shape.Result, p *graphops.Place, names []string) []graphops.Type {
	out := make([]graphops.Type, len(names))
	for i, name := range names {
		for at := p; at != nil; at = at.Parent {
			x := at.Graph.Index()
			if id, ok := x.Value(name); ok && x.IsDefined(id) {
				out[i] = r.Type(at, id)
				break
			}
		}
	}
	return out
}

// missing lists the operators without a kernel.
func (h *halved) missing() string {
	var out []string
	for _, k := range h.NoKernel {
		out = append(out, fmt.Sprintf("%s (%s)", k.Op, text.Plural(k.Nodes, "node")))
	}
	return strings.Join(out, ", ")
}

// writeText writes the parts of the report that the table of nodes does not contain.
func (h *halved) writeText(w io.Writer) error {
	if h == nil {
		return nil
	}
	if h.Casts > 0 {
		fmt.Fprintf(w, "added %s\n", text.Plural(h.Casts, "Cast"))
	}
	if h.DroppedCasts > 0 {
		fmt.Fprintf(w, "removed %s without effect\n", text.Plural(h.DroppedCasts, "Cast"))
	}
	if len(h.KeptWeights) > 0 {
		fmt.Fprintf(w, "kept %s in float32\n", text.Plural(len(h.KeptWeights), "weight"))
	}
	if s := h.Scan; s != nil && s.NotRun == "" {
		on := "generated inputs"
		if s.OnData {
			on = "the data"
		}
		if s.OnlyFirst {
			on = "the first part of the data, because all of it does not fit in memory"
		}
		fmt.Fprintf(w, "looked at %s on %s, %s: %d beyond float16\n", text.Plural(s.Values, "value"), on, text.Plural(s.Cases, "case"), len(s.Beyond))
	}
	if len(h.Truncated) == 0 {
		return nil
	}
	fmt.Fprintf(w, "truncated %s\n", text.Plural(len(h.Truncated), "weight"))
	t := text.Table{}
	for i, x := range h.Truncated {
		if i == reporting.FewRows {
			t.Add(fmt.Sprintf("and %d more", len(h.Truncated)-reporting.FewRows))
			break
		}
		t.Add(text.Clean(x.Weight), x.line())
	}
	return t.WriteText(w, "  ")
}

// line says how many numbers of a weight were changed, and how.
func (x truncatedWeight) line() string {
	var out []string
	for _, part := range []struct {
		n    int64
		what string
	}{{x.Lowered, "lowered to the largest"}, {x.Raised, "raised to the smallest"}, {x.Vanished, "became 0"}, {x.Infinite, "became infinite"}} {
		if part.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(out, ", ") + fmt.Sprintf(" of %d", x.Elements)
}
