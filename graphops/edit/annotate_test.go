package edit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// annotations reads "NAME=TYPE".
func annotations(t *testing.T, list ...string) []edit.ValueType {
	t.Helper()
	var out []edit.ValueType
	for _, s := range list {
		name, typ, _ := strings.Cut(s, "=")
		parsed, err := graphops.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, edit.ValueType{Name: name, Type: parsed})
	}
	return out
}

const annotated = `
	ir 10
	opset 21
	input x f32[batch,4]
	input opt f32[2]
	init opt f32[2] 1 2
	init w f32[2] 1 2
	sparse few f32[4] 3 at 1
	value h f32[batch,4]
	output y f32[batch,4]
	output x f32[batch,4]
	h = Relu(x)
	k = Neg(h)
	c = Constant() value={i64[2] 1 2}
	n = Constant() value_ints=[1,2,3]
	y = Abs(k)
`

// TestAnnotate declares types and looks at what the graph lists then: inputs,
// value_info, outputs.
func TestAnnotate(t *testing.T) {
	for _, tt := range []struct {
		name    string
		set     []string
		clear   []string
		typer   map[string]string // what the runtime infers; nobody is asked where it is nil
		differ  []string          // entries that differ or are new
		gone    []string
		changes string
	}{
		{name: "a value without a type", set: []string{"k=f32[batch,4]"}, typer: map[string]string{"k": "f32[batch,4]"}, differ: []string{"k f32 batch×4"}, changes: "[{type k  f32 batch×4}]"},
		{name: "another symbol", set: []string{"h=f32[n,4]"}, typer: map[string]string{"h": "f32[batch,4]"}, differ: []string{"h f32 n×4"}, changes: "[{type h f32 batch×4 f32 n×4}]"},
		{name: "what the runtime does not know", set: []string{"h=f32[8,2]"}, typer: map[string]string{}, differ: []string{"h f32 8×2"}, changes: "[{type h f32 batch×4 f32 8×2}]"},
		{name: "a value that is input and output", set: []string{"x=f32[?,4]"}, typer: map[string]string{}, differ: []string{"x f32 ?×4", "x f32 ?×4"}, changes: "[{type x f32 batch×4 f32 ?×4}]"},
		{name: "an output", set: []string{"y=f32[batch,4]", "k=f32"}, typer: map[string]string{}, differ: []string{"k f32 ?"}, changes: "[{type k  f32}]"},
		{name: "an output of other symbols", set: []string{"y=f32[n,4]"}, typer: map[string]string{"y": "f32[batch,4]"}, differ: []string{"y f32 n×4"}, gone: []string{"y f32 batch×4"}, changes: "[{type y f32 batch×4 f32 n×4}]"},
		{name: "an initializer", set: []string{"w=f32[2]", "few=f32[n]"}, differ: []string{"w f32 2", "few f32 n"}, changes: "[{type w  f32 2} {type few  f32 n}]"},
		{name: "a default, less sure", set: []string{"opt=f32[?]"}, typer: map[string]string{}, differ: []string{"opt f32 ?"}, changes: "[{type opt f32 2 f32 ?}]"},
		{name: "constants", set: []string{"c=i64[2]", "n=i64[count]"}, typer: map[string]string{}, differ: []string{"c i64 2", "n i64 count"}, changes: "[{type c  i64 2} {type n  i64 count}]"},
		{name: "a value cleared", clear: []string{"h"}, gone: []string{"h f32 batch×4"}, changes: "[{type h f32 batch×4 }]"},
		{name: "an output cleared", clear: []string{"y"}, differ: []string{"y ?"}, gone: []string{"y f32 batch×4"}, changes: "[{type y f32 batch×4 }]"},
		{name: "nothing there to clear", clear: []string{"k"}, changes: "[]"},
		{name: "the same", set: []string{"x=f32[batch,4]", "h=f32[batch,4]"}, changes: "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, annotated)
			o := edit.AnnotateOptions{Types: annotations(t, tt.set...), Clear: tt.clear}
			asked := &typer{types: parsed(t, tt.typer)}
			o.Typer = asked
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Annotate(t.Context(), m, at(t, m), o)
			})
			was, is := listed(m), listed(next)
			var differ []string
			for i, s := range is {
				if !slices.Contains(was, s) || slices.Contains(differ, s) && slices.Contains(is[i:], s) {
					differ = append(differ, s)
				}
			}
			if diff := cmp.Diff(tt.differ, differ, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
			if len(tt.gone) > 0 {
				gone := slices.DeleteFunc(slices.Clone(was), func(s string) bool { return slices.Contains(is, s) })
				if diff := cmp.Diff(tt.gone, gone); diff != "" {
					t.Errorf("gone (-want +got):\n%s", diff)
				}
			}
			if got := fmt.Sprint(report.Changes); got != tt.changes {
				t.Errorf("changes %s, want %s", got, tt.changes)
			}
			if (tt.typer != nil) != (len(asked.asked) > 0) {
				t.Errorf("asked %q", asked.asked)
			}
			if slices.Contains(asked.declared, "y f32 n×4") {
				t.Error("the runtime was asked about a type that stood there")
			}
			if tt.changes == "[]" && next != m {
				t.Error("nothing changed and the model is another")
			}
			again, report := apply(t, next, func() (*graphops.Model, *edit.Report, error) {
				return edit.Annotate(t.Context(), next, at(t, next), o)
			})
			if again != next || len(report.Changes) > 0 {
				t.Errorf("a second run changes %v", report.Changes)
			}
		})
	}
}

