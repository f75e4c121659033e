package sides

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/text"
	"lathe/session/torch"
)

// lost reports arguments of the PyTorch model for which the exported model has no input: tracing
// turns a number that the code reads into a constant. It tries with another value whether PyTorch's
// results depend on the argument. If PyTorch fails with that value, they depend on it too.
func (e *Eager) lost(ctx context.Context, example map[string]tensor.Tensor) ([]compare.Finding, error) {
	d := e.bridge.Description
	kept := map[string]bool{}
	for _, path := range e.Paths {
		kept[path] = true
	}
	if len(d.Inputs) == 0 && len(d.Constants) > 0 {
		return []compare.Finding{{Side: "b", Reason: "the model has no inputs: all arguments of the PyTorch model became constants", Decisive: true}}, nil
	}
	var out []compare.Finding
	for _, l := range d.Inputs {
		if kept[l.Path] {
			continue
		}
		depends, err := e.dependsOn(ctx, l, example[l.Path])
		if err != nil {
			return nil, err
		}
		reason := fmt.Sprintf("the PyTorch model takes %q, and this one has no such input; PyTorch's results do not depend on it", text.Clean(l.Path))
		if depends {
			reason = fmt.Sprintf("the PyTorch model takes %q, and this one has no such input: its value in the example was made a constant, and PyTorch's results depend on it", text.Clean(l.Path))
		}
		out = append(out, compare.Finding{Side: "b", Reason: reason, Decisive: depends})
	}
	return out, nil
}

// dependsOn reports whether the results change with an argument, if all others are those of the
// example.
func (e *Eager) dependsOn(ctx context.Context, l torch.Leaf, is tensor.Tensor) (bool, error) {
	base, err := e.bridge.Run(ctx, graphops.Feeds{})
	if err != nil {
		return false, err
	}
	for _, change := range []func(float64) float64{func(x float64) float64 { return x + 1 }, func(x float64) float64 { return max(x-1, 0) }} {
		other, ok := Changed(is, change)
		if !ok {
			continue
		}
		got, err := e.bridge.Run(ctx, graphops.Feeds{l.Path: graphops.TensorValue(other)})
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil || !slices.EqualFunc(base, got, sameBits) {
			return true, nil
		}
	}
	return false, nil
}

func sameBits(a, b graphops.Got) bool {
	x, y := a.Value.Tensor, b.Value.Tensor
	return a.Name == b.Name && slices.Equal(x.Shape, y.Shape) && slices.Equal(x.Data, y.Data)
}

// Changed returns a tensor in which every number is different and every boolean is inverted. It
// returns false if that is not possible.
func Changed(t tensor.Tensor, change func(float64) float64) (tensor.Tensor, bool) {
	whole := t
	t = torch.AsReal(graphops.TensorValue(t)).Tensor
	list, err := t.Float64s()
	if err != nil || len(list) == 0 {
		return t, false
	}
	for i, x := range list {
		if list[i] = change(x); t.DType == tensor.Bool {
			list[i] = 1 - x
		}
	}
	out := tensor.Tensor{DType: whole.DType, Shape: whole.Shape, Data: make([]byte, len(t.Data))}
	return out, tensor.EncodeFloat64(out.Data, t.DType, list) == nil
}

// resizedSymbols limits the number of dynamic axes for which the example is resized.
const resizedSymbols = 4

// resized returns the example in other sizes of each dynamic axis: twice as large, for code that
// needs a multiple, and larger by one. So axes that do not work with any other size are found.
func (e *Eager) resized(m *graphops.Model, example inputs.Case) []inputs.Case {
	axes := map[string]map[string]int{} // by symbol, then by input
	var order []string
	for _, v := range m.Graph().FeedInputs() {
		for axis, d := range v.Type().Shape {
			if d.Symbol == "" || isSum(d) {
				continue
			}
			if axes[d.Symbol] == nil {
				axes[d.Symbol] = map[string]int{}
				order = append(order, d.Symbol)
			}
			axes[d.Symbol][v.Name()] = axis
		}
	}
	var out []inputs.Case
	for _, symbol := range order[:min(len(order), resizedSymbols)] {
		for _, size := range []func(int64) int64{func(n int64) int64 { return 2 * n }, func(n int64) int64 { return n + 1 }} {
			out = append(out, fitted(m, ResizedBy(example, symbol, axes[symbol], size)))
		}
	}
	return out
}

// isSum reports whether a size is computed from others, such as that of a mask over past and new
// positions.
func isSum(d graphops.Dim) bool {
	own := true
	dim.OfText(d.Symbol).Symbols(func(name string) { own = own && name == d.Symbol })
	return !own
}

// fitted returns a case in which sizes that are computed from others have their value.
func fitted(m *graphops.Model, c inputs.Case) inputs.Case {
	sizes := map[string]int64{}
	each := func(f func(name string, t tensor.Tensor, axis int, d graphops.Dim)) {
		for _, v := range m.Graph().FeedInputs() {
			for axis, d := range v.Type().Shape {
				if t := c.Feeds[v.Name()].Tensor; d.Symbol != "" && axis < len(t.Shape) {
					f(v.Name(), t, axis, d)
				}
			}
		}
	}
	each(func(_ string, t tensor.Tensor, axis int, d graphops.Dim) {
		if !isSum(d) {
			sizes[d.Symbol] = t.Shape[axis]
		}
	})
	each(func(name string, t tensor.Tensor, axis int, d graphops.Dim) {
		n, err := dim.OfText(d.Symbol).Eval(func(symbol string) (int64, bool) { n, ok := sizes[symbol]; return n, ok })
		if isSum(d) && err == nil && n > 0 && n != t.Shape[axis] && t.Shape[axis] > 0 {
			c.Feeds[name] = graphops.TensorValue(cycled(t, axis, n))
		}
	})
	for i, f := range c.Fed {
		c.Fed[i].Shape = graphops.FixedShape(c.Feeds[f.Name].Tensor.Shape)
	}
	return c
}

// ResizedBy returns a case in which an axis of some inputs has another size. The elements are
// repeated.
func ResizedBy(from inputs.Case, symbol string, axes map[string]int, size func(int64) int64) inputs.Case {
	out := inputs.Case{Feeds: graphops.Feeds{}, Family: inputs.Sizes}
	for name, v := range from.Feeds {
		axis, is := axes[name]
		if is && v.IsTensor() && axis < len(v.Tensor.Shape) && v.Tensor.Shape[axis] > 0 {
			n := size(v.Tensor.Shape[axis])
			out.Name = fmt.Sprintf("%s, %s=%d", from.Name, symbol, n)
			v = graphops.TensorValue(cycled(v.Tensor, axis, n))
		}
		out.Feeds[name] = v
	}
	for _, f := range from.Fed {
		f.Shape, f.What = graphops.FixedShape(out.Feeds[f.Name].Tensor.Shape), "as in PyTorch, started again"
		out.Fed = append(out.Fed, f)
	}
	return out
}

// cycled returns a tensor with n elements along an axis, by repeating its elements.
func cycled(t tensor.Tensor, axis int, n int64) tensor.Tensor {
	had, outer := t.Shape[axis], int64(1)
	for _, d := range t.Shape[:axis] {
		outer *= d
	}
	block := int64(len(t.Data)) / max(outer*had, 1)
	out := tensor.Tensor{DType: t.DType, Shape: slices.Clone(t.Shape)}
	out.Shape[axis] = n
	for o := range outer {
		for i := range n {
			at := (o*had + i%had) * block
			out.Data = append(out.Data, t.Data[at:at+block]...)
		}
	}
	return out
}
