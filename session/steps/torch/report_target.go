package torch

import (
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

// unmade is the error of a preview if the model could not be made or does not run on its example.
type unmade struct{ failure.Failure }

func (e *unmade) Error() string {
	words := []string{e.Failure.Error}
	if e.Class != "" {
		words[0] = e.Class + ": " + e.Failure.Error
	}
	if e.UserFrame != nil {
		words = append(words, e.UserFrame.String())
	}
	if len(e.Next) > 0 {
		words = append(words, e.Next[0].String())
	}
	return strings.Join(words, "; ")
}

// Explain implements session.Explained.
func (e *unmade) Explain(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("failed at %s", text.Clean(e.Stage))
	e.Write(p, "")
	return p.Err()
}

func writeOtherOutputs(w io.Writer, d torch.Description) {
	for _, name := range d.OtherOutputs {
		fmt.Fprintf(w, "not a tensor, and therefore not an output: %s\n", text.Clean(name))
	}
}

// torchTargetReport describes the inputs and outputs of a PyTorch model.
type torchTargetReport struct {
	Schema string `json:"schema"`
	torch.Description
	Python string `json:"python"`
}

var _ session.Introspected = (*torchTargetReport)(nil)

// Nameable implements session.Introspected. It returns the arguments, their axes, and the axes of
// outputs that have a name.
func (r *torchTargetReport) Nameable(of session.Subject) []session.Nameable {
	var out []session.Nameable
	axes := func(name string, l torch.Leaf) {
		for axis, size := range l.Shape {
			out = append(out, session.Nameable{Name: fmt.Sprintf("%s:%d", name, axis), About: fmt.Sprint(size)})
		}
	}
	switch of {
	case session.NamesArgument:
		for _, l := range r.Inputs {
			out = append(out, session.Nameable{Name: l.Path, About: l.Type + " " + tensor.FormatShape(l.Shape)})
		}
	case session.NamesAxis:
		for _, l := range r.Inputs {
			axes(l.Path, l)
		}
		for i, name := range r.OutputNames {
			if i < len(r.Outputs) {
				axes(name, r.Outputs[i])
			}
		}
	}
	return out
}

// WriteText implements session.Report.
func (r *torchTargetReport) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d parameters, PyTorch %s in %s\n", text.Clean(r.Class), r.Parameters, text.Clean(r.Versions["torch"]), text.Clean(r.Python))
	writeLeaves(w, "inputs", r.Inputs)
	writeLeaves(w, "outputs", r.Outputs)
	writeConstants(w, r.Description)
	writeOtherOutputs(w, r.Description)
	for _, a := range r.Dynamic {
		fmt.Fprintf(w, "free: %s:%d=%s\n", text.Clean(a.Path), a.Axis, text.Clean(a.Symbol))
	}
	if r.Trained {
		fmt.Fprintln(w, "the model is in training mode, and is exported in inference mode")
	}
	fmt.Fprintln(w, "-o FILE exports it")
	return nil
}

func writeLeaves(w io.Writer, title string, list []torch.Leaf) {
	values := make([]reporting.Value, len(list))
	for i, l := range list {
		values[i] = reporting.Value{Name: l.Path, Type: l.Type, Shape: graphops.FixedShape(l.Shape)}
		if l.Path == "" {
			values[i].Name = "(the result)"
		}
	}
	reporting.WriteValues(w, title, values)
}

func elemOf(l torch.Leaf) tensor.DType {
	t, err := tensor.ParseDType(l.Type)
	if err != nil {
		return tensor.Undefined
	}
	return t
}
