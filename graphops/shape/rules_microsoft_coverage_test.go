package shape

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// unruled are the operators of ONNX Runtime that nothing can be said of, with the reason.
var unruled = map[graphops.Op]string{
	{Domain: microsoft, Name: "EPContext"}: "what it makes is in a binary of an execution provider",
	{Domain: microsoft, Name: "Snpe"}:      "what it makes is in a binary of an execution provider",

	{Domain: nhwc, Name: "ConvTranspose"}:        "the standard's rule, with channels last; no optimizer leaves one in a file",
	{Domain: nhwc, Name: "QLinearConvTranspose"}: "the standard has no such operator",
	{Domain: nhwc, Name: "MaxUnpool"}:            "the standard's rule, with channels last; no optimizer leaves one in a file",
	{Domain: nhwc, Name: "Resize"}:               "the standard's rule, with channels last; no optimizer leaves one in a file",
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
			key := graphops.Op{Domain: domain, Name: name}
			if (rules()[key] != nil) == (unruled[key] != "") {
				t.Errorf("%s %s: rule %v, reason %q", domain, name, rules()[key] != nil, unruled[key])
			}
		}
	}
	for key := range rules() {
		if key.Domain != onnx && key.Domain != ml && len(opschema.Versions(key.Domain, key.Name)) == 0 {
			t.Errorf("a rule for %s %s, which is no operator", key.Domain, key.Name)
		}
	}
	for key := range unruled {
		if len(opschema.Versions(key.Domain, key.Name)) == 0 {
			t.Errorf("a reason for %s %s, which is no operator", key.Domain, key.Name)
		}
	}
}
