package cut

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/dim"
	"lathe/session"
	"lathe/session/proof"
	"lathe/session/runtime"
	"lathe/session/trial"
)

// Ahead implements session.Running.
func (s *Axes) Ahead() (need runtime.Need, o runtime.Execution) {
	if s.Repair {
		need = runtime.NeedWorker
	}
	return need, o
}

// prove runs a repaired model and the original, and compares their outputs. It returns an error if
// they differ. It adds a warning to the report if they could not be compared, for example without a
// runtime.
func (s *Axes) prove(ctx context.Context, env session.Env, m, changed *graphops.Model, c *axes.Report, r *AxesReport, on trial.Inputs) error {
	p := trial.NewProver(env, on)
	defer p.Close()
	about, err := s.claim(m, changed, c)
	if err != nil {
		return err
	}
	about.Plain = func() (*graphops.Model, error) {
		o, err := s.asked()
		if err != nil {
			return nil, err
		}
		o.Repair = false
		plain, _, err := axes.Change(ctx, m, o)
		return plain, err
	}
	r.Proof, err = p.Axes(ctx, about)
	var failed *proof.FailedError
	why := trial.Unproved(err)
	switch {
	case why != "":
		r.Warnings = append(r.Warnings, why)
		r.NotProved = append(r.NotProved, strings.TrimPrefix(why, "not proved: "))
	case errors.As(err, &failed):
		return fmt.Errorf("%w%s%s; nothing is written", failed, beginsAt(m, changed, failed, c.Repaired), sameAxis(changed, failed))
	case err != nil:
		return err
	default:
		r.NotProved = doubtsOf(r.Proof, c.Pins)
	}
	return nil
}

// claim returns what the proof has to show: the two models, the axes that became dynamic, and the
// sizes that became fixed. It also names the outputs of repaired nodes, so that the proof can find
// where a difference begins.
func (s *Axes) claim(m, changed *graphops.Model, c *axes.Report) (proof.Change, error) {
	out := proof.Change{Original: m, Changed: changed, Fixed: map[string]int64{}}
	for _, f := range s.Fix {
		symbol, size, err := parseFix(f)
		if err != nil {
			return out, err
		}
		out.Fixed[symbol] = size
	}
	for _, symbol := range c.Symbols {
		old, ok := c.Sizes[symbol]
		if f := (proof.Freed{Symbol: symbol, Old: old, Pinned: isPinned(c.Pins, symbol)}); ok && !slices.Contains(out.Freed, f) {
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

// isPinned reports whether a pin fixes this symbol. It also returns true if a pin does not say
// which symbol it fixes.
func isPinned(pins []axes.Pin, symbol string) bool {
	return slices.ContainsFunc(pins, func(p axes.Pin) bool {
		needs, known := dim.OfText(p.Needs), false
		held := false
		needs.Symbols(func(s string) { known, held = true, held || s == symbol })
		return held || !known || p.Needs == "?"
	})
}

// nodesOf returns the nodes of the main graph that read a repaired constant, in ascending order.
// For a constant that is read in a body, it is the node that has the body.
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

// beginsAt returns the part of the error message that names the repair which causes a difference.
// This is the repair of the node whose outputs differ first, or the repair after which a node
// combines different positions of the axis. It is "" if no repair was found.
func beginsAt(m, changed *graphops.Model, e *proof.FailedError, repaired []axes.Pin) string {
	if e.Mixer != nil {
		why := fmt.Sprintf("; %s computes across the axis, but did not in the original", e.Mixer.Name)
		if p := lastBefore(m, changed, e.Mixer, repaired); p != nil {
			why += fmt.Sprintf(": it does since %s was repaired", pinsOf([]axes.Pin{*p})[0])
		}
		return why
	}
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

// lastBefore returns the repair that makes a node combine different positions of an axis. This is
// the repair of that node itself or, if it was not repaired, the nearest repair before it in the
// graph. It returns nil if no repair comes before the node. The node is the mixer, a node of the
// changed model.
func lastBefore(m, changed *graphops.Model, mixer *proof.Mixer, repaired []axes.Pin) *axes.Pin {
	node, ok := mixer.Top()
	if !ok {
		return nil
	}
	x := changed.Graph().Index()
	before := x.Ancestors(graphops.NodePoint(node))
	var last *axes.Pin
	for i, p := range repaired {
		for _, name := range m.Graph().Nodes()[topNode(p)].Outputs() {
			id, ok := x.Value(name)
			if ok && (before.Values[id] || x.Producer(id) == node) && (last == nil || topNode(p) > topNode(*last)) {
				last = &repaired[i]
			}
		}
	}
	return last
}
