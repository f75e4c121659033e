package shape_test

import "testing"

func TestAdded(t *testing.T) {
	check(t, []example{
		{name: "copies", model: `
			input x f32[batch,4]
			s = Shape(x)
			a = MemcpyFromHost(s)
			b = MemcpyToHost(x)
		`, want: map[string]string{"a": "i64 2 = [batch 4]", "b": "f32 batch×4"}},
		{name: "a slice by inputs, before 10", model: `
			opset 9
			input x f32[batch,10]
			init from i64[1] 2
			init to i64[1] -1
			init axis i64[1] 1
			input at i64[1]
			a = DynamicSlice(x, from, to, axis)
			b = DynamicSlice(x, from, to, at)
			c = DynamicSlice(x, zero, from)
			init zero i64[1] 0
		`, want: map[string]string{"a": "f32 batch×7", "b": "f32 ?×?", "c": "f32 min(2,batch)×10"}},
		{name: "a filled tensor", model: `
			opset 9
			input x f32[batch]
			a = GivenTensorFill(x) shape=[2,3]
			b = GivenTensorFill(x) extra_shape=[3]
			c = GivenTensorFill(x) input_as_shape=1
		`, want: map[string]string{"a": "f32 2×3", "b": "f32 batch×3", "c": "f32 ?"}},
		{name: "what cannot be", model: `
			opset 9
			input x f32[batch,10]
			init two i64[1] 2
			a = DynamicSlice(x, two, two, two)
			b = GivenTensorFill(x) shape=[-2,3]
		`, want: map[string]string{"a": "f32 ?×?", "b": "f32 ?×3"}, problems: []string{"no axis 2", "size -2"}},
	})
}
