package shape_test

import "testing"

// TestData holds what elements become against what ONNX Runtime makes of them.
func TestData(t *testing.T) {
	constants := `
		opset 18
		init v i64[4] 1 2 3 4
		init s i64[] 0
		init i0 i64[1] 0
		init m1 i64[1] -1
		init m2 i64[1] -2
		init m3 i64[1] -3
		init m10 i64[1] -10
		init p2 i64[1] 2
		init p5 i64[1] 5
		init p10 i64[1] 10
		init far i64[1] -9223372036854775808
		init end i64[1] 9223372036854775807
		init none i64[0]
		init signs i64[4] -7 7 -7 7
		init threes i64[4] 3 -3 -3 3
		init twos i64[4] 2 -2 -2 2
		init f f32[4] -1.5 1.5 -0.9 2.5
		init halves f32[5] 0.5 1.5 2.5 -0.5 -1.5
		init f10 f32[1] 10
		init f07 f32[1] 0.7
		init tenth f32[] 0.1
		init f0 f32[] 0
		init f1 f32[] 1
		init f03 f32[] -0.3
		init si5 i64[] 5
		init sim2 i64[] -2
		init lo i64[] 2
		init hi i64[] 8
		init spread i64[3] 1 5 9
		init at i64[2,1] 1 -1
		init put i64[2] 9 8
		init yes bool[] 1
		init both bool[2] 1 0
		init square i64[2,2] 1 2 3 4
		init u u8[1] 1
		init u2 u8[1] 2
		init i i32[1] 1073741824
		init i4 i32[1] 4
		init off i64[2] -1 0
		init big i64[1] 2147483648
	`
	for node, want := range map[string]string{
		"Slice(v, m10, m10, i0, m1)":           "i64 1 = [1]",
		"Slice(v, p10, far, i0, m1)":           "i64 4 = [4 3 2 1]",
		"Slice(none, m1, far, i0, m1)":         "i64 0 = []",
		"Slice(v, p5, p2)":                     "i64 0 = []",
		"Slice(v, m1, far, i0, m2)":            "i64 2 = [4 2]",
		"Slice(v, m3, end, i0, p2)":            "i64 2 = [2 4]",
		"Unsqueeze(square, off)":               "i64 1×2×2×1 = [1 2 3 4]",
		"Squeeze(square)":                      "i64 2×2 = [1 2 3 4]",
		"Range(f0, f1, tenth)":                 "f32 10 = ?", // each step is rounded
		"Range(f1, f0, f03)":                   "f32 4 = ?",
		"Range(si5, s, sim2)":                  "i64 3 = [5 3 1]",
		"Range(si5, s, lo)":                    "i64 0 = []",
		"Mod(signs, threes)":                   "i64 4 = [2 ? ? 1]", // signs of divisors are not followed
		"Mod(signs, threes) fmod=1":            "i64 4 = ?",
		"Div(signs, twos)":                     "i64 4 = [-3 -3 3 3]",
		"Cast(f) to=7":                         "i64 4 = [-1 1 0 2]",
		"Cast(f) to=2":                         "u8 4 = [? 1 0 2]",
		"Cast(signs) to=9":                     "bool 4 = [1 1 1 1]",
		"Cast(big) to=6":                       "i32 1 = [?]",
		"Cast(big) to=10":                      "f16 1 = [?]",
		"Round(halves)":                        "f32 5 = [0 2 2 0 -2]",
		"Mul(f10, f07)":                        "f32 1 = [7]",
		"NonZero(si5)":                         "i64 1×1 = [0]",
		"NonZero(s)":                           "i64 1×0 = []",
		"NonZero(both)":                        "i64 1×1 = [0]",
		"CumSum(v, s)":                         "i64 4 = [1 3 6 10]",
		"CumSum(v, s) exclusive=1":             "i64 4 = [0 1 3 6]",
		"CumSum(v, s) reverse=1":               "i64 4 = ?",
		"ScatterND(v, at, put)":                "i64 4 = [1 9 3 8]",
		"Clip(spread, lo, hi)":                 "i64 3 = [2 5 8]",
		"Clip(spread, hi, lo)":                 "i64 3 = [2 2 2]",
		"Where(yes, lo, i0)":                   "i64 1 = [2]",
		"Where(both, lo, square)":              "i64 2×2 = [2 2 2 4]",
		"ReduceProd(v) keepdims=0":             "i64 scalar = [24]",
		"ReduceSum(v, none) keepdims=0":        "i64 scalar = [10]",
		"Pow(spread, lo)":                      "i64 3 = [1 25 81]",
		"Pow(v, m1)":                           "i64 4 = [? ? ? ?]",
		"Sign(f)":                              "f32 4 = [-1 1 -1 1]",
		"Gather(v, off)":                       "i64 2 = [4 1]",
		"Tile(v, i0)":                          "i64 0 = []",
		"Expand(si5, p2)":                      "i64 2 = [5 5]",
		"Sub(u, u2)":                           "u8 1 = [?]", // 255, or what a provider makes of it
		"Mul(i, i4)":                           "i32 1 = [?]",
		"Max(spread, lo)":                      "i64 3 = [2 5 9]",
		"Equal(halves, halves)":                "bool 5 = [1 1 1 1 1]",
		"Less(signs, s)":                       "bool 4 = [1 0 1 0]",
		"Transpose(square)":                    "i64 2×2 = [1 3 2 4]",
		"ConstantOfShape(none)":                "f32 scalar = [0]",
		"ConstantOfShape(p2) value={i64[1] 7}": "i64 2 = [7 7]",
		"Shape(square) start=-1":               "i64 1 = [2]",
		"Shape(square) start=2 end=1":          "i64 0 = []",
		"Size(square)":                         "i64 scalar = [4]",
		"Floor(halves)":                        "f32 5 = [0 1 2 -1 -2]",
		"Ceil(halves)":                         "f32 5 = [1 2 3 0 -1]",
		"Neg(v)":                               "i64 4 = [-1 -2 -3 -4]",
		"Abs(signs)":                           "i64 4 = [7 7 7 7]",
		"Reciprocal(f10)":                      "f32 1 = [0.10000000149011612]",
		"Sqrt(f10)":                            "f32 1 = [3.1622776985168457]",
		"And(both, yes)":                       "bool 2 = [1 0]",
		"Not(both)":                            "bool 2 = [0 1]",
		"Xor(both, yes)":                       "bool 2 = [0 1]",
	} {
		t.Run(node, func(t *testing.T) {
			check(t, []example{{name: "y", model: constants + "y = " + node, want: map[string]string{"y": want}}})
		})
	}
}

