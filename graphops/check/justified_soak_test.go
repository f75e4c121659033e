//go:build cgo && soak

package check_test

import (
	"context"
	"errors"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/execution"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
	"lathe/session/ort/fault"
	"lathe/session/sizing"
)

// disagreement is how the answers of check and ONNX Runtime about a model differ.
type disagreement int

const (
	agrees     disagreement = iota
	falseAlarm              // check reports an error, and the model runs
	failsToLoad
	failsToRun // on generated inputs
)

func (d disagreement) String() string {
	return [...]string{"agree", "error of what runs", "silent of what does not load", "silent of what fails on generated inputs"}[d]
}

func (a answers) disagreement() disagreement {
	switch isError := errorsOf(a.problems) != ""; {
	case isError == (a.End != crashtest.Fine):
		return agrees
	case isError:
		return falseAlarm
	case a.Phase == ort.Loading:
		return failsToLoad
	default:
		return failsToRun
	}
}

// justification is a kind of disagreement in which check is right, or must not guess.
// docs/decisions/check-and-runtime.md gives the reasons.
type justification struct {
	name  string
	of    []disagreement
	holds func(*trial, answers) bool
}

// justifications are in the order in which they are tried. Those that run the model again
// come last.
var justifications = []justification{
	{"the runtime crashes", []disagreement{failsToLoad, failsToRun}, func(_ *trial, a answers) bool { return a.End == crashtest.Crash }},
	{"the run takes too long", []disagreement{failsToRun}, func(_ *trial, a answers) bool { return a.End == crashtest.Timeout }},
	{"the memory of the test is not enough", []disagreement{failsToLoad, failsToRun}, says("Failed to allocate memory", "bad_alloc", "vector::reserve")},
	{"a size beyond 64 bits", []disagreement{failsToLoad, failsToRun}, says("overflow")},
	{"no inputs of that size can be made", []disagreement{failsToRun}, isNeverFed},
	{"a custom operator", []disagreement{failsToLoad}, warns("operator-custom")},
	{"text that is not a number", []disagreement{failsToRun}, says("stod", "stoull", "stoll", "stof")},
	{"a position in a sequence", []disagreement{failsToRun}, says("Invalid sequence index")},
	{"operands of a com.microsoft operator", []disagreement{failsToLoad, failsToRun}, isMicrosoft},
	{"Transposes that may undo each other", []disagreement{failsToLoad}, warns("shape-contradiction")},
	{"the optimizer breaks the model", []disagreement{failsToLoad, failsToRun}, func(tr *trial, a answers) bool {
		return tr.answer(a.source, a.model, ort.OptimizeDisable).End == crashtest.Fine
	}},
	{"only other inputs run", []disagreement{failsToRun}, (*trial).runsOtherwise},
	{"check warns that it may fail", []disagreement{failsToRun}, warns("run-fails", "shape-contradiction", "attribute-value")},
	{"check warns that one size alone runs", []disagreement{failsToRun}, warns("axis-pinned")},
	{"a damaged constant that is not read", []disagreement{falseAlarm}, isDamaged},
	{"the optimizer removes the node", []disagreement{falseAlarm}, func(tr *trial, a answers) bool {
		return tr.answer(a.source, a.model, ort.OptimizeDisable).End != crashtest.Fine
	}},
}

// justification returns the name of the first justification that holds, or "".
func (tr *trial) justification(d disagreement, a answers) string {
	for _, j := range justifications {
		if slices.Contains(j.of, d) && j.holds(tr, a) {
			return j.name
		}
	}
	return ""
}

// said is the message of the runtime, or "" if the error comes from somewhere else.
func (a answers) said() string {
	var e *ort.Error
	if errors.As(a.Err, &e) {
		return e.Message
	}
	return ""
}

// says makes a condition of words that the runtime uses.
func says(words ...string) func(*trial, answers) bool {
	return func(_ *trial, a answers) bool {
		return slices.ContainsFunc(words, func(text string) bool { return strings.Contains(a.said(), text) })
	}
}

