package torch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/session"
	"lathe/session/torch/failure"
)

// TestTorchRetry checks that the first suggestion is offered that consists of options and has not
// been tried.
func TestTorchRetry(t *testing.T) {
	attempted := func(strategy string, next ...failure.Suggestion) *attempt {
		return &attempt{Strategy: strategy, Error: strategy + " has failed", Suggestion: "a suggestion", Failure: &failure.Failure{Next: next}}
	}
	flags := func(list ...string) failure.Suggestion { return failure.Suggestion{Kind: "flags", Flags: list} }
	code := failure.Suggestion{Kind: "code", Text: "write it otherwise"}
	for name, c := range map[string]struct {
		attempts []*attempt
		want     []session.Setting
	}{
		"nothing":        {nil, nil},
		"only code":      {[]*attempt{attempted("strict", code)}, nil},
		"words alone":    {[]*attempt{attempted("strict", flags())}, nil},
		"another way":    {[]*attempt{attempted("strict", code, flags("--strategy", "legacy"))}, []session.Setting{{Name: "strategy", Values: []string{"legacy"}}}},
		"tried":          {[]*attempt{attempted("strict", flags("--strategy", "legacy"), flags("--opset", "20")), attempted("legacy")}, []session.Setting{{Name: "opset", Values: []string{"20"}}}},
		"tried in part":  {[]*attempt{attempted("strict", flags("--strategy", "strict,legacy"))}, []session.Setting{{Name: "strategy", Values: []string{"strict,legacy"}}}},
		"of a later one": {[]*attempt{{Strategy: "strict", OK: true}, attempted("legacy", flags("--opset", "20"))}, []session.Setting{{Name: "opset", Values: []string{"20"}}}},
	} {
		r := &torchReport{Attempts: c.attempts}
		if diff := cmp.Diff(c.want, r.Retry(), cmpopts.IgnoreUnexported(session.Setting{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	r := &torchReport{Attempts: []*attempt{attempted("strict", code)}}
	if text, remedy := r.Wrong(); text != "strict has failed" || remedy != "a suggestion" {
		t.Errorf("%q, %q", text, remedy)
	}
	if text, _ := (&torchReport{OK: true}).Wrong(); text != "" {
		t.Errorf("of what is right: %q", text)
	}
	// The suggested options must exist in the step.
	for name := range map[string]bool{"strategy": true, "opset": true, "input": true, "translations": true, "symbolic": true, "timeout": true} {
		has := false
		for _, o := range (&Export{}).Options() {
			has = has || o.Name == name
		}
		if !has {
			t.Errorf("there is no option --%s", name)
		}
	}
}
