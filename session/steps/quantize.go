package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/text"
)

// Quantize lowers the precision of a model.
type Quantize struct {
	Mode        string
	WeightType  string
	PerChannel  bool
	ReduceRange bool
	AllMatMuls  bool
	OpTypes     []string
	Include     []string
	Exclude     []string
	output
}

// Name implements session.Step.
func (*Quantize) Name() string { return "quantize" }

// Summary implements session.Step.
func (*Quantize) Summary() string {
	return "quantize weights to 8 bits, activations while the model runs"
}

// Options implements session.Step.
func (s *Quantize) Options() []session.Option {
	options := []session.Option{
		session.Choice(&s.Mode, "mode", "what is quantized, and when", "dynamic").AsOperand().AsRequired(),
		session.Choice(&s.WeightType, "weight-type", "type of quantized weights; int8 is the default", "int8", "uint8"),
		session.Switch(&s.PerChannel, "per-channel", "give each column of a weight its own scale"),
		session.Switch(&s.ReduceRange, "reduce-range", "leave one bit of weights unused, for CPUs without VNNI"),
		session.Switch(&s.AllMatMuls, "all-matmuls", "quantize products of two computed factors too, as in an attention"),
		session.List(&s.OpTypes, "op-types", "quantize only operator `OP`, of "+strings.Join(quant.OpTypes(), ", ")+"; repeat for several").Naming(session.NamesOp, ""),
		session.List(&s.Include, "include", "quantize only node `NODE`; repeat for several").Naming(session.NamesNode, ""),
		session.List(&s.Exclude, "exclude", "leave node `NODE` as it is; repeat for several").Naming(session.NamesNode, ""),
	}
	out := s.output.options()
	out[0] = out[0].AsRequired()
	return append(options, out...)
}

// Preview implements session.Step.
func (s *Quantize) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	_, r, err := s.quantize(ctx, env, m)
	return session.Preview{Report: r}, err
}

// Run implements session.Step.
func (s *Quantize) Run(ctx context.Context, env session.Env, m *graphops.Model) (session.Result, error) {
	quantized, r, err := s.quantize(ctx, env, m)
	if err != nil {
		return session.Result{}, err
	}
	if r.File, err = s.save(ctx, env, quantized, graphops.SaveOptions{}); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: quantized, Report: r, Files: r.File.files()}, nil
}

func (s *Quantize) quantize(ctx context.Context, env session.Env, m *graphops.Model) (*graphops.Model, *QuantizeReport, error) {
	quantized, found, err := quant.Dynamic(ctx, m, s.dynamic(), func(done, total int64) {
		env.Progress(session.Progress{Phase: "reading weights", Done: done, Total: total, Unit: "B"})
	})
	if errors.Is(err, quant.ErrNothing) && found != nil && len(found.Skipped) > 0 {
		err = fmt.Errorf("%w: node %q (%s): %s", err, found.Skipped[0].Node, found.Skipped[0].Op, found.Skipped[0].Reason)
	}
	if err != nil {
		return nil, nil, about(m, err)
	}
	r := &QuantizeReport{Schema: "lathe.quantize/1", Quantized: []quantizedNode{}, Skipped: []skippedNode{}, Notes: []string{}, Warnings: orEmpty(found.Warnings)}
	for _, q := range found.Quantized {
		r.Quantized = append(r.Quantized, quantizedNode{q.Node, q.Op, q.Weight, q.BytesBefore, q.BytesAfter})
	}
	for _, x := range found.Skipped {
		r.Skipped = append(r.Skipped, skippedNode{x.Node, x.Op, x.Reason})
	}
	for _, d := range found.Departures {
		r.Notes = append(r.Notes, d.Explain())
	}
	if r.Before, err = extentOf(m); err != nil {
		return nil, nil, err
	}
	r.After, err = extentOf(quantized)
	return quantized, r, err
}

func (s *Quantize) dynamic() quant.DynamicOptions {
	o := quant.DefaultDynamicOptions()
	if s.WeightType == "uint8" {
		o.WeightType = tensor.U8
	}
	o.PerChannel, o.ReduceRange = s.PerChannel, s.ReduceRange
	o.MatMulConstBOnly = !s.AllMatMuls
	o.OpTypes, o.Include, o.Exclude = s.OpTypes, s.Include, s.Exclude
	return o
}

// extent is the size of a model.
type extent struct {
	Bytes int64 `json:"bytes"`
	Nodes int   `json:"nodes"`
}

func extentOf(m *graphops.Model) (extent, error) {
	n, err := graphops.SavedSize(m, graphops.SaveOptions{})
	return extent{n, len(m.Graph().Nodes())}, err
}

// quantizedNode is one row of quantized.
type quantizedNode struct {
	Node        string `json:"node"`
	Op          string `json:"op"`
	Weight      string `json:"weight"`
	BytesBefore int64  `json:"bytes_before"`
	BytesAfter  int64  `json:"bytes_after"`
}

// skippedNode is one row of skipped.
type skippedNode struct {
	Node   string `json:"node"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

// QuantizeReport is what a quantization did.
type QuantizeReport struct {
	Schema    string          `json:"schema"`
	Before    extent          `json:"before"`
	After     extent          `json:"after"`
	Quantized []quantizedNode `json:"quantized"`
	Skipped   []skippedNode   `json:"skipped"`
	// Notes tell where the result departs from what the reference tool writes.
	Notes    []string   `json:"notes"`
	Warnings []string   `json:"warnings"`
	File     *savedFile `json:"file,omitempty"`
}

// fewRows is how many nodes the text of a report lists before it sums up.
const fewRows = 20

// WriteText implements session.Report.
func (r *QuantizeReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s → %s (%.0f %%), %s → %s\n", text.Bytes(r.Before.Bytes), text.Bytes(r.After.Bytes),
		100*float64(r.After.Bytes)/float64(max(r.Before.Bytes, 1)), text.Plural(r.Before.Nodes, "node"), text.Count(int64(r.After.Nodes)))
	t := text.Table{}
	for i, q := range r.Quantized {
		if i == fewRows {
			t.Add(fmt.Sprintf("and %d more", len(r.Quantized)-fewRows))
			break
		}
		t.Add(text.Clean(q.Node), q.Op, text.Clean(q.Weight), text.Bytes(q.BytesBefore)+" → "+text.Bytes(q.BytesAfter))
	}
	fmt.Fprintf(w, "quantized %s\n", text.Plural(len(r.Quantized), "node"))
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(w, "left as they are\n")
	}
	t = text.Table{}
	for i, x := range r.Skipped {
		if i == fewRows {
			t.Add(fmt.Sprintf("and %d more", len(r.Skipped)-fewRows))
			break
		}
		t.Add(text.Clean(x.Node), x.Op, text.CleanLine(x.Reason))
	}
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", text.CleanLine(n))
	}
	writeWarnings(w, r.Warnings)
	r.File.writeText(w)
	return nil
}
