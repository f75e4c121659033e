package graphops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestPresence changes one thing of a model each of whose texts is present and empty, and
// expects all others to stay present.
func TestPresence(t *testing.T) {
	p := graphtest.Proto(t, "opset 17\ninput x f32[2]\nvalue h f32[2]\ninit w f32[2] 1\nfunction l F(a) -> (b)\nb = Relu(a)\nend\na: h = Add(x, w)\nb: z = l::F(h)\noutput z f32[2]")
	p.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: proto.String("k")}}
	presentTexts(p.ProtoReflect())
	m := graphtest.Decode(t, p)
	rename := func(n *graphops.Node) *graphops.Node { return n.WithInputs([]string{"x", "w"}) }
	for _, tt := range []struct {
		name   string
		change func(e *graphops.Editor)
		want   func(p *onnxpb.ModelProto)
	}{
		{"nothing", func(*graphops.Editor) {}, func(*onnxpb.ModelProto) {}},
		{"metadata", func(e *graphops.Editor) {
			e.SetDoc("")
			e.SetMetadata(append(m.Metadata(), graphops.Entry{Key: "l", Value: "v"}))
		}, func(p *onnxpb.ModelProto) {
			p.MetadataProps = append(p.MetadataProps, &onnxpb.StringStringEntryProto{Key: proto.String("l"), Value: proto.String("v")})
		}},
		{"IR version", func(e *graphops.Editor) { e.SetIRVersion(9) }, func(p *onnxpb.ModelProto) { p.IrVersion = proto.Int64(9) }},
		{"opset", func(e *graphops.Editor) { e.SetOpset("", 18) }, func(p *onnxpb.ModelProto) { p.OpsetImport[0].Version = proto.Int64(18) }},
		{"producer", func(e *graphops.Editor) { e.SetProducer("lathe", "") }, func(p *onnxpb.ModelProto) { p.ProducerName = proto.String("lathe") }},
		{"what a node reads", func(e *graphops.Editor) { e.Nodes[0] = rename(e.Nodes[0]) }, func(*onnxpb.ModelProto) {}},
		{"metadata of parts", func(e *graphops.Editor) {
			e.Nodes[0] = e.Nodes[0].WithDoc("").WithMetadata(nil)
			e.Inputs[0] = e.Inputs[0].WithDoc("").WithMetadata(nil)
			e.Initializers[0] = e.Initializers[0].WithDoc("").WithMetadata(nil)
			e.Functions[0] = e.Functions[0].WithDoc("").WithMetadata(nil).WithOpset("", 17)
		}, func(*onnxpb.ModelProto) {}},
		{"the opset of a function", func(e *graphops.Editor) { e.Functions[0] = e.Functions[0].WithOpset("", 18) }, func(p *onnxpb.ModelProto) { p.Functions[0].OpsetImport[0].Version = proto.Int64(18) }},
		{"names", func(e *graphops.Editor) {
			e.Nodes[0] = e.Nodes[0].WithName("n")
			e.ValueInfo[0] = e.ValueInfo[0].WithType(e.ValueInfo[0].Type())
		}, func(p *onnxpb.ModelProto) { p.Graph.Node[0].Name = proto.String("n") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := graphops.Edit(m)
			tt.change(e)
			want := proto.CloneOf(p)
			tt.want(want)
			if diff := cmp.Diff(want, graphtest.Message(t, e.Model()), protocmp.Transform()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// presentTexts makes every text of a message and of those in it present.
func presentTexts(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Kind() == protoreflect.StringKind && !f.IsList() && f.ContainingOneof() == nil && !m.Has(f) {
			m.Set(f, protoreflect.ValueOfString(""))
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := range v.List().Len() {
				presentTexts(v.List().Get(i).Message())
			}
		default:
			presentTexts(v.Message())
		}
		return true
	})
}
