package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/fault"
	"lathe/session/text"
)

// Failure is the error of a model that a runtime rejected, stopped running, or crashed
// on, with its likely cause.
type Failure struct {
	Err error // the worker's error
	// Finding is the place in the model that the runtime's message names, as far as it was found.
	Finding fault.Finding
	// Suspect is the node that causes the crash. It is nil if none was searched for or found.
	Suspect *fault.Suspect

	remark string // a further remark; may be empty
}

// Error returns what happened and why in one line, safe to print.
func (f *Failure) Error() string {
	said := f.Err.Error()
	if f.Finding.Explanation != "" && f.Finding.Fault.Recognized() {
		said = f.explained(said)
	}
	if f.remark != "" {
		said += "; " + f.remark
	}
	return said
}

// Reason returns the text of Error without its beginning, which says which model was being loaded
// or run.
func (f *Failure) Reason() string {
	said := f.Error()
	var refused *ort.Error
	if errors.As(f.Err, &refused) {
		return strings.TrimPrefix(said, refused.While()+": ")
	}
	return said
}

// Unwrap returns the worker's error.
func (f *Failure) Unwrap() error { return f.Err }

// explained returns Lathe's explanation, what to do, and then the runtime's own message.
func (f *Failure) explained(said string) string {
	var refused *ort.Error
	if !errors.As(f.Err, &refused) {
		return said
	}
	out := refused.While() + ": " + text.CleanLine(f.Finding.Explanation)
	if f.Finding.Hint != "" {
		out += "; " + f.Finding.Hint
	}
	if refused.Remark != "" {
		out += "; " + refused.Remark
	}
	if f.Finding.Quotes {
		return out
	}
	return out + " (ONNX Runtime: " + refused.Said(f.Finding.Fault.Detail) + ")"
}

// Place returns the node that caused the failure, as its position in the graph of a place. The place
// is nil if the node is not known.
func (f *Failure) Place() (place *graphops.Place, node int) {
	switch {
	case len(f.Finding.Sites) == 1:
		return f.Finding.Sites[0].Place, f.Finding.Sites[0].Index
	case f.Suspect != nil:
		return f.Suspect.Site.Place, f.Suspect.Site.Index
	}
	return nil, 0
}

// attempt loads a model, or loads and runs it. It can be repeated with a part of the model or with
// other options. It leaves no worker behind.
type attempt func(ctx context.Context, m *graphops.Model, o Execution) error

// failed explains why an attempt on a model failed. If the runtime neither rejected the model nor
// crashed on it, failed returns err unchanged. took is the time that the attempt took, and again
// repeats it. A library that ends the worker while it is registered would end it with any model.
func failed(ctx context.Context, err error, m *graphops.Model, o Execution, took time.Duration, again attempt) error {
	var refused *ort.Error
	var crash *ort.CrashError
	o.Reuse = false // every further try has its own worker
	again = again.within(max(patience*took, leastPatience))
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &refused) && refused.Phase != ort.Starting && !refused.AboutOptions():
		return refusal(ctx, err, refused, m, o, took, again)
	case errors.As(err, &crash) && crash.Phase != ort.Starting && !crash.LineBroke() && !crash.AtRegistration():
		return crashed(ctx, err, m, o, took, again)
	}
	return err
}

// How long a further try may take: patience times as long as the first one took, and at least
// leastPatience. Otherwise a model that runs without end, whose worker was killed, would run again
// without end.
const (
	patience      = 4
	leastPatience = 5 * time.Second
)

// within returns the attempt with a limit of its own. After that, the attempt fails with an error that
// is neither a crash nor a refusal.
func (a attempt) within(limit time.Duration) attempt {
	return func(ctx context.Context, m *graphops.Model, o Execution) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return a(ctx, m, o)
	}
}

// worksWithout is the remark in a Failure if the model works without graph optimizations.
var worksWithout = "it works without graph optimizations: --opt " + probing.Opt

// unoptimized repeats an attempt without graph optimizations.
func unoptimized(ctx context.Context, m *graphops.Model, o Execution, again attempt) error {
	o.Opt = probing.Opt
	return again(ctx, m, o)
}

// refusal finds the node that the runtime's message is about. To find out whether an optimization
// is the cause, it repeats the attempt without graph optimizations. If that works, an optimization
// is the cause. If it fails too, the second message may be the better one: an optimization may have
// renamed the node that the first message names.
func refusal(ctx context.Context, err error, refused *ort.Error, m *graphops.Model, o Execution, took time.Duration, again attempt) error {
	f := &Failure{Err: err, Finding: fault.Locate(fault.Parse(int(refused.Code), refused.Message), m)}
	if o.Opt == probing.Opt || !fault.MayBeOptimizer(f.Finding.Fault) {
		return f
	}
	o.phase("trying it without graph optimizations")
	second := unoptimized(ctx, m, o, again)
	var other *ort.Error
	switch worth, _ := fault.Again(f.Finding); {
	case second == nil && f.Finding.BlamesOptimizer():
		f.remark = worksWithout
	case second == nil:
		f.Finding = f.Finding.OfOptimizer()
		if len(f.Finding.Sites) != 1 && searches(m)*took < searchTime {
			f.placeOptimizer(ctx, m, o, again)
		}
	case errors.As(second, &other) && worth:
		found := fault.Locate(fault.Parse(int(other.Code), other.Message), m)
		if len(found.Sites) > 0 && (len(f.Finding.Sites) != 1 || len(found.Sites) == 1) {
			f.Finding = found
		}
	}
	return f
}

