package graphops_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestDescribe sets doc_string and metadata_props of every part that has them,
// compares with the generated code, and takes them away again.
func TestDescribe(t *testing.T) {
	const text = `
		input x f32[2]
		output y f32[2]
		init w f32[2] 1 2
		function l F(a) -> (b)
		b = Relu(a)
		end
		h = l::F(x)
		y = Add(h, w) axis=1
	`
	entries := []graphops.Entry{{Key: "k", Value: "a=b"}, {Key: "", Value: ""}}
	props := []*onnxpb.StringStringEntryProto{
		{Key: proto.String("k"), Value: proto.String("a=b")},
		{Key: proto.String(""), Value: proto.String("")},
	}
	describe := func(m *graphops.Model, doc string, entries []graphops.Entry) *graphops.Model {
		g := m.Graph()
		e := graphops.Edit(m.WithGraph(m.Places()[0], g.WithDoc(doc).WithMetadata(entries).WithName("renamed")))
		e.SetDoc(doc)
		e.SetMetadata(entries)
		e.SetDomain(doc)
		e.SetProducer(doc, doc)
		e.SetVersion(int64(len(doc)))
		e.Nodes[1] = e.Nodes[1].WithDoc(doc).WithMetadata(entries)
		e.Inputs[0] = e.Inputs[0].WithDoc(doc).WithMetadata(entries)
		e.Initializers[0] = e.Initializers[0].WithDoc(doc).WithMetadata(entries)
		e.Functions[0] = e.Functions[0].WithDoc(doc).WithMetadata(entries)
		return e.Model()
	}
	m := graphtest.Model(t, text)
	described := describe(m, "why", entries)

	want := graphtest.Message(t, m)
	why := proto.String("why")
	want.Graph.Name = proto.String("renamed")
	plain := proto.CloneOf(want)
	want.DocString, want.MetadataProps = why, props
	want.Domain, want.ProducerName, want.ProducerVersion, want.ModelVersion = why, why, why, proto.Int64(3)
	want.Graph.DocString, want.Graph.MetadataProps = why, props
	want.Graph.Node[1].DocString, want.Graph.Node[1].MetadataProps = why, props
	want.Graph.Input[0].DocString, want.Graph.Input[0].MetadataProps = why, props
	want.Graph.Initializer[0].DocString, want.Graph.Initializer[0].MetadataProps = why, props
	want.Functions[0].DocString, want.Functions[0].MetadataProps = why, props
	if diff := cmp.Diff(want, graphtest.Message(t, described), protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, got := range [][]graphops.Entry{
		described.Metadata(), described.Graph().Metadata(), described.Graph().Nodes()[1].Metadata(), described.Graph().Inputs()[0].Metadata(),
		described.Graph().Initializers()[0].Metadata(), described.Functions()[0].Metadata(),
	} {
		if diff := cmp.Diff(entries, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, got := range []string{described.Graph().Initializers()[0].Doc(), described.Functions()[0].Doc()} {
		if got != "why" {
			t.Errorf("doc %q", got)
		}
	}
	if diff := cmp.Diff(plain, graphtest.Message(t, describe(described, "", nil)), protocmp.Transform()); diff != "" {
		t.Errorf("taken away again (-want +got):\n%s", diff)
	}
}
