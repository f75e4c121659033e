package picture

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
)

// loss counts the normalized pixels that an integer type cannot represent.
type loss struct {
	dtype               tensor.DType
	rounded, cut, total int
}

// lossOf compares numbers with the tensor that was made from them. A number outside of the type's
// range became the nearest end of the range. Any other number was rounded to an integer.
func lossOf(values []float64, t tensor.Tensor) (loss, error) {
	stored, err := t.Float64s()
	if err != nil {
		return loss{}, err
	}
	l := loss{dtype: t.DType, total: len(values)}
	for i, x := range values {
		switch off := math.Abs(x - stored[i]); {
		case off > 0.5 || math.IsNaN(x):
			l.cut++
		case off > 0:
			l.rounded++
		}
	}
	return l, nil
}

// String returns the loss in words, to be appended to the description of a conversion. It is empty
// if nothing is lost.
func (l loss) String() string {
	s := ""
	if l.rounded > 0 {
		s += fmt.Sprintf(", %d of %d values rounded to %s", l.rounded, l.total, l.dtype)
	}
	if l.cut > 0 {
		s += fmt.Sprintf(", %d of %d values cut to the range of %s", l.cut, l.total, l.dtype)
	}
	return s
}
