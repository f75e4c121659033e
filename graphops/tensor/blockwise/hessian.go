package blockwise

import (
	"fmt"
	"math"
	"slices"
)

// Hessian is how strongly an error of each row of a matrix, and of each pair of rows, changes a product:
// the sum of XᵀX over the first factors X. Only the part above the diagonal and the diagonal are stored.
type Hessian struct {
	n   int
	sum []float64 // n×n
}

// NewHessian returns a Hessian for a matrix of n rows, without data.
func NewHessian(n int) *Hessian { return &Hessian{n, make([]float64, n*n)} }

// HessianBytes returns the memory of a Hessian for a matrix of n rows.
func HessianBytes(n int64) int64 { return 8 * n * n }

// rowsAtOnce is how many rows of a first factor are added at once.
const rowsAtOnce = 4

// Add adds rows of a first factor, one after the other.
func (h *Hessian) Add(x []float64) {
	none := make([]float64, h.n)
	for len(x) >= h.n {
		rows := [rowsAtOnce][]float64{none, none, none, none}
		for i := 0; i < rowsAtOnce && len(x) >= h.n; i++ {
			rows[i], x = x[:h.n], x[h.n:]
		}
		h.addRows(rows)
	}
}

func (h *Hessian) addRows(rows [rowsAtOnce][]float64) {
	n := int64(h.n)
	evenly(n, n*n*rowsAtOnce/2, func(lo, hi int64) {
		for i := lo; i < hi; i++ {
			a, b, c, d := rows[0][i], rows[1][i], rows[2][i], rows[3][i]
			if a == 0 && b == 0 && c == 0 && d == 0 {
				continue
			}
			to := h.sum[i*n+i : (i+1)*n]
			p, q, r, s := rows[0][i:][:len(to)], rows[1][i:][:len(to)], rows[2][i:][:len(to)], rows[3][i:][:len(to)]
			for j := range to {
				to[j] += a*p[j] + b*q[j] + c*r[j] + d*s[j]
			}
		}
	})
}

// evenly calls f for parts of the rows of a triangle concurrently. Later rows are shorter, so they are
// dealt out in turns.
func evenly(n, elements int64, f func(lo, hi int64)) {
	const turns = 16
	step := max((n+turns-1)/turns, 1)
	sideBySide((n+step-1)/step, elements, func(lo, hi int64) {
		for i := lo; i < hi; i++ {
			f(i*step, min((i+1)*step, n))
		}
	})
}

// Merge adds the data of another Hessian of the same size, for a matrix that several products read.
func (h *Hessian) Merge(o *Hessian) {
	for i, x := range o.sum {
		h.sum[i] += x
	}
}

// Clone returns a copy.
func (h *Hessian) Clone() *Hessian { return &Hessian{h.n, slices.Clone(h.sum)} }

// Rows returns the number of rows of the matrix.
func (h *Hessian) Rows() int64 { return int64(h.n) }

// Check returns an error if a sum is not finite.
func (h *Hessian) Check() error {
	for i, x := range h.sum {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("the sum for rows %d and %d is %v", i/h.n, i%h.n, x)
		}
	}
	return nil
}

// Compensation says how the error of a row of a matrix is made up for in the rows that are quantized
// after it.
type Compensation struct {
	n int
	// order is the order in which rows are quantized, or nil for the order of the matrix.
	order []int
	dead  []bool    // rows that were multiplied with 0 only
	upper []float64 // U of the inverse of the Hessian UᵀU, in the order of the rows
}

// Rows returns the number of rows of the matrix.
func (c *Compensation) Rows() int64 { return int64(c.n) }

// HasDead reports whether rows were multiplied with 0 only.
func (c *Compensation) HasDead() bool { return slices.Contains(c.dead, true) }

// Compensation factorizes the Hessian, whose memory it uses for the result. damping is the share
// of the mean of the diagonal that is added to it. If ordered is set, rows with larger diagonals are
// quantized first.
func (h *Hessian) Compensation(damping float64, ordered bool) (*Compensation, error) {
	n := h.n
	c := &Compensation{n: n, dead: make([]bool, n), upper: h.sum}
	total, alive := 0.0, 0
	for i := range n {
		d := h.sum[i*n+i]
		if c.dead[i] = d == 0; !c.dead[i] {
			total, alive = total+d, alive+1
		}
	}
	mean := 1.0 // nothing was ever multiplied
	if alive > 0 {
		mean = total / float64(alive)
	}
	if ordered {
		c.reorder()
	}
	for i := range n {
		if c.upper[i*n+i] == 0 {
			c.upper[i*n+i] = mean
		}
		c.upper[i*n+i] += damping * mean
	}
	if at := c.factorize(); at >= 0 {
		return nil, fmt.Errorf("the rows of the data depend on each other so much that their matrix has no inverse, at row %d; a larger damping than %v helps", at, damping)
	}
	c.invert()
	return c, nil
}

// reorder sorts the rows by the diagonal, the largest first.
func (c *Compensation) reorder() {
	n := c.n
	c.order = make([]int, n)
	for i := range c.order {
		c.order[i] = i
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		switch x, y := c.upper[a*n+a], c.upper[b*n+b]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	sorted := make([]float64, n*n)
	for i, a := range c.order {
		for j := i; j < n; j++ {
			b := c.order[j]
			sorted[i*n+j] = c.upper[min(a, b)*n+max(a, b)]
		}
	}
	c.upper = sorted
}

// factorize replaces the matrix H by R with H = R·Rᵀ, which is zero below the diagonal. It returns the
// row at which that is not possible, or -1.
func (c *Compensation) factorize() int {
	n := int64(c.n)
	for j := n - 1; j >= 0; j-- {
		row := c.upper[j*n : (j+1)*n]
		rest := row[j+1:]
		d := row[j] - dot(rest, rest)
		if !(d > 0) {
			return int(j)
		}
		d = math.Sqrt(d)
		row[j] = d
		sideBySide(j, j*int64(len(rest)), func(lo, hi int64) {
			for i := lo; i < hi; i++ {
				above := c.upper[i*n : (i+1)*n]
				above[j] = (above[j] - dot(above[j+1:], rest)) / d
			}
		})
	}
	return -1
}

// invert replaces R by its inverse.
func (c *Compensation) invert() {
	n := int64(c.n)
	old := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		row := c.upper[i*n : (i+1)*n]
		copy(old[i:], row[i:])
		clear(row[i+1:])
		row[i] = 1
		sideBySide(n-i, (n-i)*(n-i)/2, func(lo, hi int64) {
			lo, hi = lo+i, hi+i
			for k := i + 1; k < hi; k++ {
				from := max(k, lo)
				subtract(row[from:hi], c.upper[k*n+from:k*n+hi], old[k])
			}
			for j := lo; j < hi; j++ {
				row[j] /= old[i]
			}
		})
	}
}

// dot returns the sum of products.
func dot(a, b []float64) float64 {
	var p, q, r, s float64
	b = b[:len(a)]
	for ; len(a) >= 4; a, b = a[4:], b[4:] {
		p += a[0] * b[0]
		q += a[1] * b[1]
		r += a[2] * b[2]
		s += a[3] * b[3]
	}
	for i, x := range a {
		p += x * b[i]
	}
	return p + q + r + s
}

// subtract subtracts by times b from a.
func subtract(a, b []float64, by float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= by * b[i]
	}
}
