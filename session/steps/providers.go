package steps

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/text"
)

// cpu is the provider that takes what no other one does, listed or not.
const cpu = "cpu"

// beyondCPU reports whether a chain has a provider that may attach and take nothing.
func beyondCPU(chain []ort.Provider) bool {
	return slices.ContainsFunc(chain, func(p ort.Provider) bool { return p.Name != cpu })
}

// idle tells of a provider that attached and runs no node: as a note, "" where there
// is none, or as an error where the chain does not list the CPU, which runs them all.
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

// idleError tells that a provider attached, took nothing and may not leave it to the CPU.
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

// Unwrap makes it what a provider that does not attach is as well: the model does not
// run where it was to.
func (e *idleError) Unwrap() error {
	return &ort.ProviderError{Model: e.model, Refused: []ort.Refusal{{Provider: e.provider, Reason: e.fact()}}}
}

// writeRefused tells which providers did not attach, each reason once.
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

// runBy names a provider and, where it is known, how many nodes it runs.
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
