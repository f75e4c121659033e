package trial

import (
	"testing"

	"lathe/graphops/check"
)

// TestIntroduced checks that only errors that the original does not have are blamed on a change,
// even if nodes were renamed.
func TestIntroduced(t *testing.T) {
	one := func(code, message string) check.Problem {
		return check.Problem{Code: code, Severity: check.Error, Message: message}
	}
	old := []check.Problem{one("value-undefined", `"a" is not defined`), one("graph-cycle", "a cycle")}
	for name, c := range map[string]struct {
		after []check.Problem
		want  string
	}{
		"nothing":               {nil, ""},
		"the same":              {old, ""},
		"in other words":        {[]check.Problem{one("value-undefined", `"b" is not defined`)}, ""},
		"one more of a code":    {append([]check.Problem{one("value-undefined", `"b" is not defined`)}, old...), `"b" is not defined (value-undefined)`},
		"the same words twice":  {append([]check.Problem{old[1]}, old...), "a cycle (graph-cycle)"},
		"another code":          {append([]check.Problem{one("kernel-missing", "no kernel")}, old[0]), "no kernel (kernel-missing)"},
		"one gone, one of them": {[]check.Problem{one("graph-cycle", "another cycle")}, ""},
	} {
		got := ""
		if p := introduced(old, c.after); p != nil {
			got = p.Message + " (" + p.Code + ")"
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
