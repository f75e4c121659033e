package sides

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
)

// toleranceOption is the option for tolerances of single outputs.
func toleranceOption(list *[]string) session.Option {
	return session.List(list, "tolerance", "tolerance of one output of A: `NAME=RTOL,ATOL`, or one of the two, such as logits=1e-3 or logits=,1e-2; repeat for several").Naming(session.NamesValue, "=")
}

// parseTolerances reads the values of --tolerance.
func parseTolerances(list []string, m *graphops.Model) (map[string]compare.Asked, error) {
	of := map[string]compare.Asked{}
	names := graphops.ValueNames(m.Graph().Outputs())
	for _, s := range list {
		i := strings.LastIndexByte(s, '=')
		if i <= 0 {
			return nil, session.UsageError(fmt.Sprintf("--tolerance %q: expected NAME=RTOL,ATOL", s))
		}
		name := s[:i]
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--tolerance: no output is called %q; outputs are %s", name, graphops.QuoteNames(names))
		}
		if _, twice := of[name]; twice {
			return nil, session.UsageError(fmt.Sprintf("--tolerance: that of %q is given twice", name))
		}
		asked, err := parseAsked(s[i+1:])
		if err != nil {
			return nil, session.UsageError(fmt.Sprintf("--tolerance %q: %v", s, err))
		}
		of[name] = asked
	}
	return of, nil
}

// parseAsked reads RTOL,ATOL.
func parseAsked(s string) (compare.Asked, error) {
	var numbers [2]*float64
	words := strings.Split(s, ",")
	if len(words) > len(numbers) || strings.Trim(s, ", ") == "" {
		return compare.Asked{}, fmt.Errorf("%q is not RTOL,ATOL", s)
	}
	for i, w := range words {
		if w = strings.TrimSpace(w); w == "" {
			continue
		}
		x, err := strconv.ParseFloat(w, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return compare.Asked{}, fmt.Errorf("%q is not a number of at least 0", w)
		}
		numbers[i] = &x
	}
	return compare.Asked{RTol: numbers[0], ATol: numbers[1]}, nil
}
