package sides

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/text"
)

// against says what a model is compared with.
type against uint8

const (
	AgainstModel    against = iota // another model, or the same one run in another way
	againstExpected                // the expected outputs of the data
	againstReference
	againstTorch
	againstItself // step by step and all at once
)

// against returns what the options ask for. A single model is compared with the expected outputs of
// its data, or with itself.
func (s *Comparison) against() (against, error) {
	switch {
	case s.Layers && s.B == "" && !s.Reference && len(s.sides.A)+len(s.sides.B) == 0:
		return 0, session.UsageError("--layers: nothing to compare the values inside of the model with; name a second model, --reference, or an option of one side, such as --b opt=extended or --b ep=cuda")
	case s.Torch != "" && (s.B != "" || s.Reference):
		return 0, session.UsageError("--torch: replaces a second model and --reference; name one model")
	case s.Torch != "" && len(s.sides.A) > 0:
		return 0, session.UsageError("--a: side a is PyTorch, which has no such options; the model is side b")
	case s.Torch != "" && s.Layers:
		return 0, session.UsageError("--layers: compares the values inside of two ONNX models; --torch has its own modules compared where outputs differ")
	case s.Torch != "":
		return againstTorch, nil
	case s.Reference && s.B != "":
		return 0, session.UsageError("--reference: replaces a second model; name one model")
	case s.Reference && len(s.sides.A) > 0:
		return 0, session.UsageError("--a: side a is the reference evaluator, which has no such options; the model is side b")
	case s.Reference:
		return againstReference, nil
	case s.B != "" || len(s.sides.A)+len(s.sides.B) > 0:
		return AgainstModel, nil
	case s.Data == "":
		return againstItself, nil
	}
	return againstExpected, nil
}

// Pairing has the two sides of a comparison, and what is known about them before they run.
type Pairing struct {
	A, B compare.Executor
	// Models are the sides that run in ONNX Runtime; the last one is b. ran returns what ran each
	// side.
	Models []*Executor
	Ran    func() Sides
	Close  func()
	// first are cases that come before the generated ones.
	first []inputs.Case
	// rows are the sizes that the user gave to axes that are fixed in A, by their symbols in B.
	rows map[string]int64
	// findings are facts about the sides that are known before they run.
	findings []compare.Finding
}

// pair makes both sides and loads them. The caller closes the pair.
func (s *Comparison) pair(ctx context.Context, env session.Env, what against) (*Pairing, error) {
	b, err := s.Executor(env, s.B, "b", s.sides.B)
	if err != nil {
		return nil, err
	}
	if s.B == "" {
		b.Path = s.A
	}
	env.Progress(session.Progress{Phase: "loading"})
	p := &Pairing{B: b, Models: []*Executor{b}, Close: b.Close}
	switch what {
	case AgainstModel:
		err = s.pairModels(ctx, env, p, b)
	case againstReference:
		err = pairReference(ctx, env, p, b)
	case againstTorch:
		err = s.pairTorch(ctx, env, p, b)
	default:
		if err = b.Load(ctx); err == nil {
			p.A = compare.Expected{From: filepath.Base(s.Data), Outputs: b.types.outputs}
			p.Ran = func() Sides { return Sides{side{Kind: sideExpected}, b.Side} }
		}
	}
	if err != nil {
		p.Close()
		var refused *runtime.Failure
		var unloaded *unloadedError
		if errors.As(err, &refused) && !errors.As(err, &unloaded) {
			err = unloadedBy(nil, err)
		}
		return nil, err
	}
	return p, nil
}

// pairModels makes both sides run in ONNX Runtime.
func (s *Comparison) pairModels(ctx context.Context, env session.Env, p *Pairing, b *Executor) error {
	a, err := s.Executor(env, s.A, "a", s.sides.A)
	if err != nil {
		return err
	}
	p.A, p.Models = a, []*Executor{a, b}
	p.Close = func() { a.Close(); b.Close() }
	p.Ran = func() Sides { return Sides{a.Side, b.Side} }
	if s.B != "" {
		if err := meetInside(ctx, a, b); err != nil {
			return err
		}
	}
	errA := a.Load(ctx)
	if s.B == "" && a.how.On == b.how.On && a.how.Send == b.how.Send {
		b.Model = a.Model // standard input can be read only once
	}
	if errA != nil && ctx.Err() != nil {
		return errA
	}
	if err := unloadedBy(errA, b.Load(ctx)); err != nil {
		return err
	}
	return b.TakeInputsOf(a)
}

// compared keeps the cases that can be compared: all, or only those with expected outputs.
func (s *Comparison) compared(c *inputs.Cases, what against, outputs []graphops.NamedType) error {
	var with []inputs.Case
	for _, one := range c.Cases {
		if len(one.Expected) > 0 {
			with = append(with, one)
		}
	}
	switch {
	case what != againstExpected && len(with) > 0:
		c.Notes = append(c.Notes, fmt.Sprintf("the expected outputs in %s were not used: they are compared only with a single model", s.Data))
	case what != againstExpected:
	case len(with) == 0:
		return fmt.Errorf("%s: no expected outputs to compare the model with: output_0.pb …, or an array named as an output: %s; name a second model, or --reference", s.Data, outputNamesOf(outputs))
	default:
		if left := len(c.Cases) - len(with); left > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s without expected outputs left out", text.Plural(left, "case")))
		}
		c.Cases = with
	}
	return nil
}

func outputNamesOf(types []graphops.NamedType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	return graphops.QuoteNames(names)
}
