package look

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/session"
)

// TestRepeatedMetadata has repeated keys in the model, in a node and in a value. The last value
// counts, and there is a warning.
func TestRepeatedMetadata(t *testing.T) {
	entry := func(key, value string) *onnxpb.StringStringEntryProto {
		return &onnxpb.StringStringEntryProto{Key: proto.String(key), Value: proto.String(value)}
	}
	p := graphtest.Proto(t, "ir 10\nmetadata task first\nmetadata b <&>\nmetadata task \"last\"\ninput x f32[1]\noutput y f32[1]\nn: y = Relu(x)")
	p.Graph.Node[0].MetadataProps = []*onnxpb.StringStringEntryProto{entry("k", "1"), entry("k", "2"), entry("\xff", "3"), entry("\xfe", "4")}
	p.Graph.Output[0].MetadataProps = []*onnxpb.StringStringEntryProto{entry("v", "1"), entry("v", "2")}
	for _, c := range []struct {
		step Inspect
		more string
	}{
		{Inspect{}, ""},
		{Inspect{Nodes: true}, " (and 1 more of the kind)"},
		{Inspect{Nodes: true, Values: true}, " (and 2 more of the kind)"},
	} {
		r, err := c.step.Run(context.Background(), session.Env{}, graphtest.Decode(t, p))
		if err != nil {
			t.Fatal(err)
		}
		report := r.Report.(*InspectReport)
		want := `metadata of the model: "task" more than once` + c.more + `; ONNX allows each key once, and the last one is used`
		if len(report.Warnings) != 1 || report.Warnings[0] != want {
			t.Errorf("warnings %q, want %q", report.Warnings, want)
		}
		var b strings.Builder
		if err := report.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		for part, listed := range map[string]bool{
			"\"metadata\": {\n    \"b\": \"<&>\",\n    \"task\": \"\\\"last\\\"\"\n  }": true,
			`"metadata":{"k":"2","\ufffd":"4"}}`:                                        c.step.Nodes,
			`"metadata":{"v":"2"}}`:                                                     c.step.Values,
		} {
			if strings.Contains(b.String(), part) != listed {
				t.Errorf("%s: want %v in\n%s", part, listed, &b)
			}
		}
	}
}
