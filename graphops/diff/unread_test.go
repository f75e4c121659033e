package diff_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// TestUnread calls models neither equal nor identical of which a constant lies in a
// file that is not there, and tells what is known of it all the same.
func TestUnread(t *testing.T) {
	model := func(location string, size int64) *graphops.Model {
		p := graphtest.Proto(t, "input x f32[4]\ny = Add(x, w)\noutput y f32[4]\n")
		p.Graph.Initializer = []*onnxpb.TensorProto{{
			Name: proto.String("w"), DataType: proto.Int32(1), Dims: []int64{size},
			DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
			ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String(location)}},
		}}
		return graphtest.Decode(t, p)
	}
	m := model("one.bin", 4)
	for _, c := range []struct {
		name                   string
		other                  *graphops.Model
		equal                  bool
		unread, weightsChanged int
	}{
		{"another file", model("two.bin", 4), false, 1, 0},
		{"a file of one name", model("one.bin", 4), false, 1, 0},
		{"another shape", model("one.bin", 1), false, 0, 1},
		{"the model itself", m, true, 0, 0},
	} {
		for _, weights := range []bool{false, true} {
			d, err := diff.Compare(t.Context(), m, c.other, diff.Options{Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			if d.Equal != c.equal || d.Identical != c.equal || len(d.Notes.Unread) != c.unread || len(d.Weights) != c.weightsChanged {
				t.Errorf("%s: equal %v, identical %v:%s", c.name, d.Equal, d.Identical, summary(d))
			}
		}
	}
}