// TestFaultyData is what a runtime refuses.
func TestFaultyData(t *testing.T) {
	check(t, []example{
		{
			name: "division by zero", model: "init a i64[1] 7\ninit z i64[1] 0\ny = Div(a, z)\nm = Mod(a, z)",
			want: map[string]string{"y": "i64 1 = [?]", "m": "i64 1 = [?]"},
		},
		{
			name: "a range without steps", model: "init a i64[] 0\ninit b i64[] 5\ny = Range(a, b, a)",
			want: map[string]string{"y": "i64 ?"}, problems: []string{"the step of the range is 0"},
		},
		{
			name: "a step is 0", model: "init v i64[4] 1\ninit z i64[1] 0\ny = Slice(v, z, z, z, z)",
			want: map[string]string{"y": "i64 ?"}, problems: []string{"a step is 0"},
		},
		{
			name: "a size below 0", model: "init s i64[2] -1 2\ny = ConstantOfShape(s)",
			want: map[string]string{"y": "f32 ?×2"}, problems: []string{`output "y", axis 0 would have the size -1`},
		},
		{
			name: "scalars side by side", model: "init a i64[] 0\ny = Concat(a, a) axis=0",
			want: map[string]string{"y": "i64 ?"}, problems: []string{"there is no axis 0 in a tensor of rank 0"},
		},
		{
			name: "parts of 5", model: "opset 13\ninput x f32[5]\na, b = Split(x)",
			want: map[string]string{"a": "f32 2"}, problems: []string{"cannot be divided into 2 equal parts"},
		},
		{
			name: "four parts of 5", model: "opset 18\ninput x f32[5]\na, b, c, d = Split(x) num_outputs=4",
			want: map[string]string{"a": "f32 2", "d": "f32 ?"}, problems: []string{`output "d", axis 0 would have the size -1`},
		},
		{
			name: "outside", model: "init v i64[4] 1\ninit i i64[1] 4\ny = Gather(v, i)",
			want: map[string]string{"y": "i64 1 = ?"}, problems: []string{"index 4 is outside of axis 0"},
		},
		{
			name: "elements that do not part", model: "input x f32[5]\ninit s i64[2] 2 -1\ny = Reshape(x, s)",
			want: map[string]string{"y": "f32 2×?"}, problems: []string{"has 5 elements, which is not a multiple of 2"},
		},
		{
			name: "-1 twice", model: "input x f32[4]\ninit s i64[2] -1 -1\ny = Reshape(x, s)",
			problems: []string{"has -1 more than once"},
		},
		{
			name: "an overflow", model: "input x f32[9223372036854775807,2]\ns = Size(x)\ny = Concat(x, x) axis=0",
			want: map[string]string{"s": "i64 scalar = [?]", "y": "f32 ?×2"}, problems: []string{`output "y", axis 0: a size does not fit into 64 bits`},
		},
	})
}
