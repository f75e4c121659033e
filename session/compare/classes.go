package compare

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// labels has the number of classes that the labels of all cases show.
type labels struct {
	classes int64 // 0 if there are no labels
	settled bool
}

func newLabels(cases []inputs.Case) labels {
	var l labels
	for _, c := range cases {
		l.classes = max(l.classes, c.Classes)
		for _, label := range c.Labels {
			if label < 0 { // some data sets use it for "no label"; accuracy cannot be computed then
				return labels{}
			}
			l.classes = max(l.classes, label+1)
		}
	}
	return l
}

// settle corrects the number of classes. The labels may not contain every class. So if no output
// has exactly as many scores in a row as there are classes, but exactly one two-dimensional output
// has more, its number of scores becomes the number of classes. If no output fits, settle returns
// what is wrong; otherwise it returns "".
func (l *labels) settle(outputs []graphops.Got) string {
	if l.settled || l.classes == 0 {
		return ""
	}
	l.settled = true
	more := map[int64]int{}
	for _, o := range outputs {
		t := o.Value.Tensor
		if !o.Value.IsTensor() || !hasClasses(t) {
			continue
		}
		last := t.Shape[len(t.Shape)-1]
		if last == l.classes {
			return ""
		}
		if len(t.Shape) == 2 && last > l.classes {
			more[last]++
		}
	}
	if len(more) == 1 {
		for last, outputs := range more {
			if outputs == 1 {
				l.classes = last
				return ""
			}
		}
	}
	return fmt.Sprintf("the labels have %d classes, and no output scores that many: accuracy is not measured", l.classes)
}

// areClasses reports whether the last axis has one element for each class.
func (l labels) areClasses(t tensor.Tensor) bool {
	return l.classes > 0 && hasClasses(t) && t.Shape[len(t.Shape)-1] == l.classes
}

// hasClasses reports whether the last axis of a tensor could contain scores of classes.
func hasClasses(t tensor.Tensor) bool {
	return t.DType.Kind() == tensor.KindFloat && len(t.Shape) > 0 && t.Shape[len(t.Shape)-1] > 1
}

// scoresClasses reports whether the last axis of an output contains scores of classes. The labels,
// the output's name, or a Softmax in the graph can show that. A Softmax with four axes does not
// count, since it computes attention weights.
func (c *comparison) scoresClasses(output string, t tensor.Tensor) bool {
	fact, _ := factOf(c.o.Facts, output)
	return c.labels.areClasses(t) || hasClasses(t) && (NamedLikeClasses(output) || fact.Classes && len(t.Shape) <= 3)
}

// NamedLikeClasses reports whether a name suggests scores of classes.
func NamedLikeClasses(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"logit", "prob", "softmax", "score", "class"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// Accuracy is, for each side, the fraction of rows in which the class with the highest score is the
// label.
type Accuracy struct {
	Output string        `json:"output"`
	Rows   int64         `json:"rows"`
	A      tensor.Number `json:"a"` // fraction of rows
	B      tensor.Number `json:"b"`

	correctA, correctB int64
}

// score counts the rows of one case in which each side gives the highest score to the label.
func (c *comparison) score(p *Pair, labels []int64, a, b graphops.Got) {
	if !c.labels.areClasses(a.Value.Tensor) {
		return
	}
	correctA, errA := tensor.Correct(a.Value.Tensor, labels)
	correctB, errB := tensor.Correct(b.Value.Tensor, labels)
	if errA != nil || errB != nil {
		return // the scores are not per row, for example per pixel
	}
	acc := c.accuracyOf(p.A)
	acc.Rows += int64(len(labels))
	acc.correctA += correctA
	acc.correctB += correctB
	acc.A = tensor.Number(float64(acc.correctA) / float64(acc.Rows))
	acc.B = tensor.Number(float64(acc.correctB) / float64(acc.Rows))
}

func (c *comparison) accuracyOf(output string) *Accuracy {
	for i := range c.report.Accuracy {
		if c.report.Accuracy[i].Output == output {
			return &c.report.Accuracy[i]
		}
	}
	c.report.Accuracy = append(c.report.Accuracy, Accuracy{Output: output})
	return &c.report.Accuracy[len(c.report.Accuracy)-1]
}
