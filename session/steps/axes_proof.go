package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/proof"
	"lathe/session/text"
)

// prove shows with runs that a repaired model is what the original was. That nothing
// could be shown is a warning, that something differs an error.
func (s *Axes) prove(ctx context.Context, env session.Env, m, changed *graphops.Model, c *axes.Report, r *AxesReport) error {
	run := &sessions{env: env}
	defer run.close()
	runs := int64(0)
	p := &proof.Prover{Runner: run, Ran: func() {
		runs++
		env.Progress(session.Progress{Phase: "proving", Done: runs, Unit: "runs"})
	}}
	env.Progress(session.Progress{Phase: "proving"})
	about, err := s.claim(m, changed, c)
	if err != nil {
		return err
	}
	r.Proof, err = p.Axes(ctx, about)
	var failed *proof.FailedError
	var none *ort.NoRuntimeError
	switch {
	case errors.As(err, &none):
		r.Warnings = append(r.Warnings, "not proved: "+none.Error())
	case proof.IsUnproved(err):
		r.Warnings = append(r.Warnings, err.Error())
	case errors.As(err, &failed):
		return fmt.Errorf("%w%s; nothing is written", failed, beginsAt(m, failed, c.Repaired))
	default:
		return err
	}
	return nil
}

// claim is what is to be proved.
func (s *Axes) claim(m, changed *graphops.Model, c *axes.Report) (proof.Change, error) {
	out := proof.Change{Original: m, Changed: changed, Fixed: map[string]int64{}, Pinned: len(c.Pins) > 0}
	for _, f := range s.Fix {
		symbol, size, err := parseFix(f)
		if err != nil {
			return out, err
		}
		out.Fixed[symbol] = size
	}
	for _, symbol := range c.Symbols {
		old, ok := c.Sizes[symbol]
		if f := (proof.Freed{Symbol: symbol, Old: old}); ok && !slices.Contains(out.Freed, f) {
			out.Freed = append(out.Freed, f)
		}
	}
	for _, n := range nodesOf(c.Repaired) {
		for _, value := range m.Graph().Nodes()[n].Outputs() {
			if value != "" {
				out.Watched = append(out.Watched, value)
			}
		}
	}
	return out, nil
}

// nodesOf are the nodes of the main graph that read repaired constants, or have a
// body that does, in their order.
func nodesOf(repaired []axes.Pin) []int {
	var out []int
	for _, p := range repaired {
		if n := topNode(p); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

func topNode(p axes.Pin) int {
	n := p.Node
	for place := p.Place; place.Kind == graphops.BodyGraph; place = place.Parent {
		n = place.Node
	}
	return n
}

// beginsAt names the repair behind which values begin to differ, if there is one.
func beginsAt(m *graphops.Model, e *proof.FailedError, repaired []axes.Pin) string {
	if e.Origin == nil || e.Origin.Value == "" {
		return ""
	}
	for i, p := range repaired {
		outputs := m.Graph().Nodes()[topNode(p)].Outputs()
		if slices.Contains(outputs, e.Origin.Value) {
			return fmt.Sprintf("; it begins where %s was repaired", pinsOf(repaired[i : i+1])[0])
		}
	}
	return ""
}

// writeProof writes what was shown in a line for each axis.
func writeProof(w io.Writer, p *proof.Axes) {
	if p == nil {
		return
	}
	at := ""
	if len(p.Sizes) > 0 {
		at = " at " + proof.FormatSizes(p.Sizes)
	}
	line := []string{"bit-equal to the original" + at}
	for _, a := range p.Freed {
		line = append(line, proved(a))
	}
	fmt.Fprintf(w, "proved: %s\n", text.Clean(strings.Join(line, "; ")))
}

// proved tells what was shown of an axis.
func proved(a proof.Axis) string {
	if len(a.Sizes) == 0 {
		return fmt.Sprintf("%s: %s", a.Symbol, a.Note)
	}
	at := fmt.Sprintf("at %s=%s", a.Symbol, numbersOf(a.Sizes))
	if !a.Rows {
		return fmt.Sprintf("%s it runs and gives the shapes declared, %s", at, a.Note)
	}
	what := "every row is what it gives alone"
	if len(a.Unchecked) > 0 {
		var names []string
		for _, u := range a.Unchecked {
			names = append(names, fmt.Sprintf("%q: %s", u.Output, u.Why))
		}
		what = fmt.Sprintf("every row of %s is what it gives alone, not compared are %s", graphops.QuoteNames(a.Outputs), strings.Join(names, ", "))
	}
	if a.MaxDifference == 0 {
		return fmt.Sprintf("%s %s (no difference)", at, what)
	}
	return fmt.Sprintf("%s %s (largest difference %.1g)", at, what, a.MaxDifference)
}

// numbersOf lists numbers as "2 and 5".
func numbersOf(list []int64) string {
	var words []string
	for _, n := range list {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, " and ")
}
