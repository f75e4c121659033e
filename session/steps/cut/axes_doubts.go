package cut

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/axes"
	"lathe/graphops/shape"
	"lathe/session/proof"
)

// doubtsOf returns the reasons why a repaired model is not fully proved, at most one for each axis.
// It is empty if everything was proved: every row of every output is the same as when only that row
// is run.
func doubtsOf(p *proof.Axes, pins []axes.Pin) []string {
	out := []string{}
	for _, a := range p.Freed {
		if why := doubtOf(a, pins); why != "" {
			out = append(out, why)
		}
	}
	switch {
	case len(out) > 0:
	case len(pins) > 0:
		out = append(out, "an axis stays pinned")
	case !p.Whole():
		out = append(out, "the axes were not changed together in one run")
	}
	return out
}

func doubtOf(a proof.Axis, pins []axes.Pin) string {
	switch {
	case isPinned(pins, a.Symbol):
		return fmt.Sprintf("%s stays pinned at %d", a.Symbol, a.Old)
	case a.Lost != "":
		return fmt.Sprintf("%s is lost at %s", a.Symbol, a.Lost)
	case a.Items == proof.ItemsDiffer:
		return fmt.Sprintf("rows along %s depend on each other", a.Symbol)
	case a.Items == proof.ItemsAlike:
		return fmt.Sprintf("rows along %s could not be distinguished", a.Symbol)
	case a.Items != proof.ItemsEqual:
		return fmt.Sprintf("rows along %s were not compared", a.Symbol)
	case len(a.Unchecked) > 0:
		var names []string
		for _, u := range a.Unchecked {
			names = append(names, u.Output)
		}
		return fmt.Sprintf("rows along %s of %s were not compared", a.Symbol, graphops.QuoteNames(names))
	default:
		return ""
	}
}

// mostHints is how many axes a hint names at most.
const mostHints = 3

// sameAxis returns a hint for the case that the changed model does not run at another size of an
// axis. Another input may have an axis that always has the same size, so that both need the same
// symbol. The hint names such axes. It is "" if no other input has a dynamic axis.
func sameAxis(changed *graphops.Model, e *proof.FailedError) string {
	if e.Difference.Err == nil || len(e.Difference.Sizes) != 1 {
		return ""
	}
	symbol := ""
	for s := range e.Difference.Sizes {
		symbol = s
	}
	var options []string
	for _, v := range changed.Graph().FeedInputs() {
		open := slices.IndexFunc(v.Type().Shape, func(d graphops.Dim) bool {
			_, plain := shape.SizeFromFile(d).IsSymbol()
			return !d.IsFixed() && d.Symbol != symbol && (plain || d.Symbol == "" || shape.IsPlaceholder(d.Symbol))
		})
		if open >= 0 && len(options) < mostHints && !hasSymbol(v, symbol) {
			options = append(options, fmt.Sprintf("--dynamic %s:%d=%s", v.Name(), open, symbol))
		}
	}
	if len(options) == 0 {
		return ""
	}
	return fmt.Sprintf("; if a dynamic axis of another input always has the same size as this one, give both the same name, such as %s", strings.Join(options, ", "))
}

// hasSymbol reports whether a dimension of an input has this symbol.
func hasSymbol(v *graphops.ValueInfo, symbol string) bool {
	return slices.ContainsFunc(v.Type().Shape, func(d graphops.Dim) bool { return d.Symbol == symbol })
}
