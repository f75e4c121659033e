package shape_test

import "testing"

func TestLosses(t *testing.T) {
	const inputs = `
		input x f32[batch,10,h,w]
		input y i64[batch,h,w]
		input weight f32[10]
	`
	check(t, []example{
		{name: "one number, or one for each place", model: inputs + `
			a = NegativeLogLikelihoodLoss(x, y, weight)
			b = NegativeLogLikelihoodLoss(x, y) reduction='sum'
			c = NegativeLogLikelihoodLoss(x, y) reduction='none'
			d, p = SoftmaxCrossEntropyLoss(x, y) reduction='none'
		`, want: map[string]string{"a": "f32 scalar", "b": "f32 scalar", "c": "f32 batch×h×w", "d": "f32 batch×h×w", "p": "f32 batch×10×h×w"}},
		{name: "labels that are not known", model: `
			opset 12
			input x f32[batch,10,h]
			input y i64
			c = NegativeLogLikelihoodLoss(x, y) reduction='none'
		`, want: map[string]string{"c": "f32 batch×h"}},
		{name: "what does not fit", model: inputs + `
			input v f32[10]
			init nine f32[9] 0
			a = SoftmaxCrossEntropyLoss(x, y, nine)
			b = NegativeLogLikelihoodLoss(v, y)
			c = NegativeLogLikelihoodLoss(x, weight)
		`, want: map[string]string{"a": "f32 scalar"}, problems: []string{"a weight for each class, which is [10]: axis 0 is 9", "at least rank 2", "without its axis of classes"}},
	})
}

func TestTraining(t *testing.T) {
	const inputs = `
		opset ai.onnx.preview.training 1
		input r f32[]
		input t i64[]
		input x f32[batch,4]
		input y f64[n]
	`
	check(t, []example{
		{name: "steps", model: inputs + `
			a, b = ai.onnx.preview.training::Momentum(r, t, x, x, x)
			c, d, e, f = ai.onnx.preview.training::Adagrad(r, t, x, y, x, y, x, y)
			g, h, i = ai.onnx.preview.training::Adam(r, t, y, y, y, y)
		`, want: map[string]string{
			"a": "f32 batch×4", "b": "f32 batch×4", "c": "f32 batch×4", "d": "f64 n", "e": "f32 batch×4", "f": "f64 n", "g": "f64 n", "h": "f64 n", "i": "f64 n",
		}},
		{name: "a gradient by each input", model: inputs + `
			a, b, z = ai.onnx.preview.training::Gradient(x, y) xs=['x','y'] y='z'
		`, want: map[string]string{"a": "f32 batch×4", "b": "f64 n", "z": "?"}},
		{name: "groups that do not fit", model: inputs + `
			a = ai.onnx.preview.training::Adam(r, t, x, x)
			b, c, d = ai.onnx.preview.training::Momentum(r, t, x, y, x)
		`, want: map[string]string{"b": "f32 batch×4", "d": "?"}, problems: []string{"the node has 4 inputs, expected 2 plus a multiple of 4", "of the same shape as the optimized tensor"}},
	})
}
