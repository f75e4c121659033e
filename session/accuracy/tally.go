package accuracy

import (
	"fmt"

	"lathe/graphops/tensor"
)

// among is how many of the highest scores top-5 looks at.
const among = 5

// verdict is what a model says about a row.
type verdict struct {
	first, five bool // the label has the highest score, or one of the five highest
	tie         bool // another class has the same score as the label and decides about first
	unusable    bool // a score is NaN
}

// judged returns what scores say about a label. Of equal scores, the class with the lower number comes
// first, as in numpy.argmax. A row with a NaN is wrong.
func judged(scores []float64, label int64) verdict {
	mine := scores[label]
	before, higher, equal := 0, 0, 0
	for class, x := range scores {
		switch {
		case x != x:
			return verdict{unusable: true}
		case x > mine:
			higher++
			before++
		case x == mine && int64(class) != label:
			if equal++; int64(class) < label {
				before++
			}
		}
	}
	return verdict{first: before == 0, five: before < among, tie: higher == 0 && equal > 0}
}

// scoresOf are the scores of a case: rows of one number for each class, or the classes that the model
// chose itself.
type scoresOf struct {
	rows, classes int64 // classes is 0 if the model chose them
	values        []float64
	chosen        []int64
}

// read takes the scores from an output.
func read(t tensor.Tensor, chooses bool) (s scoresOf, err error) {
	if s.rows = 1; len(t.Shape) > 1 || chooses && len(t.Shape) == 1 {
		s.rows = t.Shape[0]
	}
	if chooses {
		s.chosen, err = t.Int64s()
		return s, err
	}
	if s.rows > 0 {
		s.classes = t.Len() / s.rows
	}
	s.values, err = t.Float64s()
	return s, err
}

// judge returns what a model says about each label. first is the number of rows before, for errors.
func (s scoresOf) judge(labels []int64, first int64) ([]verdict, error) {
	if s.rows != int64(len(labels)) {
		return nil, fmt.Errorf("%d rows of scores for %d labels", s.rows, len(labels))
	}
	out := make([]verdict, len(labels))
	for i, label := range labels {
		switch {
		case label < 0:
			return nil, fmt.Errorf("row %d has the label %d; classes are counted from 0", first+int64(i), label)
		case s.classes == 0:
			out[i].first = s.chosen[i] == label
		case label >= s.classes:
			return nil, fmt.Errorf("row %d has the label %d, and there are scores of the classes 0 to %d", first+int64(i), label, s.classes-1)
		default:
			out[i] = judged(s.values[int64(i)*s.classes:][:s.classes], label)
		}
	}
	return out, nil
}

// tally counts what a model says about all rows.
type tally struct{ rows, first, five, ties, unusable int64 }

func (t *tally) add(v verdict) {
	t.rows++
	for count, is := range map[*int64]bool{&t.first: v.first, &t.five: v.five, &t.ties: v.tie, &t.unusable: v.unusable} {
		if is {
			*count++
		}
	}
}
