package architecture

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// angles is what a table of cosines shows. base is 0 if the table is not that of one number.
type angles struct {
	base, factor   float64
	uniform        bool
	columns        int64
	rows, examined int64
}

// compared says how many rows were compared.
func (a angles) compared() string {
	if a.examined == a.rows {
		return fmt.Sprintf("%d rows", a.rows)
	}
	return fmt.Sprintf("%d of %d rows", a.examined, a.rows)
}

// The limits of a table. A larger one is not read as a whole, but in some rows.
const (
	maxColumns = 4096
	maxRead    = 4 << 20 // bytes
)

// readAngles reads a table of cosines, with that of the sines.
func readAngles(cos, sin *graphops.Tensor) angles {
	d := cos.Dims()
	if len(d) != 2 || d[0] < 2 || d[1] < 1 || d[1] > maxColumns || cos.DType().Kind() != tensor.KindFloat {
		return angles{}
	}
	a := angles{rows: d[0], columns: d[1]}
	first, other := rowOf(cos, 1), rowOf(sin, 1)
	if first == nil || len(other) != len(first) {
		return a
	}
	frequencies, scale := make([]float64, len(first)), 0.0
	for i := range first {
		frequencies[i] = math.Atan2(other[i], first[i])
		scale = math.Hypot(other[i], first[i])
	}
	error := precision(cos.DType())
	base, factor, uniform := fit(frequencies, error)
	if base == 0 || !(scale > 0.1 && scale < 10) {
		return a
	}
	if uniform { // what the base says is more precise than the first row
		for i := range frequencies {
			frequencies[i] = math.Pow(base, -float64(i)/float64(len(frequencies))) / factor
		}
	}
	for _, at := range a.examine() {
		if row := rowOf(cos, at); row == nil || !fits(row, frequencies, float64(at), scale, error) {
			return angles{rows: a.rows, columns: a.columns}
		}
		a.examined++
	}
	a.base, a.factor, a.uniform = base, factor, uniform
	return a
}

// examine returns the rows that are compared: all of a small table, of another one those at powers
// of two, and the last one.
func (a *angles) examine() (rows []int64) {
	if a.rows*a.columns*8 <= maxRead {
		for at := range a.rows {
			rows = append(rows, at)
		}
		return rows
	}
	rows = append(rows, 0)
	for at := int64(1); at < a.rows-1; at *= 2 {
		rows = append(rows, at)
	}
	return append(rows, a.rows-1)
}

// fits reports whether a row has the cosines of its position times the frequencies. Tables are
// computed in 32 bits, so that the angles of late positions are less precise.
func fits(row, frequencies []float64, at, scale, error float64) bool {
	for i, c := range row {
		angle := at * frequencies[i]
		allowed := max(4*error, 1e-5) + 1e-6*angle
		if !(math.Abs(c-scale*math.Cos(angle)) <= scale*min(allowed, 0.5)) {
			return false
		}
	}
	return true
}

// precision is the relative error of the elements of a type.
func precision(d tensor.DType) float64 {
	switch d {
	case tensor.F64, tensor.F32:
		return 1.2e-7
	case tensor.F16:
		return 1e-3
	default:
		return 8e-3
	}
}

// fit finds the number whose powers frequencies are: base^(-2i/d). They may be divided by a
// factor, all of them (uniform), or only the later ones by more and more; then factor is that of the
// last one. Of types that are less precise than 32 bits, only frequencies that they represent well
// are compared, and only all of them can have a factor.
func fit(frequencies []float64, error float64) (base, factor float64, uniform bool) {
	n, list := float64(len(frequencies)), frequencies
	coarse := error > 1e-6
	for i, f := range list {
		if coarse && !(f >= leastCoarse) {
			list = list[:i]
			break
		}
	}
	last := len(list) - 1
	if last < 1 || !isFalling(list) {
		return 0, 0, false
	}
	tolerance, scale := max(8*error, 1e-5), 1.0
	if math.Abs(list[0]-1) > tolerance {
		scale = 1 / list[0]
	}
	for _, at := range []int{last, last / 2, last / 4} {
		if at < 1 || at < last && (coarse || scale != 1 || at < leastKept) {
			return 0, 0, false
		}
		round := roundest(math.Pow(list[at]*scale, -n/float64(at)), max(8*error, 2e-6)*n/float64(at))
		ratio := func(i int) float64 { return math.Pow(round, -float64(i)/n) / (list[i] * scale) }
		if round == 0 || !sameUpTo(ratio, at, tolerance) {
			continue
		}
		if at == last {
			return round, rounded(scale, 4), true
		}
		if end := rounded(ratio(last), 4); end > 1 {
			return round, end, false
		}
	}
	return 0, 0, false
}

const (
	leastCoarse = 0.02 // the lowest frequency that is read from a type with few digits
	leastKept   = 3    // how many frequencies must not be lowered
)

// isFalling reports whether frequencies are finite, positive, and lower from one to the next.
func isFalling(list []float64) bool {
	for i, f := range list {
		if !tensor.IsFinite(f) || f <= 0 || f > 10 || i > 0 && f >= list[i-1] {
			return false
		}
	}
	return true
}

// sameUpTo reports whether ratios are 1 up to an index.
func sameUpTo(ratio func(i int) float64, at int, tolerance float64) bool {
	for i := 0; i <= at; i++ {
		if !(math.Abs(ratio(i)-1) <= tolerance) {
			return false
		}
	}
	return true
}

// The bases that occur are between these.
const (
	leastBase = 2
	mostBase  = 1e12
)

// roundest returns the number with the fewest digits, at most 7, that is as close to v as tolerance
// says, or 0.
func roundest(v, tolerance float64) float64 {
	if !(v >= leastBase && v <= mostBase) {
		return 0
	}
	for digits := 1; digits <= 7; digits++ {
		if r := rounded(v, digits); math.Abs(r/v-1) <= tolerance {
			return r
		}
	}
	return 0
}

// rounded rounds to a number of digits.
func rounded(v float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return out
}

// rowOf reads a row of a table, or returns nil.
func rowOf(t *graphops.Tensor, row int64) []float64 {
	if t == nil {
		return nil
	}
	d := t.Dims()
	if len(d) != 2 || row < 0 || row >= d[0] || d[1] < 1 || d[1] > maxColumns {
		return nil
	}
	return numbersAt(t, row*d[1], d[1])
}

// numbers reads the first elements of a tensor, at most n.
func numbers(t *graphops.Tensor, n int64) []float64 {
	all, err := t.Elements()
	if err != nil {
		return nil
	}
	return numbersAt(t, 0, min(n, all))
}

// numbersAt reads n elements of a tensor from an index on, or returns nil.
func numbersAt(t *graphops.Tensor, from, n int64) []float64 {
	bits := int64(t.DType().Bits())
	if bits < 8 || n < 0 {
		return nil
	}
	data, err := t.Data()
	if err != nil || (from+n)*bits/8 > data.Len() {
		return nil
	}
	src := data.Reader()
	if s, ok := src.(io.Seeker); !ok && from*bits/8 > maxRead {
		return nil
	} else if ok {
		_, err = s.Seek(from*bits/8, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, src, from*bits/8)
	}
	if err != nil {
		return nil
	}
	r, err := tensor.NewReader(src, t.DType(), n)
	if err != nil {
		return nil
	}
	var out []float64
	for {
		list, err := r.Float64s()
		out = append(out, list...)
		if err != nil || int64(len(out)) >= n {
			break
		}
	}
	if int64(len(out)) != n {
		return nil
	}
	return out
}
