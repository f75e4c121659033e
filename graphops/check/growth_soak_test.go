//go:build soak

package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestGrowth has models that have many of one thing, which no healthy model has, and
// makes them twice as large: what takes time by the square takes four times as long.
func TestGrowth(t *testing.T) {
	list := func(k int, format string) string {
		var b strings.Builder
		each(&b, k, format)
		return b.String()
	}
	shapes := map[string]func(k int) string{
		"names that read as value": hidden,
		"bodies of unprintable names": func(k int) string {
			return "graph then\n\u200b = Neg(x)\noutput \u200b\nend\ninput c bool[]\n" +
				list(k, "value_%d = Neg(x)\n") + list(k/8, "v%d = If(c) then_branch=@then else_branch=@then\n")
		},
		"bodies of shadowing names": func(k int) string {
			return "graph then\nh = Neg(x)\noutput h\nend\ninput c bool[]\nh = Neg(x)\n" +
				list(k, "h_%d = Neg(x)\n") + list(k/8, "v%d = If(c) then_branch=@then else_branch=@then\n")
		},
		"attributes of a node":     func(k int) string { return "v = Neg(x) " + list(k, "a%d=1 ") + "\noutput v\n" },
		"one attribute many times": func(k int) string { return "v = Neg(x) " + strings.Repeat("a=1 ", k) + "\noutput v\n" },
		"imports":                  func(k int) string { return list(k, "opset d%d 1\n") + "v = Neg(x)\noutput v\n" },
		"imports of one domain":    func(k int) string { return list(k, "opset d %d\n") + "v = Neg(x)\noutput v\n" },
		"functions": func(k int) string {
			return "opset loc 1\n" + list(k, "function loc F%d(a) -> (b)\nb = Neg(a)\nend\n") + list(k, "v%d = loc::F%d(x)\n")
		},
		"functions of one name": func(k int) string {
			return "opset loc 1\n" + strings.Repeat("function loc F(a) -> (b)\nb = Neg(a)\nend\n", k) + "v = loc::F(x)\noutput v\n"
		},
		"inputs of one name":       func(k int) string { return strings.Repeat("input a f32[2]\n", k) + "v = Neg(a)\noutput v\n" },
		"outputs of one name":      func(k int) string { return "v = Neg(x)\n" + strings.Repeat("output v\n", k) },
		"initializers of one name": func(k int) string { return strings.Repeat("init w f32[2] 1\n", k) + "v = Add(x, w)\noutput v\n" },
		"nodes of one name":        func(k int) string { return list(k, "same: v%d = Neg(x)\n") },
		"unread results":           func(k int) string { return list(k, "v%d = Neg(x)\n") },
		"zero points of one constant": func(k int) string {
			return fmt.Sprintf("input q i32[%d]\ninit s f32[%[1]d] 1\ninit z i32[%[1]d] 1\n", k) + list(k, "v%d = DequantizeLinear(q, s, z) axis=0\n")
		},
	}
	for name, text := range shapes {
		t.Run(name, func(t *testing.T) {
			grows(t, func(k int) *onnxpb.ModelProto { return graphtest.Proto(t, "input x f32[2]\n"+text(k)) })
		})
	}
	t.Run("attributes of a function, its nodes and its call", func(t *testing.T) {
		grows(t, func(k int) *onnxpb.ModelProto { return attributed(t, k) })
	})
}

// grows checks a model of some size, and one that is twice as large.
func grows(t *testing.T, model func(k int) *onnxpb.ModelProto) {
	t.Helper()
	const k, slack = 8000, 300 * time.Millisecond
	once, twice := checkedIn(t, model(k)), checkedIn(t, model(2*k))
	t.Logf("%s, %s", once, twice)
	if twice > 3*once+slack {
		t.Errorf("%d take %s, %d take %s: expected at most three times as long", k, once, 2*k, twice)
	}
}

// checkedIn is how long a model takes, at best of three times.
func checkedIn(t *testing.T, p *onnxpb.ModelProto) time.Duration {
	t.Helper()
	best := time.Hour
	for range 3 {
		m := graphtest.Decode(t, p) // which knows nothing from the last time
		start := time.Now()
		if _, err := Model(t.Context(), m, Options{}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	return best
}

// attributed has a function with many attributes, nodes that follow them and some that
// it does not declare, and a call that gives them all.
func attributed(t *testing.T, k int) *onnxpb.ModelProto {
	t.Helper()
	p := graphtest.Proto(t, "opset loc 1\nfunction loc F(x) -> (y)\ny = LeakyRelu(x)\nend\ninput x f32[2]\nv = loc::F(x)\noutput v\n")
	f, call := p.Functions[0], p.Graph.Node[0]
	for i := range k {
		name := fmt.Sprintf("a%d", i)
		f.Attribute = append(f.Attribute, name)
		call.Attribute = append(call.Attribute, attributeOf(name))
		for _, ref := range []string{name, "not " + name} {
			n := &onnxpb.NodeProto{OpType: proto.String("LeakyRelu"), Input: []string{"x"}, Output: []string{"of " + ref}}
			n.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("alpha"), Type: onnxpb.AttributeProto_FLOAT.Enum(), RefAttrName: &ref}}
			f.Node = append(f.Node, n)
		}
	}
	return p
}

// hidden has nodes whose results have names of nothing but characters that cannot be
// seen, each of other ones.
func hidden(k int) string {
	var b strings.Builder
	for i := range k {
		b.WriteString(strings.NewReplacer("0", "\u200b", "1", "\u200c").Replace(fmt.Sprintf("%b", i)))
		b.WriteString(" = Neg(x)\n")
	}
	return b.String()
}
