package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/proof"
	"lathe/session/sizing"
)

// Prover is a proof.Prover with sessions of its own. Models stay loaded between runs, and each run
// is reported as progress of the step.
type Prover struct {
	proof.Prover
	asIs, optimized *Sessions
}

// Inputs has the inputs that a proof uses, and where they come from.
type Inputs struct {
	proof.Inputs
	From proof.Source
	Note string // says which part of the data is left out, or ""
	// MaxBytes limits the generated inputs; 0 means the default.
	MaxBytes int64
	// MemoryLimit limits the memory of a worker; 0 leaves it to the environment.
	MemoryLimit int64
}

// NewProver returns a prover that uses the given inputs. The caller must close it. Models run
// without optimization, because the runtime's optimizations of two different graphs may round
// differently, or be wrong in the same way.
func NewProver(env session.Env, on Inputs) *Prover {
	p := &Prover{asIs: &Sessions{Env: env, Opt: "disable", Memory: on.MemoryLimit, Most: perturbedToo}, optimized: &Sessions{Env: env, Opt: "all", Memory: on.MemoryLimit}}
	runs := int64(0)
	p.Prover = proof.Prover{Inputs: on.Inputs, MaxBytes: on.MaxBytes, Learned: sizing.StoreIn(env.Cache), Runner: p.asIs, Optimized: p.optimized, Patience: patience, Ran: func() {
		runs++
		env.Progress(session.Progress{Phase: "proving", Done: runs, Unit: "runs"})
	}}
	env.Progress(session.Progress{Phase: "proving"})
	return p
}

// perturbedToo is how many models a proof keeps loaded: the original, the changed model, and a copy
// of the original that measures how large rounding errors are.
const perturbedToo = 3

// patience limits how long a proof takes: if one run takes longer than this, the proof tries only
// one input. A change takes a few seconds at most, and its proof should not take much longer.
const patience = 5 * time.Second

// Close ends the sessions of the models.
func (p *Prover) Close() {
	p.asIs.Close()
	p.optimized.Close()
}

// Unproved returns the message of an error that prevented the proof but says nothing about the
// changed model, such as a missing runtime. It is "" for any other error.
func Unproved(err error) string {
	var none *ort.NoRuntimeError
	switch {
	case errors.As(err, &none):
		return "not proved: " + none.Error()
	case proof.IsUnproved(err):
		return err.Error()
	}
	return ""
}

// Sound makes a changed model that computes the same as its original, if necessary without the
// passes that change the results, and reports what was shown. An error that package check finds in
// the changed model but not in the original counts as a difference.
//
// If nothing can be shown, the model is the one that all passes make, and the note of the report
// has the reason. Even then it must not have such errors.
func Sound(ctx context.Context, env session.Env, on Inputs, l proof.Pipeline) (*graphops.Model, *Proof, error) {
	before := sync.OnceValues(func() ([]check.Problem, error) { return ErrorsOf(ctx, env, l.Original) })
	l.Check = func(ctx context.Context, changed *graphops.Model) (string, error) {
		after, err := ErrorsOf(ctx, env, changed)
		if err != nil {
			return "", err
		}
		p, err := Introduced(before, after)
		if p == nil || err != nil {
			return "", err
		}
		return fmt.Sprintf("has an error that the original does not have: %s (%s)", p.Message, p.Code), nil
	}
	l.Remark = func(changed *graphops.Model) string { return Quantizes(l.Original, changed) }
	l.Trying = func(tries, most int) {
		if tries > 0 {
			env.Progress(session.Progress{Phase: "looking for the pass that differs", Done: int64(tries), Total: int64(most), Unit: "models"})
		}
	}
	p := NewProver(env, on)
	defer p.Close()
	s, err := p.Sound(ctx, l)
	why := Unproved(err)
	var failed *proof.FailedError
	switch {
	case errors.As(err, &failed):
		return nil, nil, &session.NoError{Err: err}
	case why == "" && err != nil:
		return nil, nil, err
	case why == "":
		return s.Model, newProofReport(s, on), nil
	}
	wrong, err := l.Check(ctx, s.Model)
	if err == nil && wrong != "" {
		err = &session.NoError{Err: &proof.FailedError{Difference: &proof.Difference{Item: -1, Reason: wrong}}}
	}
	r := Unprovable(why)
	r.Inputs = on.From
	return s.Model, r, err
}

// quantizers are operators that quantize floating-point activations while they run.
var quantizers = []string{"com.microsoft::MatMulNBits", "com.microsoft::DynamicQuantizeMatMul", "com.microsoft::DynamicQuantizeLSTM", "DynamicQuantizeLinear"}

// Quantizes says which operators of a changed model quantize activations that the original computes
// in floating point. It is "" if none do.
func Quantizes(original, changed *graphops.Model) string {
	was, is := quantizing(original), quantizing(changed)
	var names []string
	for _, op := range quantizers {
		if n := is[op] - was[op]; n > 0 {
			names = append(names, fmt.Sprintf("%s %d", op, n))
		}
	}
	if len(names) == 0 {
		return ""
	}
	why := "it quantizes activations to 8 bits: " + strings.Join(names, ", ")
	if is[quantizers[0]] > was[quantizers[0]] {
		why += "; --session-config " + accuracyKey + "=0 keeps those of MatMulNBits in floating point"
	}
	return why
}

// accuracyKey is the session config entry for the precision in which MatMulNBits computes.
const accuracyKey = "session.qdq_matmulnbits_accuracy_level"

// accuracyOfInt8 is the accuracy_level with which MatMulNBits quantizes its activations.
const accuracyOfInt8 = 4

// quantizing counts the operators that quantize activations.
func quantizing(m *graphops.Model) map[string]int {
	count := map[string]int{}
	for n := range m.AllNodes() {
		op := adopt.Operator(n)
		if op == quantizers[0] {
			if a, ok := n.Attribute("accuracy_level"); !ok || a.Int() != accuracyOfInt8 {
				continue
			}
		}
		count[op]++
	}
	return count
}
