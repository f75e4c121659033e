package steps

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// takeItSo is the suggestion to take a model whatever it computes.
func takeItSo(why string) failure.Suggestion {
	return failure.Suggestion{Kind: "flags", Text: why, Flags: []string{"--no-validate"}}
}

// judged is why a model that was exported is not taken: what it computes differs from PyTorch, or
// cannot be told from it.
func (j *torchJob) judged(r *ValidateReport) failure.Failure {
	f := failure.Failure{Stage: "validate", Error: r.Verdict, Entry: "differs", Meaning: "what was exported does not compute what PyTorch does"}
	if r.Undecided {
		f.Entry, f.Meaning = "undecided", "there is nothing to judge by what was exported"
	}
	for _, w := range j.warned {
		if w.Category == "TracerWarning" {
			f.UserFrame = frameAt(w.At)
			f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "choose by torch.where or torch.cond at " + text.Clean(w.At) + ", of which tracing made a constant"})
			break
		}
	}
	for _, held := range j.ranges {
		if f.UserFrame == nil && held.File != "" {
			f.UserFrame = &failure.Frame{File: held.File, Line: held.Line, Code: held.Code, User: true}
		}
		f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: fmt.Sprintf("have the code be the same for all sizes: %s:%d can have sizes %s alone", text.Clean(held.Path), held.Axis, sizesOf(held))})
	}
	if strings.Contains(r.Verdict, "drawn at random") {
		f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "give what is drawn as an input, and a dropout training=self.training"})
	}
	if kept := keptBetween(j.report.Target); kept != "" {
		f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "forward keeps " + kept + " from one call to the next, which a model cannot: give it as an input and an output"})
	}
	f.Next = append(f.Next, takeItSo("take it nevertheless"))
	f.Around = failure.Around(f.UserFrame)
	return f
}

// frameAt reads FILE:LINE.
func frameAt(at string) *failure.Frame {
	i := strings.LastIndexByte(at, ':')
	line, err := strconv.Atoi(at[i+1:])
	if i <= 0 || err != nil {
		return nil
	}
	f := &failure.Frame{File: at[:i], Line: line, User: true}
	f.Code = failure.LineOf(f.File, line)
	return f
}

// keptBetween are the attributes that forward leaves changed, in words.
func keptBetween(d torch.Description) string {
	var kept []string
	for _, name := range d.Changes {
		if strings.HasPrefix(name, "self.") {
			kept = append(kept, text.Clean(name))
		}
	}
	return strings.Join(kept, ", ")
}

// unfree is why a model is not taken whose axis was asked to be free and was never seen to be: no
// case of another size than the example's ran on both sides, and 1 is none, which goes with any
// other. "" where all were.
func (j *torchJob) unfree(d torch.Description, axes []torch.DynamicAxis, r *ValidateReport) string {
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
		line := fmt.Sprintf("axis %s:%d (%s) is not free: of %s with another size than the example's %d none runs", text.Clean(a.Path), a.Axis, text.Clean(a.Symbol), text.Plural(others, "case"), size)
		for _, f := range r.Findings {
			if strings.Contains(f.Case, a.Symbol+"=") {
				return line + "; " + f.String()
			}
		}
		return line
	}
	return ""
}

// notFree is the entry of an axis that is not free.
const notFree = "not-free"

// failsToFree is that failure. Other inputs that are as long there may have to be free with it.
func (j *torchJob) failsToFree(d torch.Description, axes []torch.DynamicAxis, why string) failure.Failure {
	f := failure.Failure{Stage: "validate", Error: why, Entry: notFree, Meaning: "the model's code takes one size alone on an axis that is to be free"}
	f.Next = append(f.Next, j.withSameSize(d, axes)...)
	f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "take the size from the tensor, as x.shape[0] or -1, wherever the code has the number"},
		failure.Suggestion{Kind: "code", Text: "leave that axis out of --dynamic, and export a model of that one size"})
	return f
}

// withSameSize suggests to free axes of other inputs that are as long in the example as one that
// is to be free.
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
	return []failure.Suggestion{{Kind: "flags", Text: "free what is as long and goes with it", Flags: flags}}
}

// freeing are the flags that free axes.
func freeing(axes []torch.DynamicAxis) []string {
	var out []string
	for _, a := range axes {
		out = append(out, "--dynamic", fmt.Sprintf("%s:%d=%s", a.Path, a.Axis, a.Symbol))
	}
	return out
}

// enrich adds to what is known of a failure what this model is called with.
func (j *torchJob) enrich(f *failure.Failure, d torch.Description) {
	axes := j.axes(d)
	if f.Entry == "specialized" || f.Entry == "constraints" {
		f.Next = append(j.withSameSize(d, axes), f.Next...)
	}
}

// axes are those of inputs that are to be free.
func (j *torchJob) axes(d torch.Description) []torch.DynamicAxis {
	if len(j.dynamic) > 0 {
		return j.dynamic
	}
	return d.Dynamic
}

// sizesOf are the sizes that an axis can have, in words.
func sizesOf(r torch.Range) string {
	if r.Most > 0 {
		return fmt.Sprintf("from %d to %d", r.Least, r.Most)
	}
	return fmt.Sprintf("from %d on", r.Least)
}

// tellOf tells of what forward does besides giving a result, and of sizes that do not fit.
func (j *torchJob) tellOf(d torch.Description, strategy torch.Strategy) {
	for _, name := range d.Changes {
		if !strings.HasPrefix(name, "self.") {
			j.report.warnOnce("forward changes %s: in PyTorch its caller sees that, and of the model nobody does", text.Clean(name))
		}
	}
	if kept := keptBetween(d); kept != "" {
		j.report.warnOnce("forward keeps something between calls, %s; the model does what a first call does", kept)
	}
	for i, l := range d.Outputs {
		if i < len(d.OutputNames) && (l.Type == tensor.C64.String() || l.Type == tensor.C128.String()) {
			j.report.warnOnce("output %q is complex in PyTorch; the model gives its real and imaginary parts along a last axis", text.Clean(d.OutputNames[i]))
		}
	}
	for _, r := range j.ranges {
		line := fmt.Sprintf("%s: %s:%d can have sizes %s alone", strategy, text.Clean(r.Path), r.Axis, sizesOf(r))
		if r.File != "" {
			line += fmt.Sprintf(", for %s:%d: %s", text.Clean(filepath.Base(r.File)), r.Line, text.CleanLine(r.Code))
		}
		j.report.warnOnce("%s", line)
	}
}
