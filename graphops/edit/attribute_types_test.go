package edit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// turned has types recorded before, behind and beside a node.
const turned = `
	input x f32[batch,4]
	value before f32[batch,4]
	value h f32[4,batch]
	value r f32[4,batch]
	output y f32[4,batch]
	output side f32[batch,4]
	before = Neg(x)
	side = Relu(before)
	turn: h = Transpose(before) perm=[1,0]
	slope: r = LeakyRelu(h) alpha=0.5
	y = Cast(r) to=1
`

// parsed reads types.
func parsed(t *testing.T, types map[string]string) map[string]graphops.Type {
	t.Helper()
	out := map[string]graphops.Type{}
	for name, s := range types {
		typ, err := graphops.ParseType(s)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = typ
	}
	return out
}

// inferring answers with some types of the model as it was and others of one with
// another node.
type inferring struct {
	*typer
	was           *graphops.Model
	node          int
	before, after map[string]graphops.Type
}

func (f *inferring) Types(ctx context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	f.types = f.after
	if graphtest.Node(m.Graph().Nodes()[f.node]) == graphtest.Node(f.was.Graph().Nodes()[f.node]) {
		f.types = f.before
	}
	return f.typer.Types(ctx, m, names)
}

// TestAttributesTypes changes attributes and looks at the types that are recorded
// afterwards, and at what was asked of whom.
func TestAttributesTypes(t *testing.T) {
	recorded := []string{"before f32 batch×4", "h f32 4×batch", "r f32 4×batch", "y f32 4×batch", "side f32 batch×4"}
	straight := []string{"before f32 batch×4", "h f32 batch×4", "r f32 batch×4", "y f32 batch×4", "side f32 batch×4"}
	open := []string{"before f32 batch×4", "h f32 ?", "r f32 ?", "y f32 ?", "side f32 batch×4"}
	turning := map[string]string{"h": "f32[4,batch]"}
	turnedBack := map[string]string{"h": "f32[batch,4]", "r": "f32[batch,4]", "y": "f32[batch,4]"}
	for _, tt := range []struct {
		name          string
		node          int
		set           edit.AttributeSetting
		keep          bool
		before, after map[string]string // nobody is asked where they are nil
		records       []string
		asked         []string // each time, with a blank between names
		warnings      []string
	}{
		{name: "a shape", node: 2, set: setting("perm", "[0,1]"), before: turning, after: turnedBack, records: straight, asked: []string{"h", "h", "h r side y"}},
		{
			name: "a shape that is told in part", node: 2, set: setting("perm", "[0,1]"), before: turning, after: map[string]string{"h": "f32[batch,4]", "y": "f32[?,4]"},
			records: []string{"before f32 batch×4", "h f32 batch×4", "r f32 ?", "y f32 batch×4", "side f32 batch×4"}, asked: []string{"h", "h", "h r side y"},
		},
		{name: "no shape in the end", node: 2, set: setting("perm", "[0,1]"), before: turning, after: turning, records: recorded, asked: []string{"h", "h", "h side y"}},
		{
			name: "a shape that is known in part", node: 2, set: setting("perm", "[0,1]"), before: map[string]string{"h": "f32[?,?]"}, after: map[string]string{"h": "f32[?,?]"},
			records: []string{"before f32 batch×4", "h f32 batch×4", "r f32 ?", "y f32 ?", "side f32 batch×4"}, asked: []string{"h", "h", "h r side y"},
			warnings: []string{`output "y": the runtime does not tell its shape, so no shape is declared; onnx.checker requires one: declare it`},
		},
		{
			name: "integers", node: 2, set: setting("perm", "[0,1]"), before: map[string]string{"h": "i64[4]"}, after: map[string]string{"h": "i64[4]"},
			records: []string{"before f32 batch×4", "h i64 4", "r f32 ?", "y f32 ?", "side f32 batch×4"}, asked: []string{"h", "h", "h r side y"},
			warnings: []string{`output "y": the runtime does not tell its shape, so no shape is declared; onnx.checker requires one: declare it`},
		},
		{name: "a number", node: 3, set: setting("alpha", "0.25"), before: turning, after: turnedBack, records: recorded, asked: []string{"r side y"}},
		{
			name: "an element type", node: 4, set: setting("to", "10"), before: map[string]string{"y": "f32[4,batch]"}, after: map[string]string{"y": "f16[4,batch]"},
			records: []string{"before f32 batch×4", "h f32 4×batch", "r f32 4×batch", "y f16 4×batch", "side f32 batch×4"}, asked: []string{"y", "y", "side y"},
		},
		{name: "kept", node: 2, set: setting("perm", "[0,1]"), keep: true, before: turning, after: turnedBack, records: recorded, asked: []string{"h side y"}},
		{
			name: "unchecked", node: 2, set: setting("perm", "[0,1]"), records: open,
			warnings: []string{"the types that follow from the change are unknown without a runtime: declared shapes of values after it are removed"},
		},
		{
			name: "an element type, unchecked", node: 4, set: setting("to", "10"), records: []string{"before f32 batch×4", "h f32 4×batch", "r f32 4×batch", "y ?", "side f32 batch×4"},
			warnings: []string{"the types that follow from the change are unknown without a runtime: declared types of values after it are removed"},
		},
		{name: "a number, unchecked", node: 3, set: setting("alpha", "0.25"), records: recorded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, turned)
			o := edit.AttributeOptions{Nodes: []string{fmt.Sprintf("#%d", tt.node)}, Set: []edit.AttributeSetting{tt.set}, Typing: edit.Typing{Keep: tt.keep}}
			f := &inferring{typer: &typer{}, was: m, node: tt.node, before: parsed(t, tt.before), after: parsed(t, tt.after)}
			if tt.before != nil {
				o.Typer = f
			}
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Attributes(t.Context(), m, at(t, m), o)
			})
			if diff := cmp.Diff(tt.records, records(next.Graph())); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, report.Warnings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			var asked []string
			for _, names := range f.asked {
				asked = append(asked, strings.Join(names, " "))
			}
			if diff := cmp.Diff(tt.asked, asked, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if tt.name == "an element type" && !slices.Contains(f.declared, "y ?") {
				t.Errorf("the runtime was asked with %q declared", f.declared)
			}
		})
	}
}

