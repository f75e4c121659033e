package shrink

import (
	"context"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/runtime"
)

// Without a runtime, there is a single warning about what could have been computed, which says how
// to install one.
func TestSimplifyWithoutRuntime(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1,2,4,4]
		init k f32[1,2,3,3] 1
		init w f32[2,2,1,1] 1 2 3 4
		c = Conv(k, w)
		d = Conv(c, w)
		a = ReduceMax(d)
		i = Identity(x)
		y = Add(i, a)
		output y f32[1,2,4,4]`)
	env := session.Env{
		Runtime: &runtime.Workers{Library: func(context.Context) (ort.Library, error) {
			return ort.Library{}, &ort.NoRuntimeError{}
		}},
		Progress: func(session.Progress) {},
	}
	got, err := (&Simplify{}).Preview(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	r := got.Report.(*simplifyReport)
	for _, p := range r.Passes {
		if len(p.Refused) > 0 {
			t.Errorf("%s: %+v", p.Name, p.Refused)
		}
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "lathe runtime install") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if !r.Changed || r.After.Ops["Identity"] > 0 {
		t.Error("the rest is not simplified")
	}
}
