package graphops_test

import (
	"errors"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestMessage reads fields that no accessor tells.
func TestMessage(t *testing.T) {
	m := graphtest.Model(t, "opset ai.onnx 17\ninput x f32[2,n]\ny = ai.onnx::Relu(x)\noutput y f32")
	n := m.Graph().Nodes()[0]
	if s, ok := n.Head().Text(fieldnum.NodeDomain); s != "ai.onnx" || !ok {
		t.Errorf("domain %q %v", s, ok)
	}
	typ, _ := m.Graph().Inputs()[0].Head().Message(fieldnum.ValueType)
	dense, _ := typ.Message(fieldnum.TypeTensor)
	dims, ok := dense.Message(fieldnum.TypeShape)
	if !ok {
		t.Fatal("no shape")
	}
	var sizes []int64
	var symbols []string
	for d := range dims.Messages(fieldnum.ShapeDim) {
		if v, ok := d.Varint(1); ok {
			sizes = append(sizes, v)
		}
		if s, ok := d.Text(2); ok {
			symbols = append(symbols, s)
		}
	}
	if !slices.Equal(sizes, []int64{2}) || !slices.Equal(symbols, []string{"n"}) {
		t.Errorf("sizes %v, symbols %v", sizes, symbols)
	}
	fields := 0
	for range graphops.Message("\x08\x01\x12\x05ab").Fields() {
		fields++
	}
	if fields != 1 {
		t.Errorf("%d fields of a message that is cut off after the first", fields)
	}
}

// TestEachString reads strings one at a time, as many as are wanted.
func TestEachString(t *testing.T) {
	long := string(make([]byte, 10_000))
	want := []string{"a", "", long, "\xff"}
	s := graphops.NewTensorOf("s", tensor.FromStrings(want, 4))
	var got []string
	if err := s.EachString(func(s string) error { got = append(got, s); return nil }); err != nil || !slices.Equal(got, want) {
		t.Errorf("%.40q %v", got, err)
	}
	enough := errors.New("enough")
	if err := s.EachString(func(string) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	n := graphops.NewTensorOf("n", tensor.FromSlice([]int64{1}, 1))
	if err := n.EachString(func(string) error { return nil }); err == nil {
		t.Error("numbers are read as strings")
	}
}
