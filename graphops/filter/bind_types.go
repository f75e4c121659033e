package filter

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// kinds returns a test of the types of items. is is called once for each different type.
func (b *binder) kinds(t *test, is func(k *typeFact) bool) holds {
	types := b.Facts.types()
	hit := make([]bool, len(types.kinds))
	for i := range types.kinds {
		hit[i] = is(&types.kinds[i])
	}
	made := func(v graphops.ValueID) bool { return hit[types.of[v]] }
	return opposite(t, func(it item) bool {
		if it.tensor != nil {
			k := factOfTensor(it.tensor)
			return is(&k)
		}
		return b.anyMade(it, made)
	})
}

func factOfTensor(t *graphops.Tensor) typeFact {
	return factOf(graphops.Type{Kind: graphops.TypeTensor, Elem: t.DType(), Shape: graphops.FixedShape(t.Dims())})
}

func (b *binder) types(t *test) (holds, error) {
	list := make([]pattern, len(t.items))
	for i, item := range t.items {
		list[i] = compile(typeSpelling(item), false)
	}
	return b.kinds(t, func(k *typeFact) bool { return k.name != "?" && anyPattern(list, k.name) }), nil
}

// typeSpelling returns the text with an element type as Lathe writes it, such as f16. The text can
// also have the names of ONNX and numpy, FLOAT16 and float16.
func typeSpelling(t text) text {
	if d, err := tensor.ParseDType(t.s); err == nil {
		t.s, t.quoted = d.String(), nil
		return t
	}
	t.s = strings.ToLower(t.s)
	return t
}

func (b *binder) rank(t *test) (holds, error) {
	spans, err := b.spans(t)
	if err != nil {
		return nil, err
	}
	return b.kinds(t, func(k *typeFact) bool { return k.rank >= 0 && anySpan(spans, float64(k.rank)) }), nil
}

func (b *binder) shape(t *test) (holds, error) {
	list := make([]pattern, len(t.items))
	for i, item := range t.items {
		list[i] = shapePattern(item)
	}
	return b.kinds(t, func(k *typeFact) bool {
		return k.rank >= 0 && (anyPattern(list, k.shape) || k.written != "" && anyPattern(list, k.written))
	}), nil
}

// shapePattern returns the pattern for a shape. An x separates two dimensions or is a letter of a
// symbol; it matches both, so that "maxxmin" matches max×min as well as maxxmin.
func shapePattern(t text) pattern {
	if n := len(t.s); n >= 2 && t.s[0] == '[' && t.s[n-1] == ']' {
		t = t.slice(1, n-1)
	}
	if t.s == "" {
		t.s = "scalar"
	}
	p := pattern{fold: !hasUpper(strings.ReplaceAll(t.s, "X", "x")), glob: []piece{}}
	for i := 0; i < len(t.s); i++ {
		c := t.s[i]
		plain := t.isPlain(i)
		switch {
		case plain && strings.HasPrefix(t.s[i:], times):
			p.glob = append(p.glob, piece{pieceTimes, ','})
			i += len(times) - 1
		case plain && (c == 'x' || c == 'X' || c == ','):
			p.glob = append(p.glob, piece{pieceTimes, c})
		case plain && c == '*':
			p.glob = append(p.glob, piece{kind: pieceMany})
		case c == ' ':
		default:
			p.glob = append(p.glob, piece{pieceByte, c})
		}
	}
	return p
}

// params returns a test of the number of elements in constants.
func (b *binder) params(t *test) (holds, error) {
	w := b.weigh()
	return b.number(t, func(it item) (float64, bool) {
		switch {
		case it.tensor != nil:
			return float64(weightOf(it.tensor).elements), true
		case it.value >= 0:
			return float64(w.values[it.value].elements), true
		default:
			return float64(w.nodes[it.node].elements), true
		}
	})
}

// bytes returns a test of the size in bytes: of constants, or, for a value that is not a constant,
// of the value according to its type.
func (b *binder) bytes(t *test) (holds, error) {
	w := b.weigh()
	types := b.Facts.types()
	return b.number(t, func(it item) (float64, bool) {
		switch {
		case it.tensor != nil:
			return float64(weightOf(it.tensor).bytes), true
		case it.value >= 0 && b.constants()[it.value] != nil:
			return float64(w.values[it.value].bytes), true
		case it.value >= 0:
			n := types.kinds[types.of[it.value]].bytes
			return float64(n), n >= 0
		default:
			return float64(w.nodes[it.node].bytes), true
		}
	})
}
