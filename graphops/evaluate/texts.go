package evaluate

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// ofTexts computes a node with strings by an operator that does not look at elements: it replaces
// the strings by numbers, calls run, and replaces the numbers by the strings. Equal strings have
// equal numbers.
func (c *call) ofTexts(run func(c *call) ([]*graphops.Tensor, error)) ([]*graphops.Tensor, error) {
	w := &words{numbers: map[string]int64{}}
	numbers := &call{Node: c.Node, ctx: c.ctx, scratch: c.scratch}
	numbers.Inputs, numbers.Outputs = nil, nil
	for _, t := range c.Inputs {
		if isText(t) {
			var err error
			if t, err = w.number(t); err != nil {
				return nil, err
			}
		}
		numbers.Inputs = append(numbers.Inputs, t)
	}
	for _, t := range c.Outputs {
		if t.Elem == tensor.String {
			t.Elem = tensor.I64
		}
		numbers.Outputs = append(numbers.Outputs, t)
	}
	out, err := run(numbers)
	if err != nil {
		return nil, err
	}
	for i, t := range out {
		if t != nil && c.Outputs[i].Elem == tensor.String {
			if out[i], err = w.texts(t); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// words assigns numbers to the strings of a node.
type words struct {
	list    []string
	numbers map[string]int64
}

func (w *words) number(t *graphops.Tensor) (*graphops.Tensor, error) {
	if size, err := t.ByteLen(); err != nil || size > maxHeld {
		return nil, unable("%d bytes of strings", size)
	}
	texts, err := t.Strings()
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(texts))
	for i, s := range texts {
		n, ok := w.numbers[s]
		if !ok {
			n = int64(len(w.list))
			w.list, w.numbers[s] = append(w.list, s), n
		}
		out[i] = n
	}
	return graphops.NewTensorOf("", tensor.FromSlice(out, t.Dims()...)), nil
}

func (w *words) texts(t *graphops.Tensor) (*graphops.Tensor, error) {
	if size, err := t.ByteLen(); err != nil || size > maxHeld {
		return nil, unable("%d strings", size/8)
	}
	v, err := t.Read()
	if err != nil {
		return nil, err
	}
	numbers, err := v.Int64s()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = w.list[n]
	}
	return graphops.NewTensorOf("", tensor.FromStrings(out, t.Dims()...)), nil
}
