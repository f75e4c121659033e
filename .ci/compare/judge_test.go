package main

import (
	"testing"
)

func TestCounted(t *testing.T) {
	r := row{model: model{nodes: 200_000}}
	for text, want := range map[string]bool{
		"200000\n":                         true,
		"name\n  nodes       200,000\n":    true,
		"  nodes       200,000, and 656\n": true,
		"2000000\n":                        false,
		"  values      200,000\n":          false,
		"":                                 false,
	} {
		got := counted{}.verdicts(t.Context(), nil, r, []outcome{{output: text}})
		if (got[0] == right) != want {
			t.Errorf("%q: %s", text, got[0])
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct{ kind, in, want string }{
		{"models", "ok 3.2e-02 268482286", "right, error 3.2e-02, 268 MB"},
		{"values", "ok 0.0e+00 100", "right, error 0.0e+00"},
		{"models", "wrong: the error is 2", "wrong: the error is 2"},
	} {
		if got := (computed{kind: c.kind}).verdict(c.in); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
