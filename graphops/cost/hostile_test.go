package cost_test

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
)

// TestAnyForm has every operator with any number of inputs and outputs, of ranks that
// it does not expect, and attributes of another kind: no panic, and no total that
// says it is whole where the shapes are not known.
func TestAnyForm(t *testing.T) {
	ranks := []string{"", "[]", "[0]", "[a,?]", "[a,b,9223372036854775807]", "[1,2,3,4]", "[9223372036854775807,3,4,5,6]"}
	attributes := []string{"", " equation='...' transA=1 transBatchA=1", " equation='->..,' K='x' coefficients=1", " equation='aaaa,é,b' K=-9 past_present_share_buffer=1"}
	for _, domain := range opschema.Domains() {
		for _, name := range opschema.Names(domain) {
			if n := strings.Index(name, "."); n >= 0 {
				continue
			}
			var b strings.Builder
			fmt.Fprintf(&b, "opset %s 1\n", cmpDomain(domain))
			for i, r := range ranks {
				fmt.Fprintf(&b, "input x%d f32%s\n", i, r)
			}
			out := 0
			for i := range ranks {
				for _, inputs := range []int{0, 3, 8} {
					names := make([]string, inputs)
					for k := range names {
						if k%4 != 3 {
							names[k] = fmt.Sprintf("x%d", (i+k)%len(ranks))
						}
					}
					outputs := make([]string, (i+inputs)%4)
					for k := range outputs {
						outputs[k] = fmt.Sprintf("y%d", out)
						fmt.Fprintf(&b, "value y%d f32%s\n", out, ranks[(i+k)%len(ranks)])
						out++
					}
					if len(outputs) == 0 {
						outputs = []string{"_"}
					}
					fmt.Fprintf(&b, "%s = %s::%s(%s)%s\n", strings.Join(outputs, ", "), cmpDomain(domain), name, strings.Join(names, ", "), attributes[inputs%len(attributes)])
				}
			}
			r := analyze(t, graphtest.Model(t, b.String()))
			if _, err := cost.Memory(r, map[string]int64{"a": 1 << 62, "b": 0}); err == nil {
				t.Errorf("%s %s: memory for more than 64 bits", domain, name)
			}
			r.At(map[string]int64{"a": 1 << 62, "b": 0}).Total()
		}
	}
}

func cmpDomain(domain string) string {
	if domain == "" {
		return "ai.onnx"
	}
	return domain
}
