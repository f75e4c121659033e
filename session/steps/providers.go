package steps

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/text"
)

// cpu is the execution provider that runs what no other one does, even if it is not listed.
const cpu = ep.CPU

// beyondCPU reports whether a chain has a provider that may attach and then run no node.
func beyondCPU(chain []ort.Provider) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name != cpu })
}

// idle reports a provider that attached and runs no node. This is a note if the chain lists the
// CPU, and otherwise an error.
func idle(m *graphops.Model, attached string, chain []ort.Provider, p ort.Placement) (note string, err error) {
	busy := slices.ContainsFunc(p.Nodes, func(n ort.PlacedNode) bool {
		return n.Provider != cpu && (n.Provider == attached || lists(chain, n.Provider))
	})
	if attached == cpu || busy || len(p.Nodes) == 0 {
		return "", nil
	}
	e := &idleError{m.Path(), attached, len(p.Nodes)}
	if lists(chain, cpu) {
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

// writeRefused writes which providers did not attach, each reason once.
func writeRefused(p *text.Printer, refused ...ort.Refusal) {
	var told []string
	for _, r := range refused {
		line := didNotAttach(r)
		if !slices.Contains(told, line) {
			told = append(told, line)
			p.Line("%s", line)
		}
	}
}

func didNotAttach(r ort.Refusal) string {
	return fmt.Sprintf("%s did not attach: %s", text.Clean(r.Provider), r)
}

// runBy names a provider and, if known, the number of nodes that it runs.
func runBy(attached string, byProvider map[string]int64) string {
	total := int64(0)
	for _, n := range byProvider {
		total += n
	}
	if total == byProvider[attached] {
		return text.Clean(attached)
	}
	return fmt.Sprintf("%s, which runs %d of %s", text.Clean(attached), byProvider[attached], text.Plural(int(total), "node"))
}