// placeOptimizer searches for the node at which the optimizations break a model: the model works if
// it is cut before this node, and fails if the node is included.
func (f *Failure) placeOptimizer(ctx context.Context, m *graphops.Model, o Execution, again attempt) {
	suspect, err := fault.Bisect(ctx, m, func(ctx context.Context, part *graphops.Model) (bool, error) {
		var refused *ort.Error
		return errors.As(again(ctx, part, o), &refused), ctx.Err()
	}, func(done, most int) {
		o.phase(fmt.Sprintf("looking for the node that the optimizations break, %d of at most %d", done, most))
	})
	if err == nil {
		f.Finding = f.Finding.At(suspect.Site)
	}
}

// searches returns how many attempts a binary search for a node of the model makes at most.
func searches(m *graphops.Model) time.Duration {
	return time.Duration(bits.Len(uint(len(m.Graph().Nodes()))) + 2)
}

// searchTime limits the time of a search for the node that causes a failure. The search starts by
// itself, so it must not take long.
const searchTime = 30 * time.Second

// crashed finds out what causes a crash. It tries the model without graph optimizations. If that
// crashes too, it searches for the node, unless the search would take longer than searchTime.
func crashed(ctx context.Context, err error, m *graphops.Model, o Execution, took time.Duration, again attempt) error {
	f := &Failure{Err: err}
	if at := providerAtFault(ctx, err, o, took, again); at != nil {
		f.Err, f.remark = at, fmt.Sprintf("a minimal model crashes on %s too: leave it out of --ep, or install another version", beyondCPU(o))
		return f
	}
	if o.Opt != probing.Opt && took < searchTime {
		o.phase("trying it without graph optimizations")
		if unoptimized(ctx, m, o, again) == nil {
			f.Finding, f.remark = f.Finding.OfOptimizer(), worksWithout
			return f
		}
	}
	if tries := searches(m); tries*took > searchTime {
		f.remark = fmt.Sprintf("the node was not searched for, because that would take %d tries of %v each", tries, took.Round(time.Second))
		return f
	}
	suspect, missing := fault.Bisect(ctx, m, func(ctx context.Context, m *graphops.Model) (bool, error) {
		err := again(ctx, m, o)
		var crash *ort.CrashError
		return errors.As(err, &crash), ctx.Err()
	}, func(done, most int) {
		o.phase(fmt.Sprintf("looking for the node of the crash, %d of at most %d", done, most))
	})
	switch {
	case ctx.Err() != nil:
		return err
	case missing != nil:
		f.remark = "the node was not found: " + text.CleanLine(missing.Error())
	default:
		f.Suspect = &suspect
		f.remark = suspected(suspect)
		if on := beyondCPU(o); on != "" {
			o.Providers = nil
			if again(ctx, m, o) == nil {
				f.remark += fmt.Sprintf(" on %s; the model works on %s", on, ep.CPU)
			}
		}
	}
	return f
}

// beyondCPU returns the names of the providers other than the CPU.
func beyondCPU(o Execution) string {
	var names []string
	for _, p := range o.Providers {
		if p.Name != ep.CPU {
			names = append(names, text.Clean(p.Name))
		}
	}
	return strings.Join(names, " or ")
}

// brokenProvider is the error of an execution provider that crashes with every model.
type brokenProvider struct {
	error
	refused *ort.ProviderError
}

// Unwrap makes it also the error of a provider that did not attach.
func (e *brokenProvider) Unwrap() []error { return []error{e.error, e.refused} }

// providerAtFault returns the error of a provider if a minimal model crashes on it too while it is loaded,
// and otherwise nil.
func providerAtFault(ctx context.Context, err error, o Execution, took time.Duration, again attempt) error {
	var crash *ort.CrashError
	if !errors.As(err, &crash) || crash.Phase != ort.Loading || took > searchTime {
		return nil
	}
	refused := &ort.ProviderError{Model: crash.Model}
	for _, p := range o.Providers {
		if p.Name != ep.CPU {
			refused.Refused = append(refused.Refused, ort.Refusal{Provider: p.Name, Reason: err.Error()})
		}
	}
	minimal, broken := graphops.Decode(ort.IdentityModel())
	if len(refused.Refused) == 0 || broken != nil {
		return nil
	}
	o.phase("trying a minimal model")
	if !errors.As(again(ctx, minimal, o), &crash) {
		return nil
	}
	return &brokenProvider{err, refused}
}

// later explains the error of a run that came after others: if a single run works, no node and no
// optimization is the cause. If it does not, later returns nil.
func later(ctx context.Context, err error, m *graphops.Model, o Execution, runs int64, again attempt) error {
	var refused *ort.Error
	var crash *ort.CrashError
	o.Reuse = false
	if ctx.Err() != nil || !errors.As(err, &refused) && !errors.As(err, &crash) || again(ctx, m, o) != nil {
		return nil
	}
	f := &Failure{Err: err, remark: "a single run works"} // a crash says itself how many runs came before
	if refused != nil {
		f.remark = fmt.Sprintf("it failed after %s, and a single run works", text.Plural(int(runs), "run"))
		f.Finding = fault.Locate(fault.Parse(int(refused.Code), refused.Message), m)
	}
	return f
}

func suspected(s fault.Suspect) string {
	node := text.CleanLine(s.Site.String())
	if s.Alone {
		return node + " crashes by itself"
	}
	return "the model up to " + node + " crashes, and the model before it does not"
}
