package shape_test

import "testing"

func TestQuantization(t *testing.T) {
	check(t, []example{
		{name: "types", model: `
			opset 21
			input x f32[batch,4]
			init s f32[] 1
			init z i8[] 0
			a = QuantizeLinear(x, s)
			b = QuantizeLinear(x, s, z)
			c = QuantizeLinear(x, s) output_dtype=5
			y = DequantizeLinear(b, s, z)
		`, want: map[string]string{"a": "u8 batch×4", "b": "i8 batch×4", "c": "i16 batch×4", "y": "f32 batch×4"}},
		{name: "one scale in a vector and a scalar as zero point", model: `
			input x u8[batch,4]
			init s f32[1] 1
			init z u8[] 0
			y = DequantizeLinear(x, s, z)
		`, want: map[string]string{"y": "f32 batch×4"}},
		{name: "one scale and more zero points", model: `
			input x u8[batch,4]
			init s f32[1] 1
			init z u8[2] 0
			y = DequantizeLinear(x, s, z)
		`, want: map[string]string{"y": "f32 batch×4"}, problems: []string{"should be of the same shape as the scales"}},
		{name: "version 10 makes f32", model: `
			opset 10
			input x u8[batch,4]
			init s f32[] 1
			y = DequantizeLinear(x, s)
		`, want: map[string]string{"y": "f32 batch×4"}},
		{name: "since 19 the scale tells the type, since 23 an attribute", model: `
			opset 23
			input x u8[batch,4]
			init s f16[] 1
			y = DequantizeLinear(x, s)
			z = DequantizeLinear(x, s) output_dtype=1
		`, want: map[string]string{"y": "f16 batch×4", "z": "f32 batch×4"}},
		{name: "blocks", model: `
			opset 21
			input x i8[7,10]
			init s f32[7,3] 1
			y = DequantizeLinear(x, s) axis=1 block_size=4
		`, want: map[string]string{"y": "f32 7×10"}},
		{name: "blocks that do not fit", model: `
			opset 21
			input x i8[7,10]
			init s f32[7,2] 1
			y = DequantizeLinear(x, s) axis=1 block_size=4
			z = DequantizeLinear(x, s) axis=1 block_size=-4
			w = DequantizeLinear(x, s) axis=2 block_size=4
		`, problems: []string{"one for each block, which is [7 3]: axis 1 is 2", "block_size is -4", "there is no axis 2"}},
		{name: "scales of an axis", model: `
			opset 13
			input x f32[batch,3,h]
			init s f32[3] 1
			init z u8[4] 0
			y = QuantizeLinear(x, s, z)
			w = QuantizeLinear(x, s) axis=2
		`, want: map[string]string{"y": "u8 batch×3×h"}, problems: []string{"of the same shape as the scales, which is [3]: axis 0 is 4"}, demands: []string{"h = 3"}},
		{name: "two types", model: `
			opset 21
			input x f32[batch]
			init s f32[] 1
			init z i8[] 0
			y = QuantizeLinear(x, s, z) output_dtype=2
		`, problems: []string{`output_dtype is u8, but there is input "z" (i8 scalar)`}},
		{name: "by what the tensor holds", model: `
			input x f32[batch,4]
			y, s, z = DynamicQuantizeLinear(x)
		`, want: map[string]string{"y": "u8 batch×4", "s": "f32 scalar", "z": "u8 scalar"}},
		{name: "no inputs", model: `
			y = QuantizeLinear()
			z = DequantizeLinear()
			w = DynamicQuantizeLinear()
		`, want: map[string]string{"y": "u8 ?", "w": "u8 ?"}},
	})
}