// listed writes the types of inputs, value_info and outputs of the main graph.
func listed(m *graphops.Model) []string {
	var out []string
	for _, v := range m.Graph().Inputs() {
		out = append(out, v.Name()+" "+typeOf(v))
	}
	return append(out, records(m.Graph())...)
}

// TestAnnotateDescribed keeps what an entry says beside its type, also of one whose
// type is taken away, and gives an equal model when the type is put back.
func TestAnnotateDescribed(t *testing.T) {
	p := graphtest.Proto(t, annotated)
	for _, v := range []*onnxpb.ValueInfoProto{p.Graph.ValueInfo[0], p.Graph.Output[0], p.Graph.Input[0]} {
		v.DocString = proto.String("why")
		v.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: proto.String("k"), Value: proto.String("v")}}
		v.Type.GetTensorType().Shape.Dim[0].Denotation = proto.String("DATA_BATCH")
	}
	m := graphtest.Decode(t, p)
	run := func(m *graphops.Model, o edit.AnnotateOptions) *graphops.Model {
		next, _ := apply(t, m, func() (*graphops.Model, *edit.Report, error) { return edit.Annotate(t.Context(), m, at(t, m), o) })
		return next
	}
	there := run(m, edit.AnnotateOptions{Types: annotations(t, "h=f32[8,4]", "y=f32[8,4]")})
	back := run(there, edit.AnnotateOptions{Types: annotations(t, "h=f32[batch,4]", "y=f32[batch,4]")})
	if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
	cleared := run(m, edit.AnnotateOptions{Clear: []string{"h", "y"}})
	p.Graph.ValueInfo[0].Type, p.Graph.Output[0].Type = nil, nil
	if diff := cmp.Diff(p, graphtest.Message(t, cleared), protocmp.Transform()); diff != "" {
		t.Errorf("cleared (-want +got):\n%s", diff)
	}
}

