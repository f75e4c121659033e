//go:build cgo

package worker

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// checkFeeds returns an error unless feeds contains each input of the model exactly once. The
// runtime does not check that when inputs are bound: it runs as if a missing input were there, and
// may crash.
func (s *session) checkFeeds(feeds []*feed) error {
	given := map[string]bool{}
	for _, f := range feeds {
		if given[f.name] {
			return fmt.Errorf("input %q is given twice", f.name)
		}
		given[f.name] = true
	}
	for _, port := range s.inputs {
		if !given[port.Name] {
			return fmt.Errorf("input %q is missing; the model's inputs are %s", port.Name, quoted(s.inputs))
		}
		delete(given, port.Name)
	}
	for _, name := range s.defaults {
		delete(given, name)
	}
	for _, f := range feeds {
		if given[f.name] {
			return fmt.Errorf("the model has no input %q; its inputs are %s", f.name, quoted(s.inputs))
		}
	}
	return nil
}

// quoted returns the quoted names of ports, for error messages.
func quoted(ports []wire.Port) string {
	names := make([]string, len(ports))
	for i, port := range ports {
		names[i] = port.Name
	}
	return graphops.QuoteNames(names)
}

// choose returns the ports of the outputs that want names. It returns an error if one is unknown or
// named twice.
func (s *session) choose(want []wire.Want) ([]wire.Port, error) {
	ports := make([]wire.Port, 0, len(want))
	for i, w := range want {
		name := w.Name
		if slices.ContainsFunc(want[:i], func(o wire.Want) bool { return o.Name == name }) {
			return nil, fmt.Errorf("output %q is requested twice", name)
		}
		at := slices.IndexFunc(s.outputs, func(p wire.Port) bool { return p.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("the model has no output %q; its outputs are %s", name, quoted(s.outputs))
		}
		ports = append(ports, s.outputs[at])
	}
	return ports, nil
}
