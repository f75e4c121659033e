package torch

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/sides"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// unfree returns why a model is not accepted if one of its requested dynamic axes never worked: no
// case with a size other than the example's ran on both sides. Size 1 does not count, because it
// often works by broadcasting. It is "" if all axes worked.
func (j *torchJob) unfree(d torch.Description, axes []torch.DynamicAxis, r *sides.Report) string {
	for _, a := range axes {
		at := leafCalled(a.Path, d.Inputs, nil)
		if at < 0 || a.Axis >= len(d.Inputs[at].Shape) {
			continue
		}
		size := d.Inputs[at].Shape[a.Axis]
		others, ran := 0, false
		for _, one := range r.Cases {
			for _, in := range one.Inputs {
				if leafCalled(in.Name, d.Inputs, d.InputNames) == at && a.Axis < len(in.Shape) && in.Shape[a.Axis] != size && in.Shape[a.Axis] > 1 {
					others++
					ran = ran || len(one.Outputs) > 0
				}
			}
		}
		if ran || others == 0 {
			continue
		}
		line := fmt.Sprintf("axis %s:%d (%s) is not dynamic: of %s with another size than the example's %d, none runs", text.Clean(a.Path), a.Axis, text.Clean(a.Symbol), text.Plural(others, "case"), size)
		for _, f := range r.Findings {
			if strings.Contains(f.Case, a.Symbol+"=") {
				return line + "; " + f.String()
			}
		}
		return line
	}
	return ""
}

// fixedAxis returns the reason to refuse a model in which a requested dynamic axis has a fixed size. It
// returns "" if there is no such axis, or if --no-check is given.
func (j *torchJob) fixedAxis(b *torch.Bridge, m *graphops.Model) string {
	e, err := sides.EagerOf(b, m)
	if err != nil || j.step.NoValidate {
		return "" // validation reports what does not fit
	}
	for _, v := range m.Graph().FeedInputs() {
		for _, a := range j.dynamic {
			if shape := v.Type().Shape; a.Path == e.Paths[v.Name()] && a.Axis < len(shape) && shape[a.Axis].IsFixed() {
				return fmt.Sprintf("axis %s:%d (%s) is not dynamic: its size is %d in the exported model", text.Clean(a.Path), a.Axis, text.Clean(a.Symbol), shape[a.Axis].Value)
			}
		}
	}
	return ""
}

// notFree is the kind of failure of an axis that is not dynamic.
const notFree = "not-free"

// failsToFree returns the failure of an axis that is not dynamic although it was requested. Axes of
// other inputs that have the same size may have to be dynamic too, so it suggests those.
func (j *torchJob) failsToFree(d torch.Description, axes []torch.DynamicAxis, why string) failure.Failure {
	f := failure.Failure{Stage: "validate", Error: why, Entry: notFree, Meaning: "the model's code accepts only one size on an axis that should be dynamic"}
	if d.Kind == "program" {
		f.Meaning = "an exported program has the sizes that it was captured with"
		f.Next = []failure.Suggestion{{Kind: "code", Text: "name the axis where the program is captured: torch.export.export(..., dynamic_shapes=...)"}, {Kind: "code", Text: "leave that axis out of --dynamic, and export a model of that one size"}}
		return f
	}
	f.Next = append(f.Next, j.withSameSize(d, axes)...)
	for _, w := range j.traced {
		if failure.IsLoop(w.Code) {
			f.UserFrame = &failure.Frame{File: w.File, Line: w.Line.Line, Code: w.Code, User: w.User}
			f.Meaning, f.Next = "a Python loop over an axis that should be dynamic is unrolled to the length of the example", append(f.Next, failure.WithoutLoop()...)
			return f
		}
	}
	f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "take the size from the tensor, such as x.shape[0] or -1, wherever the code has the number"},
		failure.Suggestion{Kind: "code", Text: "leave that axis out of --dynamic, and export a model of that one size"})
	return f
}

// withSameSize suggests making axes of other inputs dynamic that have the same size in the example
// as one that should be dynamic.
func (j *torchJob) withSameSize(d torch.Description, axes []torch.DynamicAxis) []failure.Suggestion {
	free := func(path string, axis int) bool {
		return slices.ContainsFunc(axes, func(a torch.DynamicAxis) bool { return a.Path == path && a.Axis == axis })
	}
	flags := freeing(axes)
	for _, a := range axes {
		at := leafCalled(a.Path, d.Inputs, nil)
		if at < 0 || a.Axis >= len(d.Inputs[at].Shape) {
			continue
		}
		for _, l := range d.Inputs {
			if l.Path != a.Path && a.Axis < len(l.Shape) && l.Shape[a.Axis] == d.Inputs[at].Shape[a.Axis] && !free(l.Path, a.Axis) {
				flags = append(flags, "--dynamic", fmt.Sprintf("%s:%d=%s", l.Path, a.Axis, a.Symbol))
			}
		}
	}
	if len(flags) == 2*len(axes) {
		return nil
	}
	return []failure.Suggestion{{Kind: "flags", Text: "also make the axes dynamic that have the same size", Flags: flags}}
}

