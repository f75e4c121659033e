package inputs

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// DefaultMaxBytes is how much memory generated inputs may take unless Options
// says otherwise. A model is free to declare inputs of any size.
const DefaultMaxBytes = 1 << 30

// Options say what to generate.
type Options struct {
	Seed uint64
	Dims map[string]int64 // sizes of symbols; the others are 1
	// Batch is the size of batch axes that Dims does not set; 0 leaves them to 1.
	// It is an error if there is no such axis and the inputs are not that size
	// anyway.
	Batch    int64
	MaxBytes int64 // of all inputs together; 0 is DefaultMaxBytes
}

// Generate makes a value for every input. Floating-point numbers are drawn from
// the standard normal distribution; integers of 8 bits and less from all that
// are not negative, wider ones from 0 to 9, since most of them are an index
// into something of unknown size; bools by coin. An input with "mask" in its
// name is all ones, one with "position" counts along its last axis, and one
// with "segment" or "type_id" is 0 or 1, as the two parts of a pair of texts.
//
// The values of an input depend on the seed, its name, type and size, and not
// on the other inputs. Notes say what was assumed.
func Generate(specs []Spec, o Options) (graphops.Feeds, []string, error) {
	shapes, notes, err := size(specs, o)
	if err != nil {
		return nil, nil, err
	}
	left := o.MaxBytes
	if left == 0 {
		left = DefaultMaxBytes
	}
	feeds := graphops.Feeds{}
	for i, spec := range specs {
		n, err := claim(spec, shapes[i], &left)
		if err != nil {
			return nil, nil, err
		}
		t, err := fill(spec, shapes[i], n, o.Seed)
		if err != nil {
			return nil, nil, fmt.Errorf("input %q: %w", spec.Name, err)
		}
		feeds[spec.Name] = graphops.TensorValue(t)
	}
	return feeds, notes, nil
}

// claim counts the elements of an input and takes its memory from what is left.
func claim(spec Spec, shape []int64, left *int64) (int64, error) {
	n, err := tensor.Elements(shape)
	if err != nil {
		return 0, fmt.Errorf("input %q: %w", spec.Name, err)
	}
	size := int64(math.MaxInt64)
	if spec.DType == tensor.String {
		if n < math.MaxInt64/16 {
			size = 16 * n
		}
	} else if size, err = spec.DType.ByteLen(n); err != nil {
		return 0, fmt.Errorf("input %q: %w", spec.Name, err)
	}
	if size > *left {
		return 0, fmt.Errorf("input %q of shape %s does not fit: %d bytes are left for inputs; give smaller sizes", spec.Name, tensor.FormatShape(shape), *left)
	}
	*left -= size
	return n, nil
}

// words are what string inputs are made of.
var words = []string{"lathe", "a", "node", "Größe", "42", "", "two words"}

// fill makes the n elements of one input.
func fill(spec Spec, shape []int64, n int64, seed uint64) (tensor.Tensor, error) {
	name := fnv.New64a()
	name.Write([]byte(spec.Name))
	rng := rand.New(rand.NewPCG(seed, name.Sum64()))
	t := tensor.Tensor{DType: spec.DType, Shape: shape}
	if spec.DType == tensor.String {
		t.Strings = make([]string, n)
		for i := range t.Strings {
			t.Strings[i] = words[rng.IntN(len(words))]
		}
		return t, nil
	}
	size, err := spec.DType.ByteLen(n)
	if err != nil {
		return tensor.Tensor{}, err
	}
	t.Data = make([]byte, size)
	return t, encode(t, n, source(spec, shape, rng))
}

// encode writes n elements, a chunk of whole bytes at a time.
func encode(t tensor.Tensor, n int64, next func() float64) error {
	const chunk = 4096
	values := make([]float64, 0, chunk)
	data := t.Data
	for left := n * int64(t.DType.Components()); left > 0; left -= int64(len(values)) {
		values = values[:min(left, chunk)]
		for i := range values {
			values[i] = next()
		}
		if err := tensor.EncodeFloat64(data, t.DType, values); err != nil {
			return err
		}
		if left > chunk {
			data = data[chunk/t.DType.Components()*t.DType.Bits()/8:]
		}
	}
	return nil
}

// source chooses by name and type what the numbers of an input are.
func source(spec Spec, shape []int64, rng *rand.Rand) func() float64 {
	name := strings.ToLower(spec.Name)
	kind := spec.DType.Kind()
	switch {
	case strings.Contains(name, "mask"):
		return func() float64 { return 1 }
	case kind == tensor.KindBool:
		return func() float64 { return float64(rng.IntN(2)) }
	case spec.DType == tensor.F8E8M0: // has neither sign nor zero
		return func() float64 { return math.Abs(rng.NormFloat64()) }
	case kind == tensor.KindFloat || kind == tensor.KindComplex:
		return rng.NormFloat64
	case strings.Contains(name, "position") && len(shape) > 0:
		return count(shape[len(shape)-1])
	case strings.Contains(name, "segment") || strings.Contains(name, "type_id"):
		return func() float64 { return float64(rng.IntN(2)) }
	}
	limit := 10
	if bits := spec.DType.Bits(); bits <= 8 {
		limit = 1 << bits
		if kind == tensor.KindSigned {
			limit /= 2
		}
	}
	return func() float64 { return float64(rng.IntN(limit)) }
}

// count gives 0, 1, … up to n and again from 0.
func count(n int64) func() float64 {
	next := int64(-1)
	return func() float64 {
		next = (next + 1) % max(n, 1)
		return float64(next)
	}
}
