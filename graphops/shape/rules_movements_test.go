package shape_test

import "testing"

// TestSplitOutside splits what is followed into parts that lie outside of it.
func TestSplitOutside(t *testing.T) {
	check(t, []example{
		{name: "behind", model: `
			opset 13
			init x i64[4] 1 2 3 4
			init s i64[3] 3 9223372036854775807 1
			a, b, c = Split(x, s)
		`, want: map[string]string{"a": "i64 3 = [1 2 3]", "b": "i64 9223372036854775807 = ?"}},
		{name: "before", model: `
			opset 13
			init x i64[4] 1 2 3 4
			init s i64[3] -3 2 5
			a, b, c = Split(x, s)
		`, want: map[string]string{"a": "i64 ? = ?", "b": "i64 2 = ?"}, problems: []string{"size -3"}},
	})
}
