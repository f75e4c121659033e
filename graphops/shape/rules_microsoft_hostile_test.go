package shape_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// Nodes of ONNX Runtime's operators with inputs and attributes of no sense are
// problems at most: no rule panics, and no size comes out negative.
func TestMicrosoftRulesOnNonsense(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, domain := range []string{"com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc"} {
		for _, op := range opschema.Names(domain) {
			s, ok := opschema.Find(domain, op, 1<<40)
			if !ok {
				t.Fatalf("%s %s is not found", domain, op)
			}
			for range 60 {
				noNonsense(t, nonsense(random, s))
			}
		}
	}
}

// nonsense is a model of one node, with inputs of any type and rank and attributes of
// any kind and value.
func nonsense(random *rand.Rand, s *opschema.Schema) string {
	text := strings.Builder{}
	fmt.Fprintf(&text, "opset %s 30\n", s.Domain)
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var in, out []string
	for i := range random.IntN(len(s.Inputs) + 2) {
		name := fmt.Sprintf("x%d", i)
		var axes []string
		for range random.IntN(6) {
			axes = append(axes, pick("0", "1", "2", "3", "8", "batch", "seq", "?", "9223372036854775807"))
		}
		of := "[" + strings.Join(axes, ",") + "]"
		switch random.IntN(6) {
		case 0:
			name = ""
		case 1:
			fmt.Fprintf(&text, "input %s %s\n", name, pick("f32", "u8", "i32"))
		case 2:
			n := random.IntN(5)
			fmt.Fprintf(&text, "init %s i64[%d] %s\n", name, n, pick("0", "1 2", "-3", "9223372036854775807 -9223372036854775808"))
		default:
			fmt.Fprintf(&text, "input %s %s%s\n", name, pick("f32", "u8", "i8", "i64"), of)
		}
		in = append(in, name)
	}
	for i := range 1 + random.IntN(len(s.Outputs)+1) {
		out = append(out, fmt.Sprintf("y%d", i))
	}
	fmt.Fprintf(&text, "%s = %s::%s(%s)", strings.Join(out, ", "), s.Domain, s.Name, strings.Join(in, ", "))
	for _, a := range s.Attributes {
		if random.IntN(2) == 0 {
			fmt.Fprintf(&text, " %s=%s", a.Name, pick("0", "1", "2", "-1", "4", "9223372036854775807", "-9223372036854775808",
				"1.5", "'SAME_UPPER'", "'bidirectional'", "[]", "[1,2]", "[0,0]", "[3,3,3]", "[-9223372036854775808,9223372036854775807]", "{f32[2] 1 2}"))
		}
	}
	return text.String() + "\n"
}

func noNonsense(t *testing.T, text string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%v\n%s", p, text)
		}
	}()
	m := graphtest.Model(t, text)
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range m.Graph().Nodes() {
		for _, name := range n.Outputs() {
			noNegative(t, m, r, name, text)
		}
	}
}

func noNegative(t *testing.T, m *graphops.Model, r *shape.Result, name, text string) {
	t.Helper()
	id, ok := m.Graph().Index().Value(name)
	if !ok {
		return
	}
	for _, d := range r.Value(m.Places()[0], id).Dims {
		if n, ok := d.Number(); ok && n < 0 || d.Err() != nil {
			t.Fatalf("%s has a size of %s\n%s", name, d, text)
		}
	}
}
