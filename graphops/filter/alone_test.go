package filter_test

import (
	"errors"
	"strings"
	"testing"

	"lathe/graphops/filter"
	"lathe/graphops/graphtest"
)

// TestValueAlone asks of values without what makes or reads them.
func TestValueAlone(t *testing.T) {
	p := graphtest.Model(t, `
		input x f32[2,3]
		init w f32[3,3] 1
		value h f32[2,3]
		output y f16[2,3]
		/m/mul: h = MatMul(x, w)
		/m/act: y = Relu(h) slope=1`).Places()[0]
	f := filter.NewFacts(p, filter.Options{})
	for _, c := range []struct{ expr, alone, byNodes string }{
		{"op:Relu", "", "y"},
		{"-op:Relu", "x w h y", "x w h"},
		{"op!=Relu", "x w h y", "x w h"},
		{"op:MatMul", "", "x w h"},
		{"in:/m", "", "x w h y"},
		{"attr:slope has:attr", "", "y"},
		{"index:1", "", "y"},
		{"makes:y", "", "y"},
		{"domain:ai.onnx", "", "x w h y"},
		{"input:h", "", "y"},
		{"has:constant", "", "x w h"},
		{"relu", "", ""},
		{"name:y", "y", "y"},
		{"type:f16", "y", "y"},
		{"shape:2x3 rank:2", "x h y", "x h y"},
		{"readers:0", "y", "y"},
		{"is:input", "x", "x"},
		{"is:constant", "w", "w"},
		{"params:9", "w", "w"},
		{"after:h", "y", "y"},
		{"before:/m/act", "x w h", "x w h"},
		{"between:x..h", "x h", "x w h"},
	} {
		m, err := f.Compile(c.expr)
		if err != nil {
			t.Fatalf("%s: %v", c.expr, err)
		}
		var alone, byNodes []string
		for _, name := range []string{"x", "w", "h", "y"} {
			v, _ := p.Graph.Index().Value(name)
			if m.ValueAlone(v) {
				alone = append(alone, name)
			}
			if m.Value(v) {
				byNodes = append(byNodes, name)
			}
		}
		if got := strings.Join(alone, " "); got != c.alone {
			t.Errorf("%s: %q alone, want %q", c.expr, got, c.alone)
		}
		if got := strings.Join(byNodes, " "); got != c.byNodes {
			t.Errorf("%s: %q with their nodes, want %q", c.expr, got, c.byNodes)
		}
	}
}

// TestBrief says what is wrong without the names that come near.
func TestBrief(t *testing.T) {
	_, err := facts(t, workshop).Compile("after:/m/Ad")
	var fault *filter.Error
	if !errors.As(err, &fault) {
		t.Fatalf("%T", err)
	}
	want := `"/m/Ad" at column 7: no node, value or scope has that name`
	if got := fault.Brief(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !strings.HasPrefix(fault.Error(), want+"; nearest names") {
		t.Errorf("whole: %s", fault)
	}
}
