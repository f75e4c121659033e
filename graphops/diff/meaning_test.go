package diff_test

import (
	"fmt"
	"testing"

	"lathe/graphops/diff"
	"lathe/graphops/graphtest"
)

// TestMeaningByVersion: a node whose meaning changes with the version of its operator is told,
// in both directions, and one that means the same is not.
func TestMeaningByVersion(t *testing.T) {
	for _, c := range []struct {
		name      string
		before    int64 // opset
		after     int64
		shape     string
		x, y      string // the node in each
		old, new  string // of the one part that is told; "" if none is
		attribute string
	}{
		{"default", 12, 13, "f32[n,3,4]", "Softmax(x)", "Softmax(x)", "1 (default), flattened with all axes behind it", "-1 (default), that axis alone", "axis"},
		{"LogSoftmax", 11, 17, "f32[n,3,4]", "LogSoftmax(x)", "LogSoftmax(x)", "1 (default), flattened with all axes behind it", "-1 (default), that axis alone", "axis"},
		{"Hardmax", 12, 13, "f32[n,3,4]", "Hardmax(x)", "Hardmax(x)", "1 (default), flattened with all axes behind it", "-1 (default), that axis alone", "axis"},
		{"written alike, flattened", 12, 13, "f32[n,3,4]", "Softmax(x) axis=1", "Softmax(x) axis=1", "1, flattened with all axes behind it", "1, that axis alone", "axis"},
		{"written, the last axis", 12, 13, "f32[n,3,4]", "Softmax(x) axis=2", "Softmax(x) axis=2", "", "", ""},
		{"written as -1", 12, 13, "f32[n,3,4]", "Softmax(x) axis=-1", "Softmax(x) axis=-1", "", "", ""},
		{"-1 on one side, a default on the other", 12, 13, "f32[n,3,4]", "Softmax(x) axis=-1", "Softmax(x)", "", "", ""},
		{"rank 2", 12, 13, "f32[n,4]", "Softmax(x)", "Softmax(x)", "", "", ""},
		{"rank 2, written on one side", 12, 13, "f32[n,4]", "Softmax(x)", "Softmax(x) axis=-1", "", "", ""},
		{"axes of one element", 12, 13, "f32[n,1,4]", "Softmax(x)", "Softmax(x)", "", "", ""},
		{"axes of one element behind", 12, 13, "f32[n,4,1,1]", "Softmax(x)", "Softmax(x) axis=1", "", "", ""},
		{"one version", 12, 12, "f32[n,3,4]", "Softmax(x)", "Softmax(x)", "", "", ""},
		{"one version of the operator", 13, 17, "f32[n,3,4]", "Softmax(x)", "Softmax(x)", "", "", ""},
		{"no shift of Relu", 12, 13, "f32[n,3,4]", "Relu(x)", "Relu(x)", "", "", ""},
		{"Selu", 5, 6, "f32[n,3,4]", "Selu(x)", "Selu(x)", "1.6732 (default)", "1.6732632 (default)", "alpha"},
		{"Dropout", 6, 7, "f32[n,3,4]", "Dropout(x)", "Dropout(x)", "0 (default)", "1 (always)", "is_test"},
		{"Dropout told to test", 6, 7, "f32[n,3,4]", "Dropout(x) is_test=1", "Dropout(x)", "", "", ""},
	} {
		for _, forward := range []bool{true, false} {
			t.Run(fmt.Sprint(c.name, forward), func(t *testing.T) {
				text := func(opset int64, node string) string {
					return fmt.Sprintf("opset ai.onnx %d\ninput x %s\nn: y = %s\noutput y %s", opset, c.shape, node, c.shape)
				}
				a, b := graphtest.Model(t, text(c.before, c.x)), graphtest.Model(t, text(c.after, c.y))
				before, after := c.old, c.new
				if !forward {
					a, b, before, after = b, a, after, before
				}
				d := compare(t, a, b)
				var parts []diff.Part
				for _, n := range d.Places[0].Changed {
					parts = append(parts, n.Parts...)
				}
				switch {
				case c.old == "" && len(parts) > 0:
					t.Errorf("told: %+v", parts)
				case c.old == "":
				case len(parts) == 0:
					t.Error("nothing is told")
				case parts[0] != (diff.Part{What: diff.WhatAttribute, Name: c.attribute, Old: before, New: after}):
					t.Errorf("told: %+v", parts)
				}
			})
		}
	}
}
