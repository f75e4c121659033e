package inputs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// maxAxes limits how deep lists can nest, which is the number of axes of a tensor.
const maxAxes = 32

// maxNesting limits how deep sequences, maps and optionals can nest.
const maxNesting = 16

// jsonReader reads values token by token, so that no copy of the JSON is kept in memory.
type jsonReader struct{ dec *json.Decoder }

func (j *jsonReader) token() (json.Token, error) {
	t, err := j.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", j.dec.InputOffset(), err)
	}
	return t, nil
}

// quoted returns a token as it is in the file, for messages. Texts are in quotation marks.
func quoted(tok json.Token) string {
	switch v := tok.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(tok)
}

// end returns an error unless the file ends here.
func (j *jsonReader) end() error {
	switch t, err := j.dec.Token(); {
	case err == nil:
		return fmt.Errorf("byte %d: %s after the last value", j.dec.InputOffset(), quoted(t))
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("byte %d: %w", j.dec.InputOffset(), err)
	}
	return nil
}

// value reads a value of a type. A tensor is nested lists of elements, a sequence is a list, a map
// is an object, and an empty optional is null.
func (j *jsonReader) value(t graphops.Type, depth int) (graphops.Value, error) {
	tok, err := j.token()
	if err != nil {
		return graphops.Value{}, err
	}
	return j.after(tok, t, depth)
}

// after reads a value of a type. tok is its first token, which has been read already.
func (j *jsonReader) after(tok json.Token, t graphops.Type, depth int) (graphops.Value, error) {
	switch {
	case depth > maxNesting || t.Kind != graphops.TypeTensor && t.Of == nil:
		return graphops.Value{}, fmt.Errorf("type %s cannot be written in JSON", t)
	case t.Kind == graphops.TypeTensor:
		return j.tensor(tok, t.Elem)
	case t.Kind == graphops.TypeOptional && tok == nil:
		return graphops.OptionalValue(*t.Of), nil
	case t.Kind == graphops.TypeOptional:
		item, err := j.after(tok, *t.Of, depth+1)
		return graphops.OptionalValue(*t.Of, item), err
	case t.Kind == graphops.TypeSequence && tok == json.Delim('['):
		return j.sequence(*t.Of, depth)
	case t.Kind == graphops.TypeMap && tok == json.Delim('{') && t.Of.Kind == graphops.TypeTensor:
		return j.mapping(t.Elem, t.Of.Elem)
	}
	return graphops.Value{}, fmt.Errorf("got %s, expected a value of type %s", quoted(tok), t)
}

func (j *jsonReader) sequence(of graphops.Type, depth int) (graphops.Value, error) {
	v := graphops.SequenceValue(of)
	for j.dec.More() {
		item, err := j.value(of, depth+1)
		if err != nil {
			return v, fmt.Errorf("element %d: %w", len(v.Items), err)
		}
		v.Items = append(v.Items, item)
	}
	_, err := j.token()
	return v, err
}

// mapping reads an object as a map. Numeric keys are in quotes, as JSON requires.
func (j *jsonReader) mapping(key, value tensor.DType) (graphops.Value, error) {
	keys, values := &elements{dtype: key}, &elements{dtype: value}
	for j.dec.More() {
		tok, err := j.token()
		if err != nil {
			return graphops.Value{}, err
		}
		name := tok
		if number, ok := tok.(string); ok && key != tensor.String {
			name = json.Number(number)
		}
		if err := keys.add(name); err != nil {
			return graphops.Value{}, fmt.Errorf("got key %s, expected a key of type %s", quoted(tok), key)
		}
		item, err := j.token()
		if err != nil {
			return graphops.Value{}, err
		}
		if err := values.add(item); err != nil {
			return graphops.Value{}, fmt.Errorf("value of key %s: %w", quoted(tok), err)
		}
	}
	if _, err := j.token(); err != nil {
		return graphops.Value{}, err
	}
	k, err := keys.tensor([]int64{keys.count()})
	if err != nil {
		return graphops.Value{}, err
	}
	v, err := values.tensor([]int64{values.count()})
	return graphops.MapValue(k, v), err
}

