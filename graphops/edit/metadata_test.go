package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

const described = `
	ir 10
	opset 21
	metadata author A
	metadata names {0: 'cat'}
	input x f32[2]
	input c bool[]
	init w f32[2] 1 2
	sparse few f32[2] 3 at 1
	value h f32[2]
	output y f32[2]
	graph body
	init inner f32[2] 1 2
	relu: b = Relu(x)
	d = Add(b, inner)
	output d f32[2]
	end
	function l F(a) -> (r)
	neg: r = Neg(a)
	end
	first: h = l::F(x)
	choose: k = If(c) then_branch=@body else_branch=@body
	y = Add(h, w)
`

// describe applies an edit of metadata.
func describe(t *testing.T, m *graphops.Model, o edit.MetadataOptions, hops ...string) (*graphops.Model, *edit.Report) {
	t.Helper()
	return apply(t, m, func() (*graphops.Model, *edit.Report, error) { return edit.Metadata(m, at(t, m, hops...), o) })
}

func entry(key, value string) *onnxpb.StringStringEntryProto {
	return &onnxpb.StringStringEntryProto{Key: &key, Value: &value}
}

// TestMetadata describes every part that can be, and takes back what it said.
func TestMetadata(t *testing.T) {
	text := proto.String("what it is")
	body := func(m *onnxpb.ModelProto) *onnxpb.GraphProto { return m.Graph.Node[1].Attribute[0].G }
	props := []*onnxpb.StringStringEntryProto{entry("k", "a=b")}
	for _, tt := range []struct {
		name string
		hops []string
		o    edit.MetadataOptions
		want func(m *onnxpb.ModelProto)
	}{
		{"the model", nil, edit.MetadataOptions{}, func(m *onnxpb.ModelProto) { m.DocString, m.MetadataProps = text, append(m.MetadataProps, props...) }},
		{"the graph", nil, edit.MetadataOptions{Of: edit.WholeGraph}, func(m *onnxpb.ModelProto) { m.Graph.DocString, m.Graph.MetadataProps = text, props }},
		{"a body", []string{"choose:then_branch"}, edit.MetadataOptions{Of: edit.WholeGraph}, func(m *onnxpb.ModelProto) { body(m).DocString, body(m).MetadataProps = text, props }},
		{"a function", []string{"l:F"}, edit.MetadataOptions{Of: edit.WholeGraph}, func(m *onnxpb.ModelProto) { m.Functions[0].DocString, m.Functions[0].MetadataProps = text, props }},
		{"a node", nil, edit.MetadataOptions{Of: edit.OneNode, Name: "first"}, func(m *onnxpb.ModelProto) { m.Graph.Node[0].DocString, m.Graph.Node[0].MetadataProps = text, props }},
		{"a node without a name", nil, edit.MetadataOptions{Of: edit.OneNode, Name: "#2"}, func(m *onnxpb.ModelProto) { m.Graph.Node[2].DocString, m.Graph.Node[2].MetadataProps = text, props }},
		{"a node of a body", []string{"choose:then_branch"}, edit.MetadataOptions{Of: edit.OneNode, Name: "relu"}, func(m *onnxpb.ModelProto) { body(m).Node[0].DocString, body(m).Node[0].MetadataProps = text, props }},
		{"a node of a function", []string{"l:F"}, edit.MetadataOptions{Of: edit.OneNode, Name: "neg"}, func(m *onnxpb.ModelProto) {
			m.Functions[0].Node[0].DocString, m.Functions[0].Node[0].MetadataProps = text, props
		}},
		{"an input", nil, edit.MetadataOptions{Of: edit.OneValue, Name: "x"}, func(m *onnxpb.ModelProto) { m.Graph.Input[0].DocString, m.Graph.Input[0].MetadataProps = text, props }},
		{"an output", nil, edit.MetadataOptions{Of: edit.OneValue, Name: "y"}, func(m *onnxpb.ModelProto) { m.Graph.Output[0].DocString, m.Graph.Output[0].MetadataProps = text, props }},
		{"a value", nil, edit.MetadataOptions{Of: edit.OneValue, Name: "h"}, func(m *onnxpb.ModelProto) {
			m.Graph.ValueInfo[0].DocString, m.Graph.ValueInfo[0].MetadataProps = text, props
		}},
		{"an initializer", nil, edit.MetadataOptions{Of: edit.OneValue, Name: "w"}, func(m *onnxpb.ModelProto) {
			m.Graph.Initializer[0].DocString, m.Graph.Initializer[0].MetadataProps = text, props
		}},
		{"an initializer of a body", []string{"choose:then_branch"}, edit.MetadataOptions{Of: edit.OneValue, Name: "inner"}, func(m *onnxpb.ModelProto) {
			body(m).Initializer[0].DocString, body(m).Initializer[0].MetadataProps = text, props
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, described)
			o := tt.o
			o.Doc, o.Set = text, []graphops.Entry{{Key: "k", Value: "a=b"}}
			next, report := describe(t, m, o, tt.hops...)
			want := graphtest.Message(t, m)
			tt.want(want)
			if diff := cmp.Diff(want, graphtest.Message(t, next), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(report.Changes) != 2 || report.Changes[0].What != "doc_string" || report.Changes[1] != (edit.Change{What: "metadata_props", Name: "k", To: `"a=b"`}) {
				t.Errorf("changes %q", report.Changes)
			}
			if again, report := describe(t, next, o, tt.hops...); again != next || len(report.Changes) > 0 {
				t.Errorf("a second run changes %q", report.Changes)
			}
			o.Doc, o.Set, o.Remove = new(string), nil, []string{"k"}
			back, _ := describe(t, next, o, tt.hops...)
			if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
				t.Errorf("there and back (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMetadataEntries replaces entries where they stand, and leaves one of a key.
func TestMetadataEntries(t *testing.T) {
	p := graphtest.Proto(t, described)
	p.MetadataProps = append(p.MetadataProps, entry("author", "B"), entry("author", "C"), entry("last", "x"))
	m := graphtest.Decode(t, p)
	next, report := describe(t, m, edit.MetadataOptions{Set: []graphops.Entry{{Key: "author", Value: "D"}, {Key: "new", Value: ""}, {Key: "new", Value: "x"}}, Remove: []string{"names"}})
	want := []*onnxpb.StringStringEntryProto{entry("author", "D"), entry("last", "x"), entry("new", "x")}
	if diff := cmp.Diff(want, graphtest.Message(t, next).MetadataProps, protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := fmt.Sprint(report.Changes), `[{metadata_props names "{0: 'cat'}" } {metadata_props author "A" "D"} {metadata_props author "B" } {metadata_props author "C" } {metadata_props new  ""} {metadata_props new "" "x"}]`; got != want {
		t.Errorf("changes %s, want %s", got, want)
	}
	long := strings.Repeat("x", 1000)
	_, report = describe(t, m, edit.MetadataOptions{Set: []graphops.Entry{{Key: "long", Value: long}}})
	if got := report.Changes[0].To; len(got) > 300 || !strings.HasSuffix(got, "800 bytes more") {
		t.Errorf("a long value is reported as %s", got)
	}
}

// TestMetadataIdentity sets who made the model and what it is.
func TestMetadataIdentity(t *testing.T) {
	m := graphtest.Model(t, described)
	version := int64(7)
	o := edit.MetadataOptions{
		Producer: proto.String("tool"), ProducerVersion: proto.String("1.0"), Domain: proto.String("org.example"),
		ModelVersion: &version, GraphName: proto.String("net"),
	}
	next, report := describe(t, m, o)
	want := graphtest.Message(t, m)
	want.ProducerName, want.ProducerVersion, want.Domain, want.ModelVersion = o.Producer, o.ProducerVersion, o.Domain, o.ModelVersion
	want.Graph.Name = o.GraphName
	if diff := cmp.Diff(want, graphtest.Message(t, next), protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := fmt.Sprint(report.Changes); got != `[{name graph "g" "net"} {producer_name model  "tool"} {producer_version model  "1.0"} {domain model  "org.example"} {model_version model  7}]` {
		t.Errorf("changes %s", got)
	}
	if again, _ := describe(t, next, o); again != next {
		t.Error("a second run makes another model")
	}
	nothing := int64(0)
	back, _ := describe(t, next, edit.MetadataOptions{
		Producer: new(string), ProducerVersion: new(string), Domain: new(string), ModelVersion: &nothing, GraphName: proto.String("g"),
	})
	if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
	if body, _ := describe(t, m, edit.MetadataOptions{GraphName: proto.String("inside")}, "choose:else_branch"); at(t, body, "choose:else_branch").Graph.Name() != "inside" {
		t.Error("a body keeps its name")
	}
}

// TestMetadataKeepsTraining tells what a model is, which is no reason to forget how
// it was trained.
func TestMetadataKeepsTraining(t *testing.T) {
	p := graphtest.Proto(t, described)
	p.TrainingInfo = []*onnxpb.TrainingInfoProto{{}}
	m := graphtest.Decode(t, p)
	next, _ := describe(t, m, edit.MetadataOptions{Doc: proto.String("x"), Of: edit.OneNode, Name: "first"})
	if !next.HasTraining() {
		t.Error("training_info is gone")
	}
}

func TestMetadataIRVersion(t *testing.T) {
	const (
		listed = "ir %d\ninput x f32[2]\ninput w f32[2]\ninit w f32[2] 1 2\noutput y f32[2]\ny = Add(x, w)\n"
		plain  = "ir %d\ninput x f32[2]\ninit w f32[2] 1 2\noutput y f32[2]\ny = Add(x, w)\n"
	)
	for _, tt := range []struct {
		name     string
		text     string
		from, to int64
		warning  string
		err      string
	}{
		{name: "lowered", text: plain, from: 14, to: 10},
		{name: "as low as it goes", text: plain, from: 14, to: 4},
		{name: "raised", text: plain, from: 8, to: 14},
		{name: "too low", text: plain, from: 8, to: 3, err: `IR version 3: initializer "w" without an input needs version 4`},
		{name: "far too low", text: listed, from: 8, to: 2, err: "IR version 2: the import of operator sets needs version 3"},
		{name: "too high", text: plain, from: 8, to: 15, err: "IR version 15: the newest version that is known is 14"},
		{name: "from a version that is not known", text: plain, from: 15, to: 10},
		{name: "past the list of initializers", text: listed, from: 3, to: 4, warning: `from IR version 4 on initializers need not be inputs, so these are removed from the inputs and stay constants: "w"; lathe constants to-inputs --optional makes them optional inputs`},
		{name: "back from optional inputs", text: listed, from: 8, to: 3, warning: `inputs with an initializer are constants before IR version 4 and cannot be fed: "w"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, fmt.Sprintf(tt.text, tt.from))
			next, report, err := edit.Metadata(m, at(t, m), edit.MetadataOptions{IRVersion: tt.to})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v lacks %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := graphtest.Message(t, m)
			want.IrVersion = &tt.to
			if tt.from < graphops.OptionalInputsIR && tt.to >= graphops.OptionalInputsIR {
				want.Graph.Input = want.Graph.Input[:1] // "w" has an initializer
			}
			if diff := cmp.Diff(want, graphtest.Message(t, next), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := fmt.Sprint(report.Changes); got != fmt.Sprintf("[{ir_version model %d %d}]", tt.from, tt.to) {
				t.Errorf("changes %s", got)
			}
			if got := strings.Join(report.Warnings, ""); got != tt.warning {
				t.Errorf("warning %q, want %q", got, tt.warning)
			}
		})
	}
	newer := graphtest.Proto(t, fmt.Sprintf(plain, 15))
	newer.Graph.Node[0].ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 11, protowire.VarintType), 1))
	m := graphtest.Decode(t, newer)
	if _, _, err := edit.Metadata(m, at(t, m), edit.MetadataOptions{IRVersion: 10}); err == nil || !strings.Contains(err.Error(), `the model is of version 15 and has field 11 of node`) {
		t.Errorf("error %v", err)
	}
	p := graphtest.Proto(t, "ir 2\ninput x f32[2]\noutput y f32[2]\ny = Relu(x)\n")
	p.OpsetImport = nil
	m = graphtest.Decode(t, p)
	if _, _, err := edit.Metadata(m, at(t, m), edit.MetadataOptions{IRVersion: 3}); err == nil || !strings.Contains(err.Error(), "this one imports none") {
		t.Errorf("error %v", err)
	}
}

func TestMetadataRefuses(t *testing.T) {
	m := graphtest.Model(t, described)
	old := graphtest.Model(t, strings.Replace(described, "ir 10", "ir 9", 1))
	set := []graphops.Entry{{Key: "k", Value: "v"}}
	for _, tt := range []struct {
		name string
		m    *graphops.Model
		hops []string
		o    edit.MetadataOptions
		want string
	}{
		{"unknown key", m, nil, edit.MetadataOptions{Remove: []string{"auhtor"}}, `metadata "auhtor": the model has none of that key; it has "author"`},
		{"no entries", m, nil, edit.MetadataOptions{Of: edit.OneNode, Name: "first", Remove: []string{"k"}}, `metadata "k": node "first" (F) has none`},
		{"empty key", m, nil, edit.MetadataOptions{Set: []graphops.Entry{{Value: "v"}}}, "metadata: a key is empty"},
		{"no text", m, nil, edit.MetadataOptions{Set: []graphops.Entry{{Key: "k", Value: "\xff"}}}, `"\xff" is not UTF-8, which the format requires of all text`},
		{"no text in a doc", m, nil, edit.MetadataOptions{Doc: proto.String("\xff")}, "is not UTF-8"},
		{"unknown node", m, nil, edit.MetadataOptions{Of: edit.OneNode, Name: "frist", Set: set}, `node "frist": the graph has none of that name; nearest names: "first"`},
		{"unknown value", m, nil, edit.MetadataOptions{Of: edit.OneValue, Name: "hh", Set: set}, `value "hh": the graph has none of that name`},
		{"a value without an entry", m, nil, edit.MetadataOptions{Of: edit.OneValue, Name: "k", Set: set}, `value "k": the graph has no entry for it that could hold metadata; declare its type first, with lathe annotate`},
		{"a sparse initializer", m, nil, edit.MetadataOptions{Of: edit.OneValue, Name: "few", Set: set}, `value "few": the graph has no entry`},
		{"an input of a function", m, []string{"l:F"}, edit.MetadataOptions{Of: edit.OneValue, Name: "a", Set: set}, `value "a": "l:F" has no entry for it`},
		{"the name of a function", m, []string{"l:F"}, edit.MetadataOptions{GraphName: proto.String("G")}, `"l:F": calls refer to a function by its name`},
		{"no name for a graph", m, nil, edit.MetadataOptions{GraphName: new(string)}, "the format requires a name for every graph"},
		{"parts of an old model", old, nil, edit.MetadataOptions{Of: edit.OneNode, Name: "first", Set: set}, "metadata of parts of a model needs IR version 10, but the model has version 9; raise it with --ir-version 10"},
		{"parts of a model made old", m, nil, edit.MetadataOptions{Of: edit.OneNode, Name: "first", Set: set, IRVersion: 9}, "needs IR version 10, but the model has version 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := edit.Metadata(tt.m, at(t, tt.m, tt.hops...), tt.o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
	next, _ := describe(t, old, edit.MetadataOptions{Of: edit.OneNode, Name: "first", Set: set, IRVersion: 10})
	if next.IRVersion() != 10 || !slices.Equal(next.Graph().Nodes()[0].Metadata(), set) {
		t.Error("raised and described at once: lost")
	}
}

// TestMetadataOpset states an import that is missing, and another version of one, of
// which it warns.
func TestMetadataOpset(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\nh = Relu(x)\ny = com.microsoft::Gelu(h)\n")
	next, report, err := edit.Metadata(m, at(t, m), edit.MetadataOptions{Opsets: []graphops.Opset{{Domain: "com.microsoft", Version: 1}, {Domain: "ai.onnx", Version: 17}}})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := next.Opset("com.microsoft"); !ok || v != 1 || len(report.Warnings) > 0 || fmt.Sprint(report.Changes) != "[{opset_import com.microsoft  1}]" {
		t.Errorf("version %d, %t; %v", v, ok, report)
	}
	next, report, err = edit.Metadata(m, at(t, m), edit.MetadataOptions{Opsets: []graphops.Opset{{Version: 12}}})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := next.Opset(""); v != 12 || len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "version 12 of ai.onnx instead of 17: 1 node is interpreted by the new version without being converted") {
		t.Errorf("version %d; %v", v, report.Warnings)
	}
	if _, _, err := edit.Metadata(m, at(t, m), edit.MetadataOptions{Opsets: []graphops.Opset{{}}}); err == nil || !strings.Contains(err.Error(), `operator set "ai.onnx": version 0, expected 1 or more`) {
		t.Errorf("error %v", err)
	}
}
