package accuracy

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
)

// output is the output in which a model says which class a row has.
type output struct {
	name    string
	chooses bool // it has the number of a class for each row, and no scores
}

// find finds the output among those of a run. asked is the name that the user gave, or "". The note says
// why one of several was taken.
func find(got []graphops.Got, asked string) (o output, note string, err error) {
	names := make([]string, len(got))
	var scores, choices, named []string
	for i, g := range got {
		names[i] = g.Name
		if g.Name == asked || asked == "" {
			switch {
			case hasScores(g):
				if scores = append(scores, g.Name); compare.NamedLikeClasses(g.Name) {
					named = append(named, g.Name)
				}
			case hasChoices(g):
				choices = append(choices, g.Name)
			}
		}
	}
	others := func() string {
		return fmt.Sprintf("its outputs are %s; --output NAME states which one has the scores", graphops.QuoteNames(names))
	}
	switch {
	case asked != "" && !slices.Contains(names, asked):
		return o, "", fmt.Errorf("has no output %q; its outputs are %s", asked, graphops.QuoteNames(names))
	case asked != "" && len(scores)+len(choices) == 0:
		return o, "", fmt.Errorf("output %q is %s; expected a score for each class in each row, or the number of a class", asked, describe(got[slices.Index(names, asked)]))
	case len(scores) == 1:
		return output{name: scores[0]}, "", nil
	case len(scores) == 0 && len(choices) == 1:
		return output{choices[0], true}, "", nil
	case len(named) == 1:
		return output{name: named[0]}, fmt.Sprintf("of the outputs %s, %q is taken for the scores because of its name", graphops.QuoteNames(scores), named[0]), nil
	case len(scores)+len(choices) == 0:
		return o, "", fmt.Errorf("no output has a score for each class in each row; %s", others())
	}
	return o, "", fmt.Errorf("several outputs can have the scores of classes; %s", others())
}

func describe(g graphops.Got) string {
	if !g.Value.IsTensor() {
		return g.Value.Type.String()
	}
	return g.Value.Tensor.DType.String() + " " + tensor.FormatShape(g.Value.Tensor.Shape)
}

// hasScores reports whether an output has several numbers for each row, along one axis.
func hasScores(g graphops.Got) bool {
	t := g.Value.Tensor
	if !g.Value.IsTensor() || t.DType.Kind() != tensor.KindFloat || len(t.Shape) == 0 {
		return false
	}
	several := 0
	for _, n := range t.Shape[min(1, len(t.Shape)-1):] {
		if n > 1 {
			several++
		}
	}
	return several == 1
}

// hasChoices reports whether an output has one integer for each row.
func hasChoices(g graphops.Got) bool {
	t := g.Value.Tensor
	kind := t.DType.Kind()
	return g.Value.IsTensor() && (kind == tensor.KindSigned || kind == tensor.KindUnsigned) &&
		(len(t.Shape) == 1 || len(t.Shape) > 1 && t.Shape[0] == t.Len())
}

// in returns the output among those of a run.
func (o output) in(got []graphops.Got) (tensor.Tensor, error) {
	at := slices.IndexFunc(got, func(g graphops.Got) bool { return g.Name == o.name })
	if at < 0 {
		return tensor.Tensor{}, fmt.Errorf("the run returned no output %q", o.name)
	}
	if o.chooses && !hasChoices(got[at]) || !o.chooses && !hasScores(got[at]) {
		return tensor.Tensor{}, fmt.Errorf("output %q is %s, unlike in the first run", o.name, describe(got[at]))
	}
	return got[at].Value.Tensor, nil
}
