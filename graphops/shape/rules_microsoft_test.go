package shape_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// fused is one node of ONNX Runtime's own, with what it makes of what.
type fused struct {
	domain  string // com.microsoft unless stated
	node    string // "Op(x, w) attribute=1"
	values  string // of its inputs, "x f32[batch,4]; init n i64[1] 3"
	want    string // the types of its outputs, "f32 batch×4; i64 ?"
	problem string // part of the text of the only problem
	demands []string
}

// checkFused checks nodes one by one.
func checkFused(t *testing.T, list []fused) {
	t.Helper()
	var examples []example
	for _, x := range list {
		examples = append(examples, x.example())
	}
	check(t, examples)
}

func (x fused) example() example {
	out := example{name: x.node, want: map[string]string{}, demands: x.demands}
	lines := []string{"opset 17"}
	for _, v := range strings.Split(x.values, "; ") {
		if v == "" {
			continue
		}
		if !strings.HasPrefix(v, "init ") {
			v = "input " + v
		}
		lines = append(lines, v)
	}
	var names []string
	for i, w := range strings.Split(x.want, "; ") {
		names = append(names, fmt.Sprintf("y%d", i))
		out.want[names[i]] = w
	}
	domain := x.domain
	switch domain {
	case "":
		domain = "com.microsoft"
	case "ai.onnx":
		domain = ""
	}
	if domain != "" {
		lines[0] += "\nopset " + domain + " 1"
		domain += "::"
	}
	lines = append(lines, strings.Join(names, ", ")+" = "+domain+x.node)
	if out.model = strings.Join(lines, "\n"); x.problem != "" {
		out.problems = []string{x.problem}
	}
	return out
}

var opOf = regexp.MustCompile(`^\w+`)

// operators are those of a list that the rows name, of a domain.
func operators(domain string, lists ...[]fused) map[string]bool {
	out := map[string]bool{}
	for _, list := range lists {
		for _, x := range list {
			if x.domain == domain {
				out[opOf.FindString(x.node)] = true
			}
		}
	}
	return out
}
