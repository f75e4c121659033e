package filter_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
)

// offered writes what is offered at "^" in an expression, and with it in place.
func offered(f *filter.Facts, marked string) (texts []string, applied []string) {
	at := strings.IndexByte(marked, '^')
	expr := marked[:at] + marked[at+1:]
	for _, c := range f.Complete(context.Background(), expr, at) {
		s := c.Text
		if c.Count > 0 {
			s += fmt.Sprintf(" %d", c.Count)
		}
		texts = append(texts, s)
		applied = append(applied, expr[:c.From]+c.Text+expr[c.To:])
	}
	return texts, applied
}

func TestComplete(t *testing.T) {
	f := facts(t, workshop)
	for _, c := range []struct{ marked, want, first string }{
		{"o^", "op:; output:", "op:"},
		{"conv (-o^", "op:; output:", "conv (-op:"},
		{"re^", "readers>; reads:", "readers>"},
		{"con^", "op:Conv 2", "op:Conv"},
		{"op:^", "Conv 2; Add 1; Cast 1; Gelu 1; If 1; Softmax 1; Twice 1", "op:Conv"},
		{"op:c^", "Conv 2; Cast 1; Twice 1", "op:Conv"},
		{"op:Con^v x", "Conv 2", "op:Conv x"},
		{"op:Add,G^", "Gelu 1", "op:Add,Gelu"},
		{"op:Add|G^", "Gelu 1", "op:Add|Gelu"},
		{"op:Add|^", "Conv 2; Add 1; Cast 1; Gelu 1; If 1; Softmax 1; Twice 1", "op:Add|Conv"},
		{"op:Add|rank:^", "2 4; 4 3; 0 1; 1 1; 3 1", "op:Add|rank:2"},
		{"op:Add,G^,If", "Gelu 1", "op:Add,Gelu,If"},
		{"a|(op:Ad^)", "Add 1", "a|(op:Add)"},
		{"op!=If^", "If 1", "op!=If"},
		{"domain:^", "ai.onnx 6; com.microsoft 1; local 1", "domain:ai.onnx"},
		{"type:^", "f32 6; bool 2; f16 1; i64 1", "type:f32"},
		{"shape:b^", "batch×10 1; batch×3×224×224 1; batch×8×112×112 1; batch×8×224 1", "shape:batch×10"},
		{"rank:^", "2 4; 4 3; 0 1; 1 1; 3 1", "rank:2"},
		{"attr:k^", "kernel_shape 2", "attr:kernel_shape"},
		{"attr:kernel_shape=^", "[3,3] 1; [7,7] 1", "attr:kernel_shape=[3,3]"},
		{"attr:auto_pad=S^", "SAME_UPPER 1", "attr:auto_pad=SAME_UPPER"},
		{"is:un^", "undefined; unnamed; unused", "is:undefined"},
		{"has:b^", "body", "has:body"},
		{"in:^", "/m 4; /s 2; /x 1; /s/c1 1; /s/c2 1", "in:/m"},
		{`in:"/s/c^" x`, "/s/c1 1; /s/c2 1", "in:/s/c1 x"},
		{"name:/s^", "/s/c1/Conv; /s/c2/Conv", "name:/s/c1/Conv"},
		{"input:w^", "w1; w2; few", "input:w1"},
		{"after:/m/Ad^", "/m/Add", "after:/m/Add"},
		{"between:/s/c1/Conv../m/G^", "/m/Gelu", "between:/s/c1/Conv../m/Gelu"},
		{"nothing:^", "", ""},
		{"params>^", "", ""},
	} {
		texts, applied := offered(f, c.marked)
		if got := strings.Join(texts, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.marked, got, c.want)
			continue
		}
		if c.first != "" && applied[0] != c.first {
			t.Errorf("%s: becomes %s, want %s", c.marked, applied[0], c.first)
		}
	}
	if all, _ := offered(f, "^"); len(all) != len(filter.Fields()) {
		t.Errorf("%d offers where nothing is typed, want every field: %q", len(all), all)
	}
}

// mayBeEmpty are fields whose offers need not hold for anything.
var mayBeEmpty = map[string]bool{"after": true, "before": true, "between": true, "has": true, "is": true, "makes": true, "reads": true}

func holdsSomewhere(m *filter.Matcher, g *graphops.Graph) bool {
	for i := range g.Nodes() {
		if m.Node(i) {
			return true
		}
	}
	for v := range g.Index().Values() {
		if m.Value(graphops.ValueID(v)) {
			return true
		}
	}
	return false
}

// TestCompletionsParse accepts every offer for each field and compiles it.
func TestCompletionsParse(t *testing.T) {
	proto := graphtest.Proto(t, workshop)
	proto.Graph.Node[0].Name = ptr("/odd (name), with*all|\x1b\u202e\"..\xff")
	proto.Graph.Node[1].OpType = ptr("a,b c")
	p := graphtest.Decode(t, proto).Places()[0]
	f := filter.NewFacts(p, filter.Options{})
	for _, fd := range filter.Fields() {
		_, applied := offered(f, fd.Name+":^")
		for _, expr := range applied {
			if fd.Name == "between" {
				expr += ".." + strings.TrimPrefix(expr, "between:")
			}
			m, err := f.Compile(expr)
			if err != nil {
				t.Errorf("%s: %v", expr, err)
			} else if !mayBeEmpty[fd.Name] && !holdsSomewhere(m, p.Graph) {
				t.Errorf("%s is offered and holds for nothing", expr)
			}
		}
	}
}

func ptr(s string) *string { return &s }

// TestManyCompletions stays within what anybody reads, the best first.
func TestManyCompletions(t *testing.T) {
	f := filter.NewFacts(large(t, 3000), filter.Options{})
	texts, _ := offered(f, "name:block.1^")
	if len(texts) != 100 {
		t.Errorf("%d offers", len(texts))
	}
	texts, _ = offered(f, "name:/model/layers.2^")
	for _, s := range texts {
		if !strings.HasPrefix(s, "/model/layers.2/") {
			t.Fatalf("%s does not begin with what is typed", s)
		}
	}
}
