package shape_test

import (
	"os"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

func benchmark(b *testing.B, m *graphops.Model) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := shape.Infer(b.Context(), m, shape.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBERT is a small transformer, and one of 3,836 nodes if it is there. Both compute shapes from
// shapes.
func BenchmarkBERT(b *testing.B) {
	for name, path := range map[string]string{
		"small": "../../testdata/text_classifier.onnx",
		"large": "../../../shared/models/text/tf_bert_question_answering.onnx",
	} {
		b.Run(name, func(b *testing.B) {
			if _, err := os.Stat(path); err != nil && name == "large" {
				b.Skip("the model is not there")
			}
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, m)
		})
	}
}

// BenchmarkChain is 100,000 nodes in a row.
func BenchmarkChain(b *testing.B) {
	benchmark(b, graphtest.Model(b, `
		input x0 f32[batch,seq,64]
		init w f32[64,64] 1
		init c f32[64] 1
	`+lines(25_000, "a# = MatMul(x@, w)\nb# = Add(a#, c)\nd# = Relu(b#)\nx# = Softmax(d#) axis=-1")))
}

// BenchmarkSizes is 100,000 nodes that calculate sizes.
func BenchmarkSizes(b *testing.B) {
	benchmark(b, graphtest.Model(b, `
		input x0 f32[batch,seq,64]
		init i i64[1] 0
		init r i64[2] -1 64
	`+lines(16_666, "s# = Shape(x@)\ng# = Gather(s#, i)\nt# = Concat(g#, r) axis=0\ny# = Reshape(x@, t#)\nz# = Neg(y#)\nx# = Reshape(z#, s#)")))
}

// BenchmarkWindows is 100,000 nodes of which most ask for room.
func BenchmarkWindows(b *testing.B) {
	benchmark(b, graphtest.Model(b, `
		input x0 f32[batch,8,h,w]
		init k f32[8,8,5,5] 1
		init p i64[8] 0 0 4 4 0 0 4 4
	`+lines(25_000, "a# = Conv(x@, k) pads=[2,2,2,2]\nb# = MaxPool(a#) kernel_shape=[3,3] pads=[1,1,1,1]\nc# = Pad(b#, p) mode='reflect'\nx# = Conv(c#, k) pads=[0,0,0,0] dilations=[2,2]")))
}