// TestAnnotateInput changes the type of an input, and looks at what is recorded
// behind it.
func TestAnnotateInput(t *testing.T) {
	const model = "input x f32[1,4]\nvalue h f32[1,4]\noutput y f32[1,4]\nh = Relu(x)\ny = Neg(h)\n"
	free := map[string]string{"h": "f32[n,4]", "y": "f32[n,4]"}
	for _, tt := range []struct {
		name     string
		model    string
		set      []string
		told     map[string]string
		o        edit.Typing
		records  []string
		warnings []string
	}{
		{name: "freed", set: []string{"x=f32[n,4]"}, told: free, records: []string{"h f32 n×4", "y f32 n×4"}},
		{name: "freed, and a value behind it declared", set: []string{"x=f32[n,4]", "h=f32[n,?]"}, told: free, records: []string{"h f32 n×?", "y f32 n×4"}},
		{
			name: "freed, nobody asked", set: []string{"x=f32[n,4]"}, records: []string{"h f32 ?", "y f32 ?"},
			warnings: []string{"the types that follow from the change are unknown without a runtime: declared shapes of values after it are removed"},
		},
		{name: "freed and kept", set: []string{"x=f32[n,4]"}, o: edit.Typing{Keep: true}, told: free, records: []string{"h f32 1×4", "y f32 1×4"}},
		{name: "another element type", set: []string{"x=f16[1,4]"}, told: map[string]string{"h": "f16[1,4]", "y": "f16[1,4]"}, records: []string{"h f16 1×4", "y f16 1×4"}},
		{
			name: "another element type, nobody asked", set: []string{"x=f16[1,4]"}, records: []string{"y ?"},
			warnings: []string{"the types that follow from the change are unknown without a runtime: declared types of values after it are removed"},
		},
		{
			name: "fixed", model: strings.ReplaceAll(model, "[1,4]", "[n,4]"), set: []string{"x=f32[7,4]"}, told: map[string]string{}, records: []string{"h f32 n×4", "y f32 n×4"},
			warnings: []string{`symbol "n" is not in any input any more, but still in value "y"; lathe axes renames or fixes it everywhere`},
		},
		{name: "fixed, with the output", model: strings.ReplaceAll(model, "[1,4]", "[n,4]"), set: []string{"x=f32[7,4]", "h=f32[7,4]", "y=f32[7,4]"}, told: map[string]string{}, records: []string{"h f32 7×4", "y f32 7×4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model == "" {
				tt.model = model
			}
			m := graphtest.Model(t, tt.model)
			if tt.told != nil {
				tt.o.Typer = &typer{types: parsed(t, tt.told)}
			}
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Annotate(t.Context(), m, at(t, m), edit.AnnotateOptions{Types: annotations(t, tt.set...), Typing: tt.o})
			})
			if diff := cmp.Diff(tt.records, records(next.Graph())); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, report.Warnings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnnotateInPlaces declares types in bodies and functions, where inputs and
// outputs of a function are names without a type.
func TestAnnotateInPlaces(t *testing.T) {
	m := graphtest.Model(t, branching)
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Annotate(t.Context(), m, at(t, m, "outer:then_branch"), edit.AnnotateOptions{
			Types: annotations(t, "a=f32[2]", "r=f32[n]"), Typing: edit.Typing{Typer: &typer{}},
		})
	})
	body := at(t, next, "outer:then_branch").Graph
	if diff := cmp.Diff([]string{"a f32 2", "r f32 n"}, records(body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := []string{`not compared with what a runtime infers, because it tells no types inside "outer:then_branch"`}; !slices.Equal(report.Warnings, want) {
		t.Errorf("warnings %q", report.Warnings)
	}
	f := parameterized(t)
	next, _ = apply(t, f, func() (*graphops.Model, *edit.Report, error) {
		return edit.Annotate(t.Context(), f, at(t, f, "l:F"), edit.AnnotateOptions{Types: annotations(t, "a=f32[n]", "b=f32[n]")})
	})
	got := graphtest.Message(t, next).Functions[0]
	if len(got.ValueInfo) != 2 || got.ValueInfo[0].GetName() != "a" || !slices.Equal(got.Input, []string{"a"}) {
		t.Errorf("function %v", got)
	}
	back, _ := apply(t, next, func() (*graphops.Model, *edit.Report, error) {
		return edit.Annotate(t.Context(), next, at(t, next, "l:F"), edit.AnnotateOptions{Clear: []string{"a", "b"}})
	})
	if diff := cmp.Diff(graphtest.Message(t, f), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
}

func TestAnnotateRefuses(t *testing.T) {
	m := graphtest.Model(t, branching)
	p, l := graphtest.Model(t, annotated), graphtest.Model(t, carrying)
	told := func(s string) edit.Typing {
		return edit.Typing{Typer: &typer{types: parsed(t, map[string]string{"h": s})}}
	}
	for _, tt := range []struct {
		name string
		m    *graphops.Model
		hops []string
		o    edit.AnnotateOptions
		want string
	}{
		{"unknown value", p, nil, edit.AnnotateOptions{Types: annotations(t, "hh=f32")}, `value "hh": the graph has none of that name; nearest names: "h"`},
		{"cleared unknown", p, nil, edit.AnnotateOptions{Clear: []string{"hh"}}, `value "hh": the graph has none of that name`},
		{"captured", m, []string{"outer:then_branch"}, edit.AnnotateOptions{Types: annotations(t, "h=f32")}, `value "h": is defined outside "outer:then_branch"; declare its type where it is defined`},
		{"symbol is no text", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=seq(f32[n\xff])")}, `value "h": symbol "n\xff" is not UTF-8`},
		{"unknown type", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=?")}, `value "h": an unknown type declares nothing; --remove takes a type away`},
		{"two types", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=f32", "h=f32[2]")}, `value "h": is named twice`},
		{"declared and cleared", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=f32"), Clear: []string{"h"}}, `value "h": is named twice`},
		{"an initializer of another type", p, nil, edit.AnnotateOptions{Types: annotations(t, "w=f16[2]")}, `value "w": is a constant of type f32 2, which is not f16 2`},
		{"of another size", p, nil, edit.AnnotateOptions{Types: annotations(t, "w=f32[3]")}, "which is not f32 3"},
		{"of another rank", p, nil, edit.AnnotateOptions{Types: annotations(t, "w=f32[2,1]")}, "which is not f32 2×1"},
		{"of another form", p, nil, edit.AnnotateOptions{Types: annotations(t, "w=seq(f32)")}, "which is not seq(f32)"},
		{"a default", p, nil, edit.AnnotateOptions{Types: annotations(t, "opt=f32[3]")}, `value "opt": is a constant of type f32 2`},
		{"a sparse initializer", p, nil, edit.AnnotateOptions{Types: annotations(t, "few=f32[5]")}, `value "few": is a constant of type f32 4`},
		{"a Constant", p, nil, edit.AnnotateOptions{Types: annotations(t, "c=f32[2]")}, `value "c": is a constant of type i64 2`},
		{"a Constant of numbers", p, nil, edit.AnnotateOptions{Types: annotations(t, "n=i64[4]")}, `value "n": is a constant of type i64 3`},
		{"an input cleared", p, nil, edit.AnnotateOptions{Clear: []string{"x"}}, `value "x": is an input, and no runtime accepts an input without a type`},
		{"the round without a shape", l, []string{"repeat:body"}, edit.AnnotateOptions{Types: annotations(t, "i=i64")}, `value "i": is the iteration number or the condition of a Loop, for which ONNX Runtime requires a shape`},
		{"the condition without a type", l, []string{"repeat:body"}, edit.AnnotateOptions{Clear: []string{"go"}}, `value "go": is the iteration number or the condition`},
		{"another element type inferred", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=f16[batch,4]"), Typing: told("f32[batch,4]")}, `value "h": the runtime infers f32 batch×4 for it, which is not f16 batch×4`},
		{"another rank inferred", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=f32[4]"), Typing: told("f32[batch,4]")}, "which is not f32 4"},
		{"another size inferred", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=f32[batch,5]"), Typing: told("f32[batch,4]")}, "which is not f32 batch×5"},
		{"another content inferred", p, nil, edit.AnnotateOptions{Types: annotations(t, "h=seq(f16)"), Typing: told("seq(f32)")}, "the runtime infers seq(f32) for it, which is not seq(f16)"},
		{"refused", p, nil, edit.AnnotateOptions{Types: annotations(t, "x=f32[batch,5]"), Typing: edit.Typing{Typer: asks(func(asked *graphops.Model) error {
			if asked == p {
				return nil
			}
			return errors.New("4 is not 5")
		})}}, "the runtime accepts the model but refuses the result of the change: 4 is not 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := edit.Annotate(t.Context(), tt.m, at(t, tt.m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}

// TestAnnotateNarrows declares less than the runtime infers, which is told.
func TestAnnotateNarrows(t *testing.T) {
	m := graphtest.Model(t, annotated)
	_, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.Annotate(t.Context(), m, at(t, m), edit.AnnotateOptions{
			Types:  annotations(t, "h=f32[8,4]"),
			Typing: edit.Typing{Typer: &typer{types: parsed(t, map[string]string{"h": "f32[batch,4]"})}},
		})
	})
	if want := []string{`value "h": the runtime infers f32 batch×4 for it, which holds more than f32 8×4`}; !slices.Equal(report.Warnings, want) {
		t.Errorf("warnings %q", report.Warnings)
	}
}
