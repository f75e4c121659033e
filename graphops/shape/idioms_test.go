package shape_test

import "testing"

// TestIdioms are what exporters write where a program calculates with sizes.
func TestIdioms(t *testing.T) {
	check(t, []example{
		{name: "a pad whose sizes come in another order", model: `
			opset 11
			input x f32[batch,3,h,w]
			pads: p = Constant() value={i64[4] 1 2 3 4}
			more: z = ConstantOfShape(n) value={i64[1] 0}
			init n i64[1] 4
			init two i64[2] -1 2
			init last i64[1] -1
			init before i64[1] -9223372036854775807
			init first i64[1] 0
			init flat i64[1] -1
			all = Concat(p, z) axis=0
			pairs = Reshape(all, two)
			turned = Slice(pairs, last, before, first, last)
			rows = Transpose(turned) perm=[1,0]
			list = Reshape(rows, flat)
			numbers = Cast(list) to=7
			y = Pad(x, numbers)
		`, want: map[string]string{
			"all": "i64 8 = [1 2 3 4 0 0 0 0]", "turned": "i64 4×2 = [0 0 0 0 3 4 1 2]",
			"list": "i64 8 = [0 0 3 1 0 0 4 2]", "y": "f32 batch×3×(h+7)×(w+3)",
		}},
		{name: "a scale through floating-point numbers", model: `
			input x f32[batch,3,h,w]
			init two f32[1] 2
			init half f32[1] 0.5
			init third f32[1] 0.3
			init i2 i64[1] 2
			s = Shape(x)
			h = Gather(s, i2)
			f = Cast(h) to=1
			m = Mul(f, two)
			g = Floor(m)
			n = Cast(g) to=7
			m2 = Mul(f, half)
			g2 = Floor(m2)
			n2 = Cast(g2) to=7
			m3 = Mul(f, third)
			g3 = Floor(m3)
			n3 = Cast(g3) to=7
		`, want: map[string]string{"n": "i64 1 = [2*h]", "n2": "i64 1 = [floor(h/2)]", "n3": "i64 1 = [?]"}},
		{name: "an expand with -1", model: `
			input x f32[batch,1]
			init target i64[2] -1 7
			init minus i64[1] -1
			init rank i64[1] 2
			ones = ConstantOfShape(rank) value={i64[1] 1}
			keep = Equal(target, minus)
			shape = Where(keep, ones, target)
			y = Expand(x, shape)
		`, want: map[string]string{"keep": "bool 2 = [1 0]", "shape": "i64 2 = [1 7]", "y": "f32 batch×7"}},
		{name: "a flatten before the head", model: `
			input x f32[batch,64,h,w]
			init zero i64[] 0
			init axes i64[1] 0
			init rest i64[1] -1
			s = Shape(x)
			n = Gather(s, zero)
			n1 = Unsqueeze(n, axes)
			shape = Concat(n1, rest) axis=0
			y = Reshape(x, shape)
		`, want: map[string]string{"n": "i64 scalar = [batch]", "shape": "i64 2 = [batch -1]", "y": "f32 batch×(64*h*w)"}},
		{name: "heads of attention", model: `
			input x f32[batch,seq,768]
			init i0 i64[1] 0
			init i1 i64[1] 1
			init heads i64[1] 12
			init rest i64[1] -1
			init copy i64[4] 0 0 12 64
			init joined i64[3] 0 0 -1
			s = Shape(x)
			n = Gather(s, i0)
			l = Gather(s, i1)
			target = Concat(n, l, heads, rest) axis=0
			a = Reshape(x, target)
			b = Reshape(x, copy)
			q = Transpose(a) perm=[0,2,1,3]
			k = Transpose(b) perm=[0,2,3,1]
			scores = MatMul(q, k)
			c = MatMul(scores, q)
			back = Transpose(c) perm=[0,2,1,3]
			y = Reshape(back, joined)
		`, want: map[string]string{"a": "f32 batch×seq×12×64", "scores": "f32 batch×12×seq×seq", "y": "f32 batch×seq×768"}},
		{name: "a mask made of sizes", model: `
			input ids i64[batch,seq]
			input past f32[batch,12,past,64]
			init i1 i64[] 1
			init i2 i64[] 2
			init zero i64[] 0
			init one i64[] 1
			init axes i64[1] 0
			init rows i64[1] 1
			s = Shape(ids)
			q = Gather(s, i1)
			ps = Shape(past)
			p = Gather(ps, i2)
			total = Add(p, q)
			positions = Range(p, total, one)
			keys = Range(zero, total, one)
			column = Unsqueeze(positions, rows)
			mask = LessOrEqual(keys, column)
			q1 = Unsqueeze(q, axes)
			t1 = Unsqueeze(total, axes)
			size = Concat(q1, t1) axis=0
			fill = ConstantOfShape(size) value={f32[1] -10000}
			y = Where(mask, fill, fill)
		`, want: map[string]string{"total": "i64 scalar = [past+seq]", "positions": "i64 seq", "keys": "i64 past+seq", "mask": "bool seq×(past+seq)", "y": "f32 seq×(past+seq)"}},
		{name: "the last rows", model: `
			input ids i64[batch,seq]
			input mask f32[batch,past+seq]
			init i1 i64[1] 1
			init far i64[1] 9223372036854775807
			s = Shape(ids)
			l = Gather(s, i1)
			n = Neg(l)
			y = Slice(mask, n, far, i1)
		`, want: map[string]string{"n": "i64 1 = [-seq]", "y": "f32 batch×seq"}},
		{name: "all but the last row, and the last", model: `
			input x f32[batch,seq,8]
			init z i64[1] 0
			init one i64[1] 1
			init last i64[1] -1
			init far i64[1] 9223372036854775807
			a = Slice(x, z, last, one)
			b = Slice(x, last, far, one)
			c = Slice(x, one, far, one)
		`, want: map[string]string{"a": "f32 batch×(seq-1)×8", "b": "f32 batch×1×8", "c": "f32 batch×(seq-1)×8"}},
		{name: "squeezed where the axis is 1", model: `
			input x f32[batch,1]
			input w f32[batch,5]
			init i1 i64[] 1
			init axis i64[1] 1
			graph yes
			a = Squeeze(x, axis)
			output a
			end
			graph no
			b = Identity(x)
			output b
			end
			graph yes2
			c = Squeeze(w, axis)
			output c
			end
			graph no2
			d = Identity(w)
			output d
			end
			s = Shape(x)
			n = Gather(s, i1)
			is = Equal(n, i1)
			y = If(is) then_branch=@yes else_branch=@no
			s2 = Shape(w)
			n2 = Gather(s2, i1)
			is2 = Equal(n2, i1)
			z = If(is2) then_branch=@yes2 else_branch=@no2
		`, want: map[string]string{"y": "f32 batch", "z": "f32 batch×5"}},
		{name: "all of an axis", model: `
			input x f32[n]
			init k f32[1,1,3]
			init z i64[1] 0
			init last i64[1] -1
			init far i64[1] 9223372036854775807
			init axis i64[1] 2
			init two i64[1] 2
			wide = Unsqueeze(x, ends)
			init ends i64[2] 0 1
			c = Conv(wide, k)
			y = Slice(c, z, far, axis)
			h = Slice(c, z, far, axis, two)
			l = Slice(c, last, far, axis)
		`, want: map[string]string{"y": "f32 1×1×(n-2)", "h": "f32 1×1×floor((n-1)/2)", "l": "f32 1×1×min(1,n-2)"}},
		{name: "squeezed at an axis that is fed", model: `
			input x f32[2,1,n,3]
			input y f32[2,1,3]
			input axis i64[1]
			a = Squeeze(x, axis)
			b = Squeeze(y, axis)
		`, want: map[string]string{"a": "f32 ?×?×?", "b": "f32 2×3"}},
		{name: "squeezed where it is not known", model: `
			input x f32[batch,n]
			init i1 i64[] 1
			init axis i64[1] 1
			graph yes
			a = Squeeze(x, axis)
			output a
			end
			graph no
			b = Identity(x)
			output b
			end
			s = Shape(x)
			n = Gather(s, i1)
			is = Equal(n, i1)
			y = If(is) then_branch=@yes else_branch=@no
			q = Squeeze(x)
		`, want: map[string]string{"y": "f32 ?", "q": "f32 ?"}, demands: []string{"n = 1"}},
		{name: "signs of data are not known", model: `
			input i i64[1]
			init zero i64[1] 0
			both = Concat(i, zero) axis=0
			below = Less(both, zero)
			large = GreaterOrEqual(both, zero)
		`, want: map[string]string{"both": "i64 2 = [? 0]", "below": "bool 2 = [? 0]", "large": "bool 2 = [? 1]"}},
		{name: "a reshape to what is left", model: `
			input x f32[batch,seq,8]
			input s i64[3]
			init keep i64[3] 0 -1 4
			a = Reshape(x, keep)
			b = Reshape(x, s)
			init big i64[2] 16 -1
			c = Reshape(x, big)
			n = Shape(x)
			d = Reshape(a, n)
		`, want: map[string]string{"a": "f32 batch×(2*seq)×4", "b": "f32 ?×?×?", "c": "f32 16×floor(batch*seq/2)", "d": "f32 batch×seq×8"}, demands: []string{"2 divides batch*seq"}},
	})
}
