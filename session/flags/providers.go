package flags

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/text"
)

// BeyondCPU reports whether a chain has a provider that may attach and then run no node.
func BeyondCPU(chain []ort.Provider) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name != ep.CPU })
}

// Working is a model on the first provider of its chain that runs nodes of it.
type Working struct {
	runtime.Loaded
	// How is how it is loaded: its chain lacks the providers that attach and run no node.
	How runtime.Execution
	// Placement says which provider runs which node. It is nil if only the CPU attaches and the
	// placement is not requested.
	Placement *ort.Placement
	Notes     []string // about the providers that run no node
}

// Load loads a model on the first provider of a chain that attaches and runs nodes of it. A provider
// that attaches and runs none is left out, with a note, because it would still take part in each run.
// If no provider that the chain lists runs nodes, this is an error.
func Load(ctx context.Context, r runtime.Runtime, m *graphops.Model, how runtime.Execution) (*Working, error) {
	w := &Working{How: how}
	var left []ort.Fallback
	for {
		requested := w.How
		requested.Placement = how.Placement || BeyondCPU(how.Providers)
		l, err := r.Load(ctx, m, requested)
		if err != nil {
			return nil, withIdle(err, w.Notes)
		}
		attached := l.Facts().Provider
		w.Loaded = l
		if attached == ep.CPU && !how.Placement && len(w.Notes) == 0 {
			return w, nil
		}
		placement, err := l.Placement(ctx)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		rest := without(w.How.Providers, attached)
		note, err := idle(m, attached, rest, placement)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if note == "" {
			placement.Fallbacks = append(left, placement.Fallbacks...)
			w.Placement = &placement
			return w, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
		w.Notes, w.How.Providers, left = append(w.Notes, note), rest, append(left, placement.Fallbacks...)
	}
}

// withIdle returns the error of a chain that failed to load, with the providers that were left out of
// it before.
func withIdle(err error, notes []string) error {
	for _, n := range notes {
		err = fmt.Errorf("%w; %s", err, n)
	}
	return err
}

// Place returns what Load does, without the model: it loads the model for this only. To report the
// nodes, ONNX Runtime logs so much that a provider which logs in runs, such as WebGPU, becomes slower.
func Place(ctx context.Context, env session.Env, m *graphops.Model, how runtime.Execution) (*Working, error) {
	how.Profile, how.Dump = false, false
	w, err := Load(ctx, env.Runtime, m, how)
	if err != nil {
		return nil, err
	}
	return w, w.Close()
}

func without(chain []ort.Provider, name string) []ort.Provider {
	return slices.DeleteFunc(slices.Clone(chain), func(p ort.Provider) bool { return p.Name == name })
}

// idle reports a provider that attached and runs no node. This is a note if the rest of the chain
// lists a provider that may run them, and otherwise an error.
func idle(m *graphops.Model, attached string, rest []ort.Provider, p ort.Placement) (note string, err error) {
	if attached == ep.CPU || len(p.Shares) == 0 || p.NodesOn(attached) > 0 {
		return "", nil
	}
	e := &idleError{m.Path(), attached, p.Shares, sameReason(p.Fallbacks)}
	if BeyondCPU(rest) || slices.ContainsFunc(p.Shares, func(s ort.ProviderShare) bool { return lists(rest, s.Provider) }) {
		return e.none() + ", so it is left out", nil
	}
	return "", e
}

func lists(chain []ort.Provider, name string) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name == name })
}

// idleError is the error of a provider that runs no node if no provider of the chain does.
type idleError struct {
	model, provider string
	shares          []ort.ProviderShare // of the providers that run the nodes
	why             string              // the reason if it is the same for every node, or ""
}

// sameReason returns the reason that all nodes have.
func sameReason(list []ort.Fallback) string {
	if len(list) == 0 || list[0].Reason == ort.ReasonUnknown || slices.ContainsFunc(list, func(f ort.Fallback) bool { return f.Reason != list[0].Reason }) {
		return ""
	}
	return text.CleanLine(list[0].Reason)
}

func (e *idleError) none() string {
	nodes := 0
	for _, s := range e.shares {
		nodes += s.Nodes
	}
	said := fmt.Sprintf("execution provider %q was added but runs none of the %s", e.provider, text.Plural(nodes, "node"))
	if nodes == 1 {
		said = fmt.Sprintf("execution provider %q was added but does not run the only node", e.provider)
	}
	if e.why != "" {
		said += " (" + e.why + ")"
	}
	return said
}

func (e *idleError) fact() string {
	names := make([]string, len(e.shares))
	for i, s := range e.shares {
		names[i] = text.Clean(s.Provider)
	}
	runs := "; they run on "
	if len(e.shares) == 1 && e.shares[0].Nodes == 1 {
		runs = ", which runs on "
	}
	return e.none() + runs + strings.Join(names, " and ")
}

// Error is one line, safe to print.
func (e *idleError) Error() string {
	said := e.fact() + "; list " + text.Clean(e.shares[0].Provider) + " in --ep to accept that"
	if e.model == "" {
		return said
	}
	return text.Clean(e.model) + ": " + said
}

// Unwrap returns the error of a provider that does not attach, because in both cases the model does
// not run where it should.
func (e *idleError) Unwrap() error {
	return &ort.ProviderError{Model: e.model, Refused: []ort.Refusal{{Provider: e.provider, Reason: e.fact()}}}
}
