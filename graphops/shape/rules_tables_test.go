package shape_test

import "testing"

// Behind what goes with a cut of a table, that the table is long enough is known.
func TestBesideCutsOfTables(t *testing.T) {
	const cut = `
			input x f32[batch,n]
			input past f32[batch,m]
			init table f32[64,64]
			init one i64[1] 1
			init zero i64[1] 0
			sx = Shape(x)
			sp = Shape(past)
			n = Gather(sx, one)
			m = Gather(sp, one)
			all = Add(m, n)
	`
	check(t, []example{
		{name: "as many columns", model: cut + `
			c = Slice(table, zero, n, one)
			r = Slice(c, zero, one, zero)
			y = Add(x, r)
			z = Add(r, x)
		`, want: map[string]string{"r": "f32 1×min(64,n)", "y": "f32 batch×n", "z": "f32 batch×n"}, demands: []string{"n = min(64,n)", "min(64,n) = n"}},
		{name: "rows that end where the columns do", model: cut + `
			both = Concat(past, x) axis=1
			u = Unsqueeze(both, one)
			r = Slice(table, m, all, zero)
			c = Slice(r, zero, all, one)
			y = Where(k, u, c)
			input k bool[]
		`, want: map[string]string{"c": "f32 min(64,m+n)-min(64,m)×min(64,m+n)", "y": "f32 batch×n×(m+n)"}, demands: []string{"m+n = min(64,m+n)"}},
		{name: "a table of one", model: cut + `
			init thin f32[1,64]
			c = Slice(thin, zero, n, zero)
			y = Mul(k, c)
			input k f32[n,1]
			input l f32[1,n]
			z = Mul(l, c)
		`, want: map[string]string{"c": "f32 1×64", "y": "f32 n×64", "z": "f32 1×64"}, demands: []string{"n = 64"}},
		{name: "as many as something else has", model: cut + `
			c = Slice(table, zero, n, one)
			r = Slice(c, zero, one, zero)
			y = Add(past, r)
		`, want: map[string]string{"y": "f32 batch×broadcast(m,min(64,n))"}, demands: []string{"m = min(64,n)"}},
	})
}
