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

// Idle reports a provider that attached and runs no node. This is a note if another provider of the
// chain runs nodes, and otherwise an error.
func Idle(m *graphops.Model, attached string, chain []ort.Provider, p ort.Placement) (note string, err error) {
	if attached == ep.CPU || len(p.Shares) == 0 || p.NodesOn(attached) > 0 {
		return "", nil
	}
	e := &idleError{m.Path(), attached, p.Shares}
	if slices.ContainsFunc(p.Shares, func(s ort.ProviderShare) bool { return lists(chain, s.Provider) }) {
		return e.fact(), nil
	}
	return "", e
}

// Place returns which provider runs which node of a model, and Idle's note. It loads the model for
// this only: to report the nodes, ONNX Runtime logs so much that a provider which logs in runs, such as
// WebGPU, becomes slower.
func Place(ctx context.Context, env session.Env, m *graphops.Model, how runtime.Execution) (p ort.Placement, note string, err error) {
	how.Placement, how.Profile, how.Dump = true, false, false
	l, err := env.Runtime.Load(ctx, m, how)
	if err != nil {
		return p, "", err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if p, err = l.Placement(ctx); err != nil {
		return p, "", err
	}
	note, err = Idle(m, l.Facts().Provider, how.Providers, p)
	return p, note, err
}

func lists(chain []ort.Provider, name string) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name == name })
}

// idleError is the error of a provider that runs no node if no provider of the chain does.
type idleError struct {
	model, provider string
	shares          []ort.ProviderShare // of the providers that run the nodes
}

func (e *idleError) fact() string {
	nodes, names := 0, make([]string, len(e.shares))
	for i, s := range e.shares {
		nodes, names[i] = nodes+s.Nodes, text.Clean(s.Provider)
	}
	return fmt.Sprintf("execution provider %q was added but runs none of the %s; they run on %s", e.provider, text.Plural(nodes, "node"), strings.Join(names, " and "))
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
