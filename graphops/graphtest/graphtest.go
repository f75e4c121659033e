// Package graphtest creates models for tests from a few lines of text, and writes models as such
// lines. Only tests import it.
//
// Each line is one statement; text after # is a comment:
//
//	ir 8                                 the IR version, 8 by default
//	opset 17                             of the default domain, 17 by default
//	opset com.microsoft 1
//	metadata key value
//	input x f32[batch,4]                 a number, a symbol or ? for each axis
//	output y f32                         without brackets: rank unknown
//	value h i64[]                        an entry of value_info; [] is a scalar
//	init w f32[2,2] 1 2 3 4              fewer numbers than elements: repeated
//	sparse s f32[4] 3 at 1               a sparse initializer with one element
//	fc: y = Gemm(x, w, ) transB=1        a node, its name first if it has one
//	a, _ = com.microsoft::Foo(x)         _ is an omitted output
//
// An attribute is an int (1), a float (1.5), a string ('s'), a list of one of these ([1,2]), a
// tensor ({f32[2] 1 2}), a graph (@name) or a list of graphs (@[one,two]). Graphs and functions
// must precede their use:
//
//	graph then                           up to the line "end"
//	z = Relu(x)                          x is captured
//	output z f32[2]
//	end
//	function local.domain Double(a) -> (b)
//	b = Add(a, a)
//	end
package graphtest

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
)

// Proto returns the model that the text describes, as a generated message. A mistake in the text
// fails the test.
func Proto(t testing.TB, text string) *onnxpb.ModelProto {
	t.Helper()
	m, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Model returns the model that the text describes.
func Model(t testing.TB, text string) *graphops.Model {
	t.Helper()
	return Decode(t, Proto(t, text))
}

// Bytes returns the serialized model that the text describes. The same text always gives the same
// bytes.
func Bytes(t testing.TB, text string) []byte {
	t.Helper()
	return marshal(t, Proto(t, text))
}

// Decode returns the model of a generated message.
func Decode(t testing.TB, p *onnxpb.ModelProto) *graphops.Model {
	t.Helper()
	m, err := graphops.Decode(marshal(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func marshal(t testing.TB, p *onnxpb.ModelProto) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
