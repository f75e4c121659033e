package torch

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/sides"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// judged returns why an exported model is not accepted: its results differ from PyTorch's, or
// cannot be compared with them.
func (j *torchJob) judged(r *sides.Report) failure.Failure {
	f := failure.Failure{Stage: "validate", Error: r.Headline, Entry: "differs", Meaning: "the exported model does not compute what PyTorch does"}
	if r.Verdict == compare.Undecided {
		f.Entry, f.Meaning = "undecided", "there is nothing to compare the exported model with"
	}
	for _, w := range j.warned {
		if w.Category == "TracerWarning" {
			f.UserFrame = frameAt(w.At)
			f.Next = append(f.Next, insteadOfConstant(w, f.UserFrame))
			break
		}
	}
	for _, held := range j.ranges {
		if f.UserFrame == nil && held.File != "" {
			f.UserFrame = &failure.Frame{File: held.File, Line: held.Line, Code: held.Code, User: true}
		}
		f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: fmt.Sprintf("make the code the same for all sizes: %s:%d can only have sizes %s", text.Clean(held.Path), held.Axis, sizesOf(held))})
	}
	if strings.Contains(r.Headline, "drawn at random") {
		f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "pass random numbers as an input, and training=self.training to dropout"})
	}
	if kept := attributesOf(j.report.Target.Changes); kept != "" {
		f.Next = append(f.Next, failure.Suggestion{Kind: "code", Text: "forward keeps " + kept + " from one call to the next, which a model cannot: make it an input and an output"})
	}
	if f.Entry == "undecided" {
		f.Next = append(f.Next, failure.Suggestion{Kind: "flags", Text: "accept it anyway", Flags: []string{"--no-check"}})
	}
	f.Around = failure.Around(f.UserFrame)
	return f
}

// insteadOfConstant suggests what to write in a line that tracing turned into a constant.
func insteadOfConstant(w torchWarning, frame *failure.Frame) failure.Suggestion {
	loop := frame != nil && (strings.HasPrefix(frame.Code, "while ") || strings.HasPrefix(frame.Code, "for "))
	switch {
	case strings.Contains(w.Message, "Iterating over a tensor"):
		return failure.OnWhole()
	case loop:
		return failure.WhileLoop()
	case strings.Contains(w.Message, toBoolean):
		return failure.Suggestion{Kind: "code", Text: "choose with torch.where or torch.cond at " + text.Clean(w.At) + ", which tracing made a constant"}
	}
	return failure.Suggestion{Kind: "code", Text: "compute with the tensor at " + text.Clean(w.At) + ", not with a Python number made from it: tracing made that a constant"}
}

// frameAt converts FILE:LINE to a frame. It returns nil if the text has another form.
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

// attributesOf lists those changed names that are attributes of the model.
func attributesOf(changes []string) string {
	var kept []string
	for _, name := range changes {
		if strings.HasPrefix(name, "self.") {
			kept = append(kept, text.Clean(name))
		}
	}
	return strings.Join(kept, ", ")
}

// enrich adds advice to a failure that is about sizes: it may help to make other inputs' axes
// dynamic as well.
func (j *torchJob) enrich(f *failure.Failure, d torch.Description) {
	axes := j.axes(d)
	if f.Entry == "specialized" || f.Entry == "constraints" {
		f.Next = append(j.withSameSize(d, axes), f.Next...)
	}
}

// axes returns the axes of inputs that should be dynamic.
func (j *torchJob) axes(d torch.Description) []torch.DynamicAxis {
	if len(j.dynamic) > 0 {
		return j.dynamic
	}
	return d.Dynamic
}

// sizesOf describes the sizes that an axis can have.
func sizesOf(r torch.Range) string {
	if r.Most > 0 {
		return fmt.Sprintf("from %d to %d", r.Least, r.Most)
	}
	return fmt.Sprintf("of at least %d", r.Least)
}

// tellOf warns about side effects of forward, and about sizes that cannot be dynamic.
func (j *torchJob) tellOf(d torch.Description, strategy torch.Strategy) {
	for _, name := range d.Changes {
		if !strings.HasPrefix(name, "self.") {
			j.report.warnOnce("forward changes %s: in PyTorch the caller sees the change, but not with the model", text.Clean(name))
		}
	}
	if kept := attributesOf(d.Caches); kept != "" {
		j.report.warnOnce("forward keeps something between calls, %s, and a second call on the example gives the same; the model does what a first call does", kept)
	}
	if kept := attributesOf(d.Changes); kept != "" {
		j.report.warnOnce("forward keeps something between calls, %s; the model does what a first call does", kept)
	}
	for i, l := range d.Outputs {
		if i < len(d.OutputNames) && (l.Type == tensor.C64.String() || l.Type == tensor.C128.String()) {
			j.report.warnOnce("output %q is complex in PyTorch; the model gives its real and imaginary parts along a last axis", text.Clean(d.OutputNames[i]))
		}
	}
	for _, r := range j.ranges {
		line := fmt.Sprintf("%s: %s:%d can only have sizes %s", strategy, text.Clean(r.Path), r.Axis, sizesOf(r))
		if r.File != "" {
			line += fmt.Sprintf(", for %s:%d: %s", text.Clean(filepath.Base(r.File)), r.Line, text.CleanLine(r.Code))
		}
		j.report.warnOnce("%s", line)
	}
}
