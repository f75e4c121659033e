package compare

import (
	"context"
	"errors"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/session/inputs"
)

// Expected is an executor that looks up the expected outputs of a case. It runs nothing.
type Expected struct {
	From    string               // source of the cases, for reports
	Outputs []graphops.NamedType // outputs of the judged model
}

var (
	_ Truth  = Expected{}
	_ ByCase = Expected{}
)

// errNothingExpected is the error of a case without expected outputs.
var errNothingExpected = errors.New("the data has no expected outputs of this case")

// Name implements Executor.
func (e Expected) Name() string { return "expected outputs of " + e.From }

// Word implements Truth.
func (Expected) Word() string { return "expected" }

// Run implements Executor. It always fails: the expected outputs belong to a case, so RunCase must
// be called.
func (Expected) Run(context.Context, graphops.Feeds) ([]execution.Got, error) {
	return nil, errNothingExpected
}

// RunCase implements ByCase. The outputs are in the model's order.
func (e Expected) RunCase(_ context.Context, one inputs.Case) ([]execution.Got, error) {
	var out []execution.Got
	for _, t := range e.Outputs {
		if v, ok := one.Expected[t.Name]; ok {
			out = append(out, execution.Got{Name: t.Name, Value: v})
		}
	}
	if len(out) == 0 {
		return nil, errNothingExpected
	}
	return out, nil
}