// warns makes a condition of what check says about nodes, short of errors.
func warns(codes ...string) func(*trial, answers) bool {
	return func(_ *trial, a answers) bool {
		return slices.ContainsFunc(a.problems, func(p check.Problem) bool {
			return p.Severity != check.Error && p.Place != nil && slices.Contains(codes, p.Code)
		})
	}
}

// isDamaged reports whether every error is about the elements of a stored tensor.
func isDamaged(_ *trial, a answers) bool {
	return !slices.ContainsFunc(a.problems, func(p check.Problem) bool {
		return p.Severity == check.Error && p.Code != "tensor-elements"
	})
}

// isMicrosoft reports whether the node that the runtime names is one of its own operators.
func isMicrosoft(_ *trial, a answers) bool {
	op := fault.Parse(0, a.said()).Node.Op
	return slices.ContainsFunc(a.model.Places(), func(p *graphops.Place) bool {
		return slices.ContainsFunc(p.Graph.Nodes(), func(n *graphops.Node) bool {
			return n.Domain() == graphops.MicrosoftDomain && n.OpType() == op
		})
	})
}

// isNeverFed reports whether the inputs are larger than the test makes them.
func isNeverFed(_ *trial, a answers) bool {
	return a.Phase == ort.Running && a.said() == "" && a.End == crashtest.Refused
}

// runsOtherwise reports whether the model runs on recorded inputs, or on generated inputs
// of other sizes and values.
func (tr *trial) runsOtherwise(a answers) bool {
	types := graphops.NamedTypes(a.model.Graph().FeedInputs())
	runs := func(feeds graphops.Feeds) bool {
		return tr.Attempt(a.source, ort.OptimizeDefault, func(loaded *ort.Session) error {
			return loaded.Run(context.Background(), feeds, nil, func(execution.Got) error { return nil })
		}).End == crashtest.Fine
	}
	if a.data != "" {
		if cases, err := inputs.ReadCases(a.data, types, inputs.FileOptions{}); err == nil && len(cases.Cases) > 0 {
			return runs(cases.Cases[0].Feeds)
		}
	}
	return slices.ContainsFunc(otherInputs(types), func(o inputs.Options) bool {
		o.MaxBytes, o.Model = 64<<20, a.model
		made, err := inputs.Generate(types, o)
		return err == nil && runs(made.Feeds)
	})
}

// otherInputs are ways to generate inputs that differ from the default in sizes or values.
func otherInputs(types []graphops.NamedType) (list []inputs.Options) {
	for seed := range uint64(4) {
		list = append(list, inputs.Options{Seed: seed + 1}, inputs.Options{Seed: seed + 1, Signed: true})
	}
	for _, rule := range []string{"zeros", "ones"} {
		fill, _ := inputs.ParseFill(rule)
		each := map[string]inputs.Fill{}
		for _, in := range types {
			each[in.Name] = fill
		}
		list = append(list, inputs.Options{Fill: fill, Each: each})
	}
	for _, sizes := range [][3]int64{{2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 5, 5}, {8, 8, 8}, {1, 1, 64}, {1, 3, 64}, {1, 3, 224}, {1, 4096, 4096}} {
		list = append(list, inputs.Options{Dims: freeSizes(types, sizes)})
	}
	return list
}

// freeSizes sets the first, the second and all further free axes of every input. The
// second axis of an input of rank 2 counts as a further one.
func freeSizes(types []graphops.NamedType, sizes [3]int64) map[string]int64 {
	dims := map[string]int64{}
	for _, in := range types {
		for axis, d := range in.Type.Shape {
			if d.IsFixed() {
				continue
			}
			n := sizes[min(axis, 2)]
			if axis == 1 && len(in.Type.Shape) == 2 {
				n = sizes[2]
			}
			dims[sizing.Name(in.Name, axis, d)] = n
		}
	}
	return dims
}
