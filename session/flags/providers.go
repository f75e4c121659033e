package flags

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/text"
)

// BeyondCPU reports whether a chain has a provider that may attach and then run no node.
func BeyondCPU(chain []ort.Provider) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name != ep.CPU })
}

// Idle reports a provider that attached and runs no node. This is a note if the chain lists the
// CPU, and otherwise an error.
func Idle(m *graphops.Model, attached string, chain []ort.Provider, p ort.Placement) (note string, err error) {
	busy := slices.ContainsFunc(p.Nodes, func(n ort.PlacedNode) bool {
		return n.Provider != ep.CPU && (n.Provider == attached || lists(chain, n.Provider))
	})
	if attached == ep.CPU || busy || len(p.Nodes) == 0 {
		return "", nil
	}
	e := &idleError{m.Path(), attached, len(p.Nodes)}
	if lists(chain, ep.CPU) {
		return e.fact(), nil
	}
	return "", e
}

func lists(chain []ort.Provider, name string) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name == name })
}

// idleError is the error of a provider that runs no node although the CPU is not listed.
type idleError struct {
	model, provider string
	nodes           int
}

func (e *idleError) fact() string {
	return fmt.Sprintf("execution provider %q was added but runs none of the %s; all run on the CPU", e.provider, text.Plural(e.nodes, "node"))
}

// Error is one line, safe to print.
func (e *idleError) Error() string {
	said := e.fact() + "; list cpu in --ep to accept that"
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
