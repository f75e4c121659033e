package sides

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/layers"
	"lathe/session/python"
)

// layering has the options for comparing values inside two models.
type layering struct {
	Layers        bool
	CompareMemory *int64
}

func (s *layering) options() []session.Option {
	return session.Measuring(
		session.Switch(&s.Layers, "layers", "compare every value that both models have, and find the node that causes a difference; on the case with the largest error").AsUsual(),
		session.SizeFromZero(&s.CompareMemory, "compare-memory", "with --layers: limit the memory for values to this many `BYTES`, such as 256M").WithDefault("a quarter of free memory"),
	)
}

// compare compares the layers of the two sides and adds the result to the report.
func (s *layering) compare(ctx context.Context, env session.Env, p *Pairing, cases []inputs.Case, r *Report, o layers.Options) error {
	worst := slices.IndexFunc(cases, func(c inputs.Case) bool { return c.Name == worstCase(r.Report) })
	if worst < 0 {
		return nil // no case ran, so there is nothing to compare
	}
	a, b, err := s.sidesOf(ctx, env, p)
	defer func() { a.close(); b.close() }()
	if err != nil {
		return err
	}
	if last := p.Models[len(p.Models)-1]; last.inputs != nil {
		if b.In, err = last.feedsOf(cases[worst].Feeds); err != nil {
			return fmt.Errorf("layers: %w", err)
		}
	}
	o.Memory = s.memory()
	o.Progress = func(done, total int) {
		env.Progress(session.Progress{Phase: "comparing layers", Done: int64(done), Total: int64(total), Unit: "values"})
	}
	found, err := layers.Compare(ctx, a.Side, b.Side, cases[worst].Feeds, o)
	var lacking python.LackingError
	if errors.As(err, &lacking) {
		r.Notes = append(r.Notes, "layers are not compared: "+lacking.Error())
		return nil
	}
	if err != nil {
		return fmt.Errorf("layers: %w", err)
	}
	r.layersReport = found.Report(cases[worst].Name)
	r.layersReport.Notes = slices.Concat(layeredNotes(a, b, found.First == nil && r.Verdict == compare.Fail), r.layersReport.Notes)
	r.FirstDivergence = r.layersReport.First
	quantized := slices.ContainsFunc(r.Outputs, func(o compare.OutputResult) bool { return o.Rule == compare.RuleSNR })
	if first := r.FirstDivergence; r.Verdict == compare.Pass && first != nil && first.Local && !quantized {
		r.Report.Headline = string(compare.Pass) + ", but node " + first.Called() + " computes another value than in a, which these outputs hardly show: " + strings.TrimPrefix(r.Report.Headline, string(compare.Pass)+": ")
	}
	r.again.layers = found
	return nil
}

// worstCase returns the case of the output with the largest error, or else the first that ran.
func worstCase(r *compare.Report) string {
	for _, o := range r.Outputs {
		if o.Verdict == compare.Fail {
			return o.Case
		}
	}
	for _, c := range r.Cases {
		if len(c.Outputs) > 0 {
			return c.Name
		}
	}
	if len(r.Cases) > 0 {
		return r.Cases[0].Name
	}
	return ""
}

// memory returns the requested limit, or else a quarter of the free memory, or 0 if that is
// unknown.
func (s *layering) memory() int64 {
	if s.CompareMemory != nil {
		return max(*s.CompareMemory, 1)
	}
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10 / 4
		}
	}
	return 0
}
