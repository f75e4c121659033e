package sides

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/proof"
	"lathe/session/sizing"
	"lathe/session/text"
)

// rowsCase is the name of the comparison by rows in findings.
const rowsCase = "rows"

// freed returns the axes that have a fixed size in A and a symbol in B, such as a batch that was made
// dynamic. A symbol of axes with several sizes is left out.
func freed(p *Pairing) []proof.Freed {
	var out []proof.Freed
	several := map[string]bool{}
	for _, x := range sharedAxes(p) {
		if !x.a.IsFixed() || x.b.IsFixed() || x.b.Symbol == "" {
			continue
		}
		f := proof.Freed{Symbol: x.b.Symbol, Old: x.a.Value, Joined: p.rows[x.b.Symbol] / max(x.a.Value, 1)}
		i := slices.IndexFunc(out, func(g proof.Freed) bool { return g.Symbol == f.Symbol })
		switch {
		case i < 0:
			out = append(out, f)
		case out[i].Old != f.Old:
			several[f.Symbol] = true
		}
	}
	return slices.DeleteFunc(out, func(f proof.Freed) bool { return f.Old < 1 || several[f.Symbol] })
}

// rowsOfB takes the sizes that only B can have out of a request: A has a fixed size there. B computes
// these rows at once, and A each of them alone.
func rowsOfB(p *Pairing, r *inputs.Request) error {
	dims, rows := maps.Clone(r.Dims), map[string]int64{}
	for _, f := range freed(p) {
		n, asked := dims[f.Symbol]
		switch {
		case !asked || inputs.HasDim(p.Models[0].types.inputs, f.Symbol):
			continue
		case n < f.Old || n%f.Old != 0:
			return session.UsageError(fmt.Sprintf("--dim %s=%d: this size is %d in a, which runs the rows of b one by one; expected a multiple of it", f.Symbol, n, f.Old))
		}
		delete(dims, f.Symbol)
		rows[f.Symbol] = n
	}
	if len(rows) > 0 {
		p.rows, r.Dims, r.Files.Dims = rows, dims, dims
	}
	return nil
}

// byRows compares what B computes for several rows at once with what A computes for each of them alone,
// along the axes that are fixed only in A. Otherwise B would only be run at the sizes of A.
func (s *Comparison) byRows(ctx context.Context, env session.Env, p *Pairing, o compare.Options, report *Report, took time.Duration) error {
	if !s.wantsRows(p) || report.NoCaseRan() != nil {
		return nil
	}
	along := freed(p)
	if len(along) == 0 {
		return nil
	}
	left := func(why string) error {
		report.Findings = append(report.Findings, compare.Finding{Case: rowsCase, Side: "b", NotRun: true, Reason: fmt.Sprintf("b was run only at %s: %s", sizesOf(along), why)})
		return nil
	}
	if why := s.rowsRefusal(p, o); why != "" {
		return left(why)
	}
	env.Progress(session.Progress{Phase: "comparing several rows at once with each alone"})
	limited, cancel := ctx, context.CancelFunc(func() {})
	if patience := s.patience(); patience > 0 {
		limited, cancel = context.WithTimeout(ctx, max(patience-took, patience/6))
	}
	defer cancel()
	found, err := s.rowsOf(limited, env, p, along)
	var failed *proof.FailedError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return left(fmt.Sprintf("stopped: all cases other than seeds may take %s together", text.Elapsed(s.patience())))
	case errors.As(err, &failed) && ort.IsAboutMemory(failed.Difference.Err):
		return left("more rows do not fit into memory: " + failed.Difference.Err.Error())
	case errors.As(err, &failed):
		report.Findings = append(report.Findings, compare.Finding{Case: rowsCase, Side: "b", Reason: failed.Difference.String(), Decisive: true})
		if report.Verdict != compare.Fail {
			report.Settle(compare.Fail, "b "+failed.Difference.String())
		}
		return nil
	case err != nil:
		return left(err.Error())
	}
	report.Rows = found
	for i := range found {
		report.Headline += "; in b, " + text.CleanLine(found[i].Text())
	}
	return nil
}

// wantsRows reports whether rows are to be compared: on generated inputs, of two models.
func (s *Comparison) wantsRows(p *Pairing) bool {
	return len(p.rows) > 0 || s.B != "" && len(p.Models) == 2 && s.Data == "" && len(s.Cases) == 0 && len(s.Only) == 0
}

// rowsRefusal says why rows of the two models cannot be compared, or "".
func (s *Comparison) rowsRefusal(p *Pairing, o compare.Options) string {
	for _, in := range p.Models[1].inputs {
		if in.A != in.B || in.Converted != "" {
			return fmt.Sprintf("its input %q has another name or type than in a", in.B)
		}
	}
	a, b := p.Models[0].Model, p.Models[1].Model
	if o.Quantized || coarsest(a) != coarsest(b) {
		return "it computes in other types than a, so rows are not expected to be equal"
	}
	return ""
}

// rowsOf proves along each axis that rows are computed as A computes each alone.
func (s *Comparison) rowsOf(ctx context.Context, env session.Env, p *Pairing, along []proof.Freed) ([]proof.Axis, error) {
	a, b := p.Models[0], p.Models[1]
	r, err := s.Request(a.Model, 1, 0)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(r.Dims, func(name string, _ int64) bool { return !inputs.HasDim(a.types.inputs, name) })
	given, _, err := inputs.Read(a.types.inputs, r)
	if err != nil {
		return nil, err
	}
	prover := &proof.Prover{
		Runner: pairRunner{a, b}, MaxBytes: s.Limit, Learned: sizing.StoreIn(env.Cache),
		Inputs: proof.Inputs{Sizes: r.Dims, Values: given.Values, Fills: given.Fills},
	}
	return prover.Items(ctx, proof.Change{Original: a.Model, Changed: b.Model, Freed: along, Plain: func() (*graphops.Model, error) { return freedA(ctx, p) }})
}

// freedA returns A with the axes that are free in B, and nothing else changed. Nodes in which rows mix there
// mix them in B, too.
func freedA(ctx context.Context, p *Pairing) (*graphops.Model, error) {
	var o axes.Options
	for _, x := range sharedAxes(p) {
		if x.a.IsFixed() && !x.b.IsFixed() && x.b.Symbol != "" {
			o.Free = append(o.Free, axes.Axis{Value: x.input, Axis: x.axis, Symbol: x.b.Symbol})
		}
	}
	m, _, err := axes.Change(ctx, p.Models[0].Model, o)
	return m, err
}

// pairRunner runs the two models of a pair as their sides run them. It implements graphops.Runner.
type pairRunner struct{ a, b *Executor }

// Run implements graphops.Runner.
func (r pairRunner) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	x := r.b
	if m == r.a.Model {
		x = r.a
	}
	got, err := x.runOwn(ctx, in)
	if err != nil {
		return err
	}
	for _, w := range want {
		i := slices.IndexFunc(got, func(g graphops.Got) bool { return g.Name == w.Name })
		if i < 0 {
			return fmt.Errorf("%s: the runtime does not return %q", x.Path, w.Name)
		}
		if err := yield(got[i]); err != nil {
			return err
		}
	}
	return nil
}

// sizesOf lists the sizes that axes have in A, such as "batch=1".
func sizesOf(along []proof.Freed) string {
	words := make([]string, len(along))
	for i, f := range along {
		words[i] = fmt.Sprintf("%s=%d", f.Symbol, f.Old)
	}
	return strings.Join(words, ", ")
}