// tensor reads elements in lists that nest as deep as the tensor has axes.
func (j *jsonReader) tensor(tok json.Token, d tensor.DType) (graphops.Value, error) {
	e := &elements{dtype: d}
	shape, err := j.axes(tok, e, 0)
	if err != nil {
		return graphops.Value{}, err
	}
	t, err := e.tensor(shape)
	return graphops.TensorValue(t), err
}

// axes reads a single element, or a list whose items must all have the same shape. It returns the
// shape.
func (j *jsonReader) axes(tok json.Token, e *elements, depth int) ([]int64, error) {
	if tok != json.Delim('[') {
		return []int64{}, e.add(tok)
	}
	if depth == maxAxes {
		return nil, fmt.Errorf("lists nest deeper than %d", maxAxes)
	}
	n := int64(0)
	var inner []int64
	for ; j.dec.More(); n++ {
		next, err := j.token()
		if err != nil {
			return nil, err
		}
		shape, err := j.axes(next, e, depth+1)
		switch {
		case err != nil:
			return nil, err
		case n == 0:
			inner = shape
		case tensor.FormatShape(shape) != tensor.FormatShape(inner):
			return nil, fmt.Errorf("byte %d: shape %s beside shape %s; all lists of one axis must have the same length", j.dec.InputOffset(), tensor.FormatShape(shape), tensor.FormatShape(inner))
		}
	}
	_, err := j.token()
	return append([]int64{n}, inner...), err
}

// elements collects the elements of a tensor. Which of the three lists it uses depends on the type.
type elements struct {
	dtype tensor.DType
	reals []float64
	ints  []int64
	texts []string
}

func (e *elements) count() int64 { return int64(len(e.reals) + len(e.ints) + len(e.texts)) }

// add adds one element. It returns an error if an integer would have to be rounded.
func (e *elements) add(tok json.Token) error {
	wrong := fmt.Errorf("got %s, expected an element of type %s", quoted(tok), e.dtype)
	switch kind := e.dtype.Kind(); kind {
	case tensor.KindString:
		s, ok := tok.(string)
		if !ok {
			return wrong
		}
		e.texts = append(e.texts, s)
	case tensor.KindBool:
		b, ok := tok.(bool)
		if !ok {
			return wrong
		}
		e.ints = append(e.ints, map[bool]int64{true: 1}[b])
	case tensor.KindSigned, tensor.KindUnsigned:
		n, ok := tok.(json.Number)
		if !ok {
			return wrong
		}
		x, err := parseInt(string(n), e.dtype)
		if err != nil {
			return wrong
		}
		e.ints = append(e.ints, x)
	case tensor.KindFloat:
		x, ok := number(tok)
		if !ok {
			return wrong
		}
		e.reals = append(e.reals, x)
	default:
		return fmt.Errorf("elements of type %s cannot be written in JSON", e.dtype)
	}
	return nil
}

// parseInt reads an integer. A number of type u64 may be above the range of int64. It is then
// returned as the int64 with the same bits.
func parseInt(s string, d tensor.DType) (int64, error) {
	if d == tensor.U64 {
		x, err := strconv.ParseUint(s, 10, 64)
		return int64(x), err
	}
	return strconv.ParseInt(s, 10, 64)
}

// number returns a token as a number. It also accepts the texts "NaN", "Infinity" and "-Infinity",
// since JSON has no such numbers.
func number(tok json.Token) (float64, bool) {
	switch v := tok.(type) {
	case json.Number:
		x, err := v.Float64()
		return x, err == nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
	}
	return 0, false
}

func (e *elements) tensor(shape []int64) (tensor.Tensor, error) {
	switch e.dtype.Kind() {
	case tensor.KindString:
		return tensor.FromStrings(e.texts, shape...), nil
	case tensor.KindFloat:
		return tensor.FromFloat64s(e.dtype, e.reals, shape...)
	}
	return tensor.FromInt64s(e.dtype, e.ints, shape...)
}
