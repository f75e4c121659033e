package shape

import (
	"testing"

	"lathe/graphops/opschema"
)

// unruled are the operators of ONNX Runtime that nothing can be said of, with the reason.
var unruled = map[operator]string{
	{microsoft, "EPContext"}: "what it makes is in a binary of an execution provider",
	{microsoft, "Snpe"}:      "what it makes is in a binary of an execution provider",

	{nhwc, "ConvTranspose"}:        "the standard's rule, with channels last; no optimizer leaves one in a file",
	{nhwc, "QLinearConvTranspose"}: "the standard has no such operator",
	{nhwc, "MaxUnpool"}:            "the standard's rule, with channels last; no optimizer leaves one in a file",
	{nhwc, "Resize"}:               "the standard's rule, with channels last; no optimizer leaves one in a file",
}

// Every operator of the runtime has a rule, or a reason why it has none, and no
// reason outlives its operator.
func TestEveryRuntimeOperatorHasARule(t *testing.T) {
	for _, domain := range []string{microsoft, nchwc, nhwc} {
		names := opschema.Names(domain)
		if len(names) == 0 {
			t.Errorf("the table has no operators of %s", domain)
		}
		for _, name := range names {
			key := operator{domain, name}
			if (rules[key] != nil) == (unruled[key] != "") {
				t.Errorf("%s %s: rule %v, reason %q", domain, name, rules[key] != nil, unruled[key])
			}
		}
	}
	for key := range rules {
		if key.domain != onnx && key.domain != ml && len(opschema.Versions(key.domain, key.op)) == 0 {
			t.Errorf("a rule for %s %s, which is no operator", key.domain, key.op)
		}
	}
	for key := range unruled {
		if len(opschema.Versions(key.domain, key.op)) == 0 {
			t.Errorf("a reason for %s %s, which is no operator", key.domain, key.op)
		}
	}
}
