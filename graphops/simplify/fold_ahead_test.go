package simplify

import (
	"testing"

	"lathe/graphops/graphtest"
)

// A Runner is announced where constants need it, and not where they are folded without.
func TestRunnerAhead(t *testing.T) {
	const exact = "input x f32[2]\ninit a f32[2] 1 2\ninit i i64[2] 3 4\n"
	for _, c := range []struct {
		name, text string
		without    []string
		want       int
	}{
		{"rounded", exact + "b = Exp(a)\ny = Add(x, b)\noutput y f32[2]", nil, 1},
		{"behind what is folded here", exact + "b = Neg(a)\nc = Exp(b)\ny = Add(x, c)\noutput y f32[2]", nil, 1},
		{"of an input", exact + "b = Exp(x)\ny = Add(b, a)\noutput y f32[2]", nil, 0},
		{"defined to the bit", exact + "b = Neg(a)\nl = ReduceMax(i)\nk = Cast(l) to=1\nc = Mul(b, k)\ny = Add(x, c)\noutput y f32[2]", nil, 0},
		{"unread", exact + "b = Exp(a)\ny = Add(x, a)\noutput y f32[2]", nil, 0},
		{"left out", exact + "b = Exp(a)\ny = Add(x, b)\noutput y f32[2]", []string{"fold-constants"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := 0
			_, _, err := Simplify(t.Context(), graphtest.Model(t, c.text), Options{
				Without: c.without, Runner: exponentials{}, RunnerAhead: func() { got++ },
			})
			if err != nil || got != c.want {
				t.Errorf("announced %d times, error %v; expected %d", got, err, c.want)
			}
		})
	}
}
