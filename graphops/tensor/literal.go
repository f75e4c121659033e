package tensor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseLiteral reads a tensor from text: element type, shape and all elements in row-major order,
// such as "f32[2,2]{1,2,3,4}", "i64[]{3}" for a scalar, "str[2]{"a","b"}". A number outside the
// range of the element type is an error; one that it cannot represent exactly is rounded as in
// EncodeFloat64.
func ParseLiteral(s string) (Tensor, error) {
	t, err := parseLiteral(s)
	if err != nil {
		return Tensor{}, fmt.Errorf("%.60q is not a tensor such as f32[2]{1,2}: %w", s, err)
	}
	return t, nil
}

func parseLiteral(s string) (Tensor, error) {
	head, rest, hasItems := strings.Cut(s, "{")
	name, dims, hasShape := strings.Cut(head, "[")
	dims, closed := strings.CutSuffix(dims, "]")
	body, ended := strings.CutSuffix(rest, "}")
	switch {
	case !hasItems || !ended:
		return Tensor{}, errors.New("expected the elements in braces at the end")
	case !hasShape || !closed:
		return Tensor{}, errors.New("expected the shape in brackets after the element type, [] for a scalar")
	}
	d, err := ParseDType(name)
	if err != nil {
		return Tensor{}, err
	}
	t := Tensor{DType: d, Shape: []int64{}}
	for _, dim := range SplitList(dims) {
		n, err := strconv.ParseInt(dim, 10, 64)
		if err != nil || n < 0 {
			return Tensor{}, fmt.Errorf("%q is no size", dim)
		}
		t.Shape = append(t.Shape, n)
	}
	return t, t.fill(SplitList(body))
}

// SplitList splits a list at commas that are not inside double quotes. It removes spaces around the
// items. An empty text is an empty list.
func SplitList(s string) []string {
	if strings.Trim(s, " ") == "" {
		return nil
	}
	var out []string
	quoted, start := false, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case quoted && s[i] == '\\':
			i++ // an escaped character does not end the string
		case s[i] == ',' && !quoted:
			out = append(out, strings.Trim(s[start:i], " "))
			start = i + 1
		}
	}
	return append(out, strings.Trim(s[start:], " "))
}

// fill parses the items and sets the elements of the tensor, whose type and shape are set already.
func (t *Tensor) fill(items []string) error {
	n, err := Elements(t.Shape)
	if err != nil {
		return err
	}
	if int64(len(items)) != n {
		return fmt.Errorf("shape %s needs %d elements, there are %d", FormatShape(t.Shape), n, len(items))
	}
	if t.DType == String {
		t.Strings = make([]string, n)
		return eachItem(items, "a string in double quotes", func(i int, s string) (err error) {
			t.Strings[i], err = ParseQuoted(s)
			return err
		})
	}
	size, err := t.DType.ByteLen(n)
	if err != nil {
		return err
	}
	t.Data = make([]byte, size)
	if t.DType.isInteger() {
		return t.fillInts(items)
	}
	return t.fillFloats(items)
}

// ParseQuoted reads a string in double quotes, with Go's escapes.
func ParseQuoted(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return "", strconv.ErrSyntax
	}
	return strconv.Unquote(s)
}

// eachItem calls f for each item. The error for an item that f rejects says what was expected.
func eachItem(items []string, expected string, f func(i int, s string) error) error {
	for i, s := range items {
		switch err := f(i, s); {
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("element %d, %.40s: is out of range", i, s)
		case err != nil:
			return fmt.Errorf("element %d, %.40q: expected %s", i, s, expected)
		}
	}
	return nil
}

func (t *Tensor) fillInts(items []string) error {
	values := make([]int64, len(items))
	expected := "a whole number"
	if t.DType == Bool {
		expected = "true or false"
	}
	err := eachItem(items, expected, func(i int, s string) (err error) {
		values[i], err = parseInt(t.DType, s)
		return err
	})
	if err != nil {
		return err
	}
	return encodeInt64(t.Data, t.DType, values)
}

// parseInt parses an integer or a bool of type d. A u64 is returned as the int64 with the same
// bits.
func parseInt(d DType, s string) (int64, error) {
	switch d {
	case Bool:
		b, err := strconv.ParseBool(s)
		if b {
			return 1, err
		}
		return 0, err
	case U64:
		u, err := strconv.ParseUint(s, 10, 64)
		return int64(u), err
	default:
		return strconv.ParseInt(s, 10, 64)
	}
}

func (t *Tensor) fillFloats(items []string) error {
	values := make([]float64, 0, len(items)*t.DType.Components())
	err := eachItem(items, "a number", func(_ int, s string) error {
		parts, err := parseNumber(t.DType, s)
		values = append(values, parts...)
		return err
	})
	if err != nil {
		return err
	}
	if err := EncodeFloat64(t.Data, t.DType, values); err != nil {
		return err
	}
	return t.checkHeld(values)
}

// parseNumber reads a floating-point element: one number, or two for a complex one.
func parseNumber(d DType, s string) ([]float64, error) {
	bits := 64
	if d == F32 || d == C64 {
		bits = 32
	}
	if d.Kind() == KindComplex {
		c, err := strconv.ParseComplex(s, 2*bits)
		return []float64{real(c), imag(c)}, err
	}
	x, err := strconv.ParseFloat(s, bits)
	return []float64{x}, err
}
