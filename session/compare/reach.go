package compare

import (
	"fmt"
	"slices"
	"strings"

	"lathe/session/inputs"
	"lathe/session/text"
)

// reach counts, for each family of cases, the planned cases and those in which at least one output
// was judged.
type reach struct {
	wanted, compared map[inputs.Family]int
}

func newReach() reach { return reach{map[inputs.Family]int{}, map[inputs.Family]int{}} }

func (r reach) plan(f inputs.Family) { r.wanted[f]++ }

// take counts a case if at least one of its outputs was judged.
func (r reach) take(f inputs.Family, c CaseResult) {
	if slices.ContainsFunc(c.Outputs, func(o OutputResult) bool { return o.Verdict != Undecided }) {
		r.compared[f]++
	}
}

// String returns in how many cases something was compared, and which families are incomplete. It is
// empty if something was compared in every case.
func (r reach) String() string {
	wanted, compared := 0, 0
	var missing []string
	for _, f := range slices.Concat([]inputs.Family{inputs.None}, inputs.Families) {
		n, of := r.compared[f], r.wanted[f]
		compared, wanted = compared+n, wanted+of
		switch {
		case n == of || f == inputs.None:
		case n == 0:
			missing = append(missing, "no "+string(f))
		default:
			missing = append(missing, fmt.Sprintf("%d of %d %s", n, of, f))
		}
	}
	if compared == wanted {
		return ""
	}
	line := fmt.Sprintf("compared in %d of %s", compared, text.Plural(wanted, "case"))
	if len(missing) > 0 {
		line += ": " + strings.Join(missing, ", ")
	}
	return line
}