// freeing returns flags --dynamic for these axes.
func freeing(axes []torch.DynamicAxis) []string {
	var out []string
	for _, a := range axes {
		out = append(out, "--dynamic", fmt.Sprintf("%s:%d=%s", a.Path, a.Axis, a.Symbol))
	}
	return out
}

// settleAxes finds by name which axes belong to inputs and which to outputs. It returns an error
// for examples that are too small for a dynamic axis.
func (j *torchJob) settleAxes(d torch.Description) error {
	all, err := flags.DynamicAxes(j.step.Dynamic)
	if err != nil {
		return err
	}
	if len(j.step.InputNames) > len(d.Inputs) || len(j.step.OutputNames) > len(d.Outputs) && len(d.Outputs) > 0 {
		return session.UsageError(fmt.Sprintf("--input-name, --output-name: there are more names than the model has inputs, %s, or outputs, %d", sides.QuotedLeaves(d.Inputs), len(d.Outputs)))
	}
	j.dynamic, j.outputs = nil, nil
	for _, a := range all {
		switch at := leafCalled(a.Path, d.Inputs, d.InputNames); {
		case at >= 0:
			a.Path = d.Inputs[at].Path
			if a.Axis >= len(d.Inputs[at].Shape) {
				return session.UsageError(fmt.Sprintf("--dynamic %s:%d: the example has %d axes", a.Path, a.Axis, len(d.Inputs[at].Shape)))
			}
			j.dynamic = append(j.dynamic, a)
		case slices.Contains(d.OutputNames, a.Path):
			if at := slices.Index(d.OutputNames, a.Path); at < len(d.Outputs) && a.Axis >= len(d.Outputs[at].Shape) {
				return session.UsageError(fmt.Sprintf("--dynamic %s:%d: the output has %d axes", a.Path, a.Axis, len(d.Outputs[at].Shape)))
			}
			j.outputs = append(j.outputs, a)
		case len(below(a, d.Inputs)) > 0:
			j.dynamic = append(j.dynamic, below(a, d.Inputs)...)
		default:
			return session.UsageError(fmt.Sprintf("--dynamic %s:%d: no such input or output; inputs are %s, outputs %s", a.Path, a.Axis, sides.QuotedLeaves(d.Inputs), graphops.QuoteNames(d.OutputNames)))
		}
	}
	axes := j.dynamic
	if len(axes) == 0 {
		axes = d.Dynamic
	}
	return j.refuseSmall(axes, d)
}

// below returns an axis for each tensor of a container among the arguments, such as all keys and values
// of a cache.
func below(a torch.DynamicAxis, list []torch.Leaf) (out []torch.DynamicAxis) {
	for _, l := range list {
		if strings.HasPrefix(l.Path, a.Path+".") && a.Axis < len(l.Shape) {
			out = append(out, torch.DynamicAxis{Path: l.Path, Axis: a.Axis, Symbol: a.Symbol})
		}
	}
	return out
}

// refuseSmall returns an error if the size of a dynamic axis in the example is 0 or 1.
func (j *torchJob) refuseSmall(axes []torch.DynamicAxis, d torch.Description) error {
	for _, a := range axes {
		at := leafCalled(a.Path, d.Inputs, nil)
		if at < 0 || a.Axis >= len(d.Inputs[at].Shape) {
			continue
		}
		leaf := d.Inputs[at]
		if n := leaf.Shape[a.Axis]; n < 2 {
			shape := graphops.FixedShape(slices.Clone(leaf.Shape))
			shape[a.Axis] = graphops.FixedDim(2)
			return session.UsageError(fmt.Sprintf(
				"--dynamic %s:%d: the example has size %d there, and PyTorch treats 0 and 1 as constants, so the axis would not be dynamic; give an example of at least 2: --input %s=%s",
				a.Path, a.Axis, n, a.Path, graphops.Type{Kind: graphops.TypeTensor, Elem: elemOf(leaf), Shape: shape}.Declaration()))
		}
	}
	return nil
}

// leafCalled returns the position of a tensor by its path or by its requested name, or -1.
func leafCalled(name string, list []torch.Leaf, names []string) int {
	if at := slices.Index(names, name); at >= 0 && at < len(list) {
		return at
	}
	return slices.IndexFunc(list, func(l torch.Leaf) bool { return l.Path == name || strings.ReplaceAll(l.Path, ".", "_") == name })
}
