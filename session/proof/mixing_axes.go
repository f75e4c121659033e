package proof

import (
	"slices"
	"strings"

	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

func dims(v shape.Visit, input int) []dim.Dim {
	if input >= len(v.In) || v.In[input] == nil {
		return nil
	}
	return v.In[input].Dims
}

func everywhere(v shape.Visit) []dim.Dim { return dims(v, 0) }

func first(v shape.Visit) []dim.Dim { return at(dims(v, 0), 0) }

func firstOfAll(v shape.Visit) []dim.Dim {
	var out []dim.Dim
	for i := range v.In {
		out = append(out, at(dims(v, i), 0)...)
	}
	return out
}

func second(v shape.Visit) []dim.Dim { return at(dims(v, 0), 1) }

// made returns the axes of an output whose elements are computed from their positions, such as the
// output of Range.
func made(v shape.Visit) []dim.Dim { return v.Out[0].Dims }

func ofMatrices(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -1), at(dims(v, 0), -2))
}

// ofAttention are the sequence axes of queries, keys and values.
func ofAttention(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -2), at(dims(v, 1), -2), at(dims(v, 2), -2))
}

// ofBatch are the axes over which statistics are computed, which happens only in training.
func ofBatch(v shape.Visit) []dim.Dim {
	if number(v, "training_mode", 0) == 0 {
		return nil
	}
	return slices.Concat(first(v), spatial(v))
}

func ofMeanVariance(v shape.Visit) []dim.Dim {
	a, ok := v.Attribute("axes")
	if !ok {
		return slices.Concat(first(v), spatial(v))
	}
	var out []dim.Dim
	for _, axis := range a.Ints() {
		out = append(out, at(dims(v, 0), axis)...)
	}
	return out
}

// summed are the axes whose letters are missing in the result of an Einsum. If the equation has an
// unusual form, these are all axes.
func summed(v shape.Visit) []dim.Dim {
	a, _ := v.Attribute("equation")
	if a == nil {
		return nil
	}
	from, to, plain := strings.Cut(strings.ReplaceAll(a.Text(), " ", ""), "->")
	var out []dim.Dim
	for i, term := range strings.Split(from, ",") {
		d := dims(v, i)
		if !plain || len(term) != len(d) || strings.Contains(term, ".") {
			out = append(out, d...)
			continue
		}
		for axis, letter := range term {
			if !strings.ContainsRune(to, letter) || strings.Count(term, string(letter)) > 1 {
				out = append(out, d[axis])
			}
		}
	}
	return out
}

func spatial(v shape.Visit) []dim.Dim {
	if d := dims(v, 0); len(d) > 2 {
		return d[2:]
	}
	return nil
}

// at returns an axis; a negative number counts from the end.
func at(d []dim.Dim, axis int64) []dim.Dim {
	if axis < 0 {
		axis += int64(len(d))
	}
	if axis < 0 || axis >= int64(len(d)) {
		return nil
	}
	return d[axis : axis+1]
}

func contracted(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -1), at(dims(v, 1), -2))
}

func ofGemm(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), 1-number(v, "transA", 0)), at(dims(v, 1), number(v, "transB", 0)))
}

func ofQLinearMatMul(v shape.Visit) []dim.Dim {
	return slices.Concat(at(dims(v, 0), -1), at(dims(v, 3), -2))
}

func number(v shape.Visit, name string, otherwise int64) int64 {
	if a, ok := v.Attribute(name); ok {
		return a.Int()
	}
	return otherwise
}

func alongAxis(otherwise int64) func(shape.Visit) []dim.Dim {
	return func(v shape.Visit) []dim.Dim { return at(dims(v, 0), number(v, "axis", otherwise)) }
}

// fromAxis returns an axis and all axes behind it.
func fromAxis(otherwise int64) func(shape.Visit) []dim.Dim {
	return func(v shape.Visit) []dim.Dim {
		d := dims(v, 0)
		axis := number(v, "axis", otherwise)
		if axis < 0 {
			axis += int64(len(d))
		}
		if axis < 0 || axis > int64(len(d)) {
			return nil
		}
		return d[axis:]
	}
}

// alongInput returns the axes that an input contains, or all if its value is not known.
func alongInput(input int) func(shape.Visit) []dim.Dim {
	return func(v shape.Visit) []dim.Dim { return named(v, input) }
}

func named(v shape.Visit, input int) []dim.Dim {
	if input >= len(v.In) || v.In[input] == nil {
		return nil
	}
	axes := v.In[input].Sizes()
	if axes == nil {
		return everywhere(v)
	}
	var out []dim.Dim
	for _, axis := range axes {
		if n, ok := axis.Number(); ok {
			out = append(out, at(dims(v, 0), n)...)
		}
	}
	return out
}

// reduced returns the axes of a reduction: those in its attribute or its input, or all.
func reduced(v shape.Visit) []dim.Dim {
	if a, ok := v.Attribute("axes"); ok {
		var out []dim.Dim
		for _, axis := range a.Ints() {
			out = append(out, at(dims(v, 0), axis)...)
		}
		return out
	}
	if len(v.In) > 1 && v.In[1] != nil {
		return named(v, 1)
	}
	if strings.HasPrefix(v.Node.OpType(), "Reduce") && number(v, "noop_with_empty_axes", 0) != 0 {
		return nil
	}
	return everywhere(v)
}
