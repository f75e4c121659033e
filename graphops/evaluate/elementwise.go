package evaluate

import (
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// elementwise has the operators that compute each element of the output from the elements of the
// inputs at the same position.
var elementwise = map[string]operator{
	"Add": numbers(7, tensor.Add), "Sub": numbers(7, tensor.Sub), "Mul": numbers(7, tensor.Mul), "Div": numbers(7, tensor.Div),
	"Min": numbers(8, tensor.Least), "Max": numbers(8, tensor.Most),
	"Neg": numbers(6, tensor.Neg), "Abs": numbers(6, tensor.Abs), "Sqrt": numbers(6, tensor.Sqrt),
	"Floor": numbers(6, tensor.Floor), "Ceil": numbers(6, tensor.Ceil), "Round": numbers(11, tensor.Round),
	"Reciprocal": numbers(6, tensor.Recip),
	"Mod":        {10, mod, false},
	"BitwiseAnd": integers(tensor.BitAnd), "BitwiseOr": integers(tensor.BitOr), "BitwiseXor": integers(tensor.BitXor),
	"BitwiseNot": integers(tensor.BitNot),
	"And":        logic(7, tensor.BitAnd), "Or": logic(7, tensor.BitOr), "Xor": logic(7, tensor.BitXor), "Not": logic(1, tensor.Not),
	"Equal": relation(7, tensor.Equal), "Less": relation(7, tensor.Less), "Greater": relation(7, tensor.Greater),
	"LessOrEqual": relation(12, tensor.LessOrEqual), "GreaterOrEqual": relation(12, tensor.GreaterOrEqual),
	"Where":    {9, where, true},
	"Cast":     {6, cast, false},
	"CastLike": {15, castLike, false},
}

// numbers returns an operator whose inputs are all of the same type, integers or floats of more
// than 16 bits. integers returns one whose inputs are integers of the same type.
func numbers(since int64, op tensor.Arithmetic) operator {
	return arithmetic(since, op, func(d tensor.DType) bool {
		return d != tensor.Bool && (d.Kind() != tensor.KindFloat || d.Bits() > 16)
	})
}

func integers(op tensor.Arithmetic) operator {
	return arithmetic(18, op, func(d tensor.DType) bool { return d != tensor.Bool })
}

func logic(since int64, op tensor.Arithmetic) operator {
	return arithmetic(since, op, func(d tensor.DType) bool { return d == tensor.Bool })
}

func arithmetic(since int64, op tensor.Arithmetic, takes func(d tensor.DType) bool) operator {
	return operator{since, func(c *call) ([]*graphops.Tensor, error) {
		from, dims, err := c.repeated()
		if err != nil {
			return nil, err
		}
		for _, s := range from {
			if d := s.DType; d != from[0].DType || !takes(d) || !op.Takes(d) {
				return nil, unable("elements of type %s", d)
			}
		}
		if len(from) == 1 && (c.Op == "Min" || c.Op == "Max") {
			return view(c)
		}
		return c.one(from[0].DType, dims, func(w io.Writer) error { return op.Compute(w, dims, from...) })
	}, false}
}

func relation(since int64, r tensor.Relation) operator {
	return operator{since, func(c *call) ([]*graphops.Tensor, error) {
		from, dims, err := c.repeated()
		if err != nil {
			return nil, err
		}
		if len(from) != 2 || from[0].DType != from[1].DType {
			return nil, unable("%d inputs, or inputs of several types", len(from))
		}
		return c.one(tensor.Bool, dims, func(w io.Writer) error { return r.Compare(w, dims, from[0], from[1]) })
	}, false}
}

// repeated returns all inputs, and the shape that results from broadcasting them.
func (c *call) repeated() ([]tensor.Stored, []int64, error) {
	var from []tensor.Stored
	var dims []int64
	for i := range c.Inputs {
		s, err := c.stored(i)
		if err != nil {
			return nil, nil, err
		}
		from = append(from, s)
		together, ok := broadcast(dims, s.Shape)
		if !ok {
			return nil, nil, unable("shapes %s and %s, which cannot be broadcast", tensor.FormatShape(dims), tensor.FormatShape(s.Shape))
		}
		dims = together
	}
	if len(from) == 0 {
		return nil, nil, unable("no inputs")
	}
	return from, dims, nil
}

// broadcast returns the shape that results from broadcasting two shapes. The bool is false if that
// is not possible.
func broadcast(a, b []int64) ([]int64, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]int64{}, a...)
	for i, d := range b {
		at := len(a) - len(b) + i
		switch {
		case out[at] == 1:
			out[at] = d
		case d != 1 && d != out[at]:
			return a, false
		}
	}
	return out, true
}

func mod(c *call) ([]*graphops.Tensor, error) {
	op := tensor.Mod
	if c.int("fmod", 0) != 0 {
		op = tensor.Rem
	}
	return numbers(0, op).run(c)
}

func where(c *call) ([]*graphops.Tensor, error) {
	from, dims, err := c.repeated()
	if err != nil {
		return nil, err
	}
	if len(from) != 3 || from[0].DType != tensor.Bool || from[1].DType != from[2].DType {
		return nil, unable("%d inputs", len(from))
	}
	return c.one(from[1].DType, dims, func(w io.Writer) error { return tensor.Choose(w, dims, from[0], from[1], from[2]) })
}

func cast(c *call) ([]*graphops.Tensor, error) { return c.castTo(tensor.DType(c.int("to", 0))) }

func castLike(c *call) ([]*graphops.Tensor, error) {
	like, err := c.in(1)
	if err != nil {
		return nil, err
	}
	return c.castTo(like.DType())
}

func (c *call) castTo(to tensor.DType) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	if !tensor.Castable(from.DType, to) {
		return nil, unable("elements of type %s cast to %s", from.DType, to)
	}
	if from.DType == to {
		return view(c)
	}
	return c.one(to, from.Shape, func(w io.Writer) error { return tensor.Cast(w, to, from) })
}