// TestAttributesOfConstants changes floats from which a shape is computed.
func TestAttributesOfConstants(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[1,4]
		init half f32[2] 0.5
		value scales f32[2]
		output y f32[1,8]
		double: scales = Gemm(half) alpha=2.0
		y = Resize(x, _, scales)
	`)
	infers := parsed(t, map[string]string{"scales": "f32[2]", "y": "f32[1,12]"})
	next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Attributes(t.Context(), m, at(t, m), edit.AttributeOptions{
			Nodes: []string{"double"}, Set: []edit.AttributeSetting{setting("alpha", "3.0")}, Typing: edit.Typing{Typer: &typer{types: infers}},
		})
	})
	if diff := cmp.Diff([]string{"scales f32 2", "y f32 1×12"}, records(next.Graph())); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// carrying holds bodies whose types depend on nodes in them and around them.
const carrying = `
	ir 10
	opset 21
	input n i64[]
	input x f32[2,4]
	value h f32[2,4]
	output y f32[2,4]
	output rounds i64[r]
	output z f32[4,2]
	output sum f32[4]
	output parts f32[2,4]
	graph step
	input i i64[]
	input go bool[]
	input state f32[2,4]
	value inner f32[2,4]
	output goes bool[]
	output next f32[2,4]
	output round i64[]
	goes = Identity(go)
	round = Identity(i)
	turn: inner = Transpose(state) perm=[0,1]
	next = Add(inner, state)
	end
	graph branch
	value c f32[4,2]
	output d f32[4,2]
	c = Transpose(h) perm=[1,0]
	d = Neg(c)
	end
	graph row
	input so_far f32[4]
	input part f32[4]
	output sums f32[4]
	output part_out f32[4]
	turned: sums = Add(so_far, part) a=1
	kept: part_out = Identity(part) a=1
	end
	first: h = Transpose(x) perm=[0,1]
	repeat: y, rounds = Loop(n, , h) body=@step
	start: s = Slice(x) starts=[0]
	scan: sum, parts = Scan(s, x) body=@row num_scan_inputs=1
	yes = Cast(n) to=9
	choose: z = If(yes) then_branch=@branch else_branch=@branch
`

// TestAttributesTypesInBodies follows types into bodies, out of them, and round a
// loop.
func TestAttributesTypesInBodies(t *testing.T) {
	all := func(m *graphops.Model) []string {
		var out []string
		for _, p := range m.Places() {
			for _, v := range slices.Concat(p.Graph.Inputs(), p.Graph.ValueInfo(), p.Graph.Outputs()) {
				out = append(out, strings.TrimLeft(p.String()+" ", " ")+v.Name()+" "+typeOf(v))
			}
		}
		return out
	}
	m := graphtest.Model(t, carrying)
	before := all(m)
	for _, tt := range []struct {
		name   string
		hops   []string
		node   string
		set    edit.AttributeSetting
		forgot []string // that differ, as they are then
	}{
		{"into bodies", nil, "first", setting("perm", "[1,0]"), []string{
			"h f32 ?", "y f32 ?", "rounds i64 ?", "z f32 ?",
			"choose:else_branch c f32 ?", "choose:else_branch d f32 ?", "choose:then_branch c f32 ?", "choose:then_branch d f32 ?",
			"repeat:body inner f32 ?", "repeat:body next f32 ?", "repeat:body state f32 ?",
		}},
		{"round a loop", []string{"repeat:body"}, "turn", setting("perm", "[1,0]"), []string{
			"y f32 ?",
			"repeat:body inner f32 ?", "repeat:body next f32 ?", "repeat:body state f32 ?",
		}},
		{"into a Scan by its first input", nil, "start", setting("starts", "[1]"), []string{
			"sum f32 ?", "parts f32 ?", "scan:body so_far f32 ?", "scan:body sums f32 ?",
		}},
		{"round a Scan", []string{"scan:body"}, "turned", setting("a", "2"), []string{
			"sum f32 ?", "scan:body so_far f32 ?", "scan:body sums f32 ?",
		}},
		{"out of a Scan", []string{"scan:body"}, "kept", setting("a", "2"), []string{
			"parts f32 ?", "scan:body part_out f32 ?",
		}},
		{"out of a branch", []string{"choose:then_branch"}, "#0", setting("perm", "[0,1]"), []string{
			"z f32 ?", "choose:then_branch c f32 ?", "choose:then_branch d f32 ?",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Attributes(t.Context(), m, at(t, m, tt.hops...), edit.AttributeOptions{Nodes: []string{tt.node}, Set: []edit.AttributeSetting{tt.set}})
			})
			var differ []string
			for i, s := range all(next) {
				if s != before[i] {
					differ = append(differ, s)
				}
			}
			slices.Sort(differ)
			slices.Sort(tt.forgot)
			if diff := cmp.Diff(tt.forgot, differ); diff != "" {
				t.Errorf("forgotten (-want +got):\n%s", diff)
			}
			if len(report.Warnings) != 2 || !strings.Contains(report.Warnings[0], "inside bodies and functions may be wrong after the change and are removed") {
				t.Errorf("warnings %q", report.Warnings)
			}
		})
	}
}

// TestAttributesRule changes the type of a Loop's condition: its body has a
// condition of its own.
func TestAttributesRule(t *testing.T) {
	m := graphtest.Model(t, strings.Replace(carrying, "repeat: y, rounds = Loop(n, ,", "more: more = Cast(n) to=9\nrepeat: y, rounds = Loop(n, more,", 1))
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Attributes(t.Context(), m, at(t, m), edit.AttributeOptions{Nodes: []string{"more"}, Set: []edit.AttributeSetting{setting("to", "1")}})
	})
	if was, is := at(t, m, "repeat:body").Graph, at(t, next, "repeat:body").Graph; was != is {
		t.Errorf("the body has %q", records(is))
	}
	if want := []string{"h f32 2×4", "y ?", "rounds ?", "z f32 4×2", "sum f32 4", "parts f32 2×4"}; !slices.Equal(records(next.Graph()), want) || len(report.Warnings) != 1 {
		t.Errorf("records %q, warnings %q", records(next.Graph()), report.Warnings)
	}
}

// TestAttributesUpsample changes the one kind of float that a shape was made of.
func TestAttributesUpsample(t *testing.T) {
	m := graphtest.Model(t, "input x f32[1,1,2,2]\noutput y f32[1,1,4,4]\ny = Upsample(x) height_scale=2.0 width_scale=2.0\n")
	next, _ := attributesOf(t, m, edit.AttributeOptions{Set: []edit.AttributeSetting{setting("height_scale", "3")}})
	if want := []string{"y f32 ?"}; !slices.Equal(records(next.Graph()), want) {
		t.Errorf("records %q", records(next.Graph()))
	}
}

// asks is a typer that answers with a function of the model.
type asks func(m *graphops.Model) error

func (f asks) Types(_ context.Context, m *graphops.Model, _ []string) (map[string]graphops.Type, error) {
	return map[string]graphops.Type{}, f(m)
}

// TestAttributesRefused is about results that a runtime refuses.
func TestAttributesRefused(t *testing.T) {
	m := graphtest.Model(t, turned)
	broken := errors.New(`unrecognized attribute "alhpa"`)
	change := func(ctx context.Context, typer graphops.Typer) (*graphops.Model, *edit.Report, error) {
		return edit.Attributes(ctx, m, at(t, m), edit.AttributeOptions{
			Nodes: []string{"slope"}, Set: []edit.AttributeSetting{setting("alhpa", "1.5")}, Typing: edit.Typing{Typer: typer},
		})
	}
	_, _, err := change(t.Context(), asks(func(asked *graphops.Model) error {
		if asked == m {
			return nil
		}
		return broken
	}))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "the runtime accepts the model but refuses the result of the change") {
		t.Errorf("error %v", err)
	}
	_, report, err := change(t.Context(), asks(func(*graphops.Model) error { return errors.New("no runtime is there") }))
	if want := []string{`node "slope" (LeakyRelu): LeakyRelu has no attribute "alhpa"; it has "alpha"`, "ONNX Runtime did not check this; it does not check the unchanged model either: no runtime is there"}; err != nil || !slices.Equal(report.Warnings, want) {
		t.Errorf("error %v, warnings %q", err, report.Warnings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err = change(ctx, asks(func(*graphops.Model) error { cancel(); return broken })); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
