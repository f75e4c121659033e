package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

const codePinned = "axis-pinned"

var axisRules = []rule{
	{
		code: codePinned, severity: Warning,
		title: "an input axis is declared with any size, but the model works with one size only",
		about: `An input axis whose size is a symbol, such as batch, promises that any size works. If a node needs
one particular number, such as a Reshape to a shape that was recorded with a batch of 1, every run
with another size fails. A Reshape to [1,-1] does not even fail: it moves the batch into the second
axis.

The cause is an export with named axes (dynamic_axes) in which sizes became constants while the
model was traced. "lathe axes --repair" replaces such a constant by a computed size if the result is
provably the same. If that is not possible, for example because a weight has this size, the axis
never was dynamic: "lathe axes --fix SYMBOL=N" declares the size.

In a branch of an If, which may never run with another size, the problem is an Info. In models of
more than 20,000 nodes, constants are searched only if shape inference finds a node that fails with
other sizes.`,
		model: pinnedAxes,
	},
}

// searchedNodes is the number of nodes up to which a model is searched for constants that fix an
// axis even if shape inference finds no node that fails with other sizes. The search infers shapes
// several times, so it is too slow for larger models.
const searchedNodes = 20_000

// pinnedAxes reports each node that requires one size of an open axis.
func pinnedAxes(s *subject, report reporter) {
	open := openAxes(s.model)
	if len(open) == 0 {
		return
	}
	r, err := s.shapes()
	if err != nil || len(r.Demands) == 0 && s.nodes() > searchedNodes {
		return
	}
	_, found, err := axes.Change(s.ctx, s.model, axes.Options{Free: open, Repair: true})
	if errors.Is(err, shape.ErrLimit) {
		report(untried(open, err))
	}
	if err != nil {
		return // the axes cannot be freed because of a shape problem, not because of a constant
	}
	type at struct{ place, node int }
	told := map[at]bool{}
	for _, p := range slices.Concat(found.Repaired, found.Pins) {
		if key := (at{p.Place.ID, p.Node}); !told[key] {
			told[key] = true
			report(pinned(p, open))
		}
	}
}

// nodes returns the number of nodes in all places.
func (s *subject) nodes() (n int) {
	for _, p := range s.model.Places() {
		n += len(p.Graph.Nodes())
	}
	return n
}

// openAxes returns, for each symbol, the first input axis that has it.
func openAxes(m *graphops.Model) (out []axes.Axis) {
	known := map[string]bool{"": true}
	for _, v := range m.Graph().FeedInputs() {
		for i, d := range v.Type().Shape {
			name, ok := dim.OfText(d.Symbol).IsSymbol()
			if ok && name == d.Symbol && !shape.IsPlaceholder(name) && !known[name] {
				known[name] = true
				out = append(out, axes.Axis{Value: v.Name(), Axis: i, Symbol: name})
			}
		}
	}
	return out
}

// untried returns a problem that says that the model could not be examined for fixed axes.
func untried(open []axes.Axis, err error) Problem {
	p := in(nil, "it is unknown whether the model works with other sizes of %s: %s", open[0].Symbol, err)
	p.Severity, p.Value, p.Hint = Info, open[0].Value, "run the model with other sizes"
	return p
}

func pinned(pin axes.Pin, open []axes.Axis) Problem {
	n := pin.Place.Graph.Nodes()[pin.Node]
	p := of(site{n, pin.Place, pin.Node}, "works only if %s = %d", pin.Needs, pin.Constant)
	switch p.Value = pin.Value; {
	case pin.Value == "":
	case pin.Demand != "":
		p.Message = fmt.Sprintf("%s%s: one is %s, the other %d", withAttributes(n), pin.Demand, pin.Needs, pin.Constant)
	case pin.Stored:
		p.Message = fmt.Sprintf("%q has the fixed size %d along axis %d, expected the variable size %s", pin.Value, pin.Constant, pin.Axis, pin.Needs)
	default:
		p.Message = fmt.Sprintf("constant %q has the fixed size %d as element %d, expected the variable size %s", pin.Value, pin.Constant, pin.Axis, pin.Needs)
	}
	why, hopeless := strings.CutPrefix(pin.Repair, "none: ")
	if p.Hint = why; hopeless {
		p.Hint = "declare the number instead of the symbol: " + why
	}
	if pin.Demand != "" {
		p.Hint = fmt.Sprintf("if %d is not intended, check this node and %s", pin.Constant, strings.TrimSuffix(strings.TrimPrefix(why, "the output of "), " has that size"))
	}
	if holder := pin.Place.Holder(); holder != nil && holder.Is("If") {
		p.Severity = Info
	}
	symbol, plain := dim.OfText(pin.Needs).IsSymbol()
	switch {
	case pin.Mendable:
		p.Fix = &Fix{Step: "axes", Options: append(freed(pin, open), Setting{"repair", "true"})}
	case plain && pin.Place.Kind == graphops.MainGraph:
		p.Fix = &Fix{Step: "axes", Options: []Setting{{"fix", fmt.Sprintf("%s=%d", symbol, pin.Constant)}}}
	}
	return p
}

// withAttributes begins a sentence about what a node needs with its few attributes: "with axis=2, ".
func withAttributes(n *graphops.Node) string {
	var list []string
	for _, a := range n.Attributes() {
		list = append(list, a.Name()+"="+a.String())
	}
	if len(list) == 0 || len(list) > 3 {
		return ""
	}
	return "with " + strings.Join(list, ", ") + ", "
}

// freed returns the options for the step axes that make the open axes in a pin dynamic.
func freed(pin axes.Pin, open []axes.Axis) (out []Setting) {
	held := map[string]bool{}
	dim.OfText(pin.Needs).Symbols(func(s string) { held[s] = true })
	for _, a := range open {
		if held[a.Symbol] {
			out = append(out, Setting{"dynamic", fmt.Sprintf("%s:%d=%s", a.Value, a.Axis, a.Symbol)})
		}
	}
	return out
}
