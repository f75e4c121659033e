package tensor

import (
	"fmt"
	"strconv"
	"strings"
)

// Literal writes a tensor in the form that ParseLiteral reads.
func (t Tensor) Literal() (string, error) {
	if err := t.Check(); err != nil {
		return "", err
	}
	items, err := t.items()
	if err != nil {
		return "", err
	}
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = strconv.FormatInt(d, 10)
	}
	return fmt.Sprintf("%s[%s]{%s}", t.DType, strings.Join(dims, ","), strings.Join(items, ",")), nil
}

// items writes the elements of a valid tensor.
func (t Tensor) items() ([]string, error) {
	n, err := Elements(t.Shape)
	if err != nil {
		return nil, err
	}
	items := make([]string, n)
	switch {
	case t.DType == String:
		for i, s := range t.Strings {
			items[i] = strconv.Quote(s)
		}
	case t.DType.isInteger():
		values := make([]int64, n)
		if err := decodeInt64(values, t.DType, t.Data); err != nil {
			return nil, err
		}
		for i, x := range values {
			items[i] = formatInt(t.DType, x)
		}
	default:
		values := make([]float64, int(n)*t.DType.Components())
		if err := decodeFloat64(values, t.DType, t.Data); err != nil {
			return nil, err
		}
		for i := range items {
			items[i] = formatNumber(t.DType, values[i*t.DType.Components():])
		}
	}
	return items, nil
}

func formatInt(d DType, x int64) string {
	switch d {
	case Bool:
		return strconv.FormatBool(x != 0)
	case U64:
		return strconv.FormatUint(uint64(x), 10)
	default:
		return strconv.FormatInt(x, 10)
	}
}

// formatNumber formats the element at the start of x, with as few digits as are needed to read back
// the same number. A complex element consists of two numbers.
func formatNumber(d DType, x []float64) string {
	bits := 64
	if d == F32 || d == C64 {
		bits = 32
	}
	if d.Kind() == KindComplex {
		c := strconv.FormatComplex(complex(x[0], x[1]), 'g', -1, 2*bits)
		return strings.Trim(c, "()")
	}
	return strconv.FormatFloat(x[0], 'g', -1, bits)
}
