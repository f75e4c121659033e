package sizing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sizing"
)

// describe describes a model.
func describe(t *testing.T, m *graphops.Model) []sizing.Description {
	t.Helper()
	return systemOf(t, m).Describe(t.Context(), nil)
}

// positions looks up a row of a table of 9000 for each element of an axis of x.
const positions = `init t f32[9000,1] 1
init zero i64[] 0
init one i64[] 1
s = Shape(x)
n = Gather(s, one)
r = Range(zero, n, one)
a: y = Gather(t, r)
`

// TestFits: which sizes of the first symbol fit, and which node decides.
func TestFits(t *testing.T) {
	for _, c := range []struct{ model, fits, by string }{
		{"input x f32[h,4]\na: y = Relu(x)", "any size", ""},
		{"input x f32[1,c,9]\ninit w f32[2,3,1] 1\na: y = Conv(x, w)", "only 3", "a"},
		{"input x f32[1,1,h]\ninit w f32[1,1,7] 1\na: y = Conv(x, w)\nb: z = Relu(y)", "7 or more", "a"},
		{"input x f32[h]\ninit to i64[2] -1 32\na: y = Reshape(x, to)", "a multiple of 32", "a"},
		{"input x f32[h]\ninit to i64[2] -1 32\ninit toward i64[2] -1 48\na: y = Reshape(x, to)\nb: z = Reshape(x, toward)", "a multiple of 96", "b"},
		{"input x f32[h]\ninit a f32[3] 1\ninit b f32[4] 1\na: y = Concat(x, a) axis=0\nb: z = Sub(y, b)", "only 1", "b"},
		{"input x f32[h,4]\ninit w f32[1,5000] 1\na: y = MatMul(w, x)", "above 2048, as 5000", "a"},
		{"input x i64[1,h]\n" + positions, "at most 9000", "a"},
		{"input x i64[1,h]\ninit to i64[2] -1 32\nb: q = Reshape(x, to)\n" + positions, "a multiple of 32, at most 9000", "b"},
		{"input x f32[h]\ninput z f32[w]\na: y = Mul(x, z)", "any size, depends on w", "a"},
	} {
		list := describe(t, graphtest.Model(t, c.model))
		by := ""
		if demands := list[0].Demands; len(demands) > 0 {
			by = demands[0].Place.Graph.Nodes()[demands[0].Node].Name()
		}
		if got := list[0].Allowed(); got != c.fits || by != c.by {
			t.Errorf("%s\nfits %q by %q, want %q by %q", c.model, got, by, c.fits, c.by)
		}
	}
}

// TestDemandsThatDecide come first, and what follows from them last.
func TestDemandsThatDecide(t *testing.T) {
	list := describe(t, graphtest.Model(t, `
		input x f32[1,1,h]
		init half i64[2] -1 2
		init large f32[1,1,9] 1
		init to i64[2] -1 4
		even: a = Reshape(x, half)
		high: b = Conv(x, large)
		part: c = Reshape(x, to)
	`))
	var got []string
	for _, d := range list[0].Demands {
		got = append(got, fmt.Sprintf("%s %s %v", d.Fits, d.By, d.Follows))
	}
	want := []string{
		`a multiple of 4 node "part" (Reshape) false`,
		`9 or more node "high" (Conv) false`,
		`a multiple of 2 node "even" (Reshape) true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if list[0].Fits != "a multiple of 4, 12 or more" {
		t.Errorf("fits %q", list[0].Fits)
	}
}

// TestHostileDescriptions: no name of a model reaches the terminal as it is, or begins
// a line of its own.
func TestHostileDescriptions(t *testing.T) {
	for _, payload := range graphtest.Hostile {
		list := describe(t, graphtest.Decode(t, graphtest.HostileProto(t, payload)))
		for _, d := range list {
			d.Demands = append(d.Demands, sizing.Demand{Text: payload, By: payload, Sure: true})
			d.DependsOn = append(d.DependsOn, payload)
			var b strings.Builder
			if err := sizing.WriteDescriptions(&b, []sizing.Description{d}); err != nil {
				t.Fatal(err)
			}
			if raw := graphtest.Unprintable(b.String()); raw != "" {
				t.Errorf("%q: %s in\n%s", payload, raw, b.String())
			}
		}
	}
}
