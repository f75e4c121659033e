package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"lathe/graphops"
)

// importing adds imports of opsets, or changes their versions. The nodes are not converted: they
// now have the meaning of the new version, about which it warns.
func (e *edit) importing(m *graphops.Model, list []graphops.Opset) (*graphops.Model, error) {
	for _, o := range list {
		if o.Version < 1 {
			return nil, fmt.Errorf("operator set %q: version %d, expected 1 or more", shownDomain(o.Domain), o.Version)
		}
		if err := checkText(o.Domain); err != nil {
			return nil, err
		}
		from, stated := m.Opset(o.Domain)
		if stated && from == o.Version && !importsAnother(m, o) {
			continue
		}
		was := ""
		if stated {
			was = strconv.FormatInt(from, 10)
			if n := nodesOf(m, o.Domain); n > 0 && from != o.Version {
				e.report.warn("version %d of %s instead of %d: %s interpreted by the new version without being converted; %s converts", o.Version, shownDomain(o.Domain), from, nodesAre(n), converterTo(o, from))
			}
		}
		next := graphops.Edit(m)
		next.SetOpset(o.Domain, o.Version)
		m = next.Model()
		e.report.changed("opset_import", shownDomain(o.Domain), was, strconv.FormatInt(o.Version, 10))
	}
	return m, nil
}

// importsAnother reports whether the model also imports the domain in another version.
func importsAnother(m *graphops.Model, o graphops.Opset) bool {
	return slices.ContainsFunc(m.Opsets(), func(have graphops.Opset) bool {
		return have.Domain == graphops.NormalDomain(o.Domain) && have.Version != o.Version
	})
}

// dropImports removes imports of opsets from the model. The imports of its functions stay.
func (e *edit) dropImports(m *graphops.Model, domains []string) (*graphops.Model, error) {
	for _, domain := range domains {
		name := shownDomain(domain)
		had, stated := m.Opset(domain)
		kept := slices.DeleteFunc(m.Opsets(), func(o graphops.Opset) bool { return o.Domain == graphops.NormalDomain(domain) })
		switch n := nodesOf(m, domain); {
		case !stated || len(kept) == len(m.Opsets()):
			return nil, fmt.Errorf("operator set %q: the model does not import it", name)
		case n > 0:
			return nil, fmt.Errorf("operator set %q: %s in it, so its import cannot be removed", name, nodesAre(n))
		case len(kept) == 0:
			return nil, fmt.Errorf("operator set %q: it is the only import, and a model needs one", name)
		}
		next := graphops.Edit(m)
		next.SetOpsets(kept)
		m = next.Model()
		e.report.changed("opset_import", name, strconv.FormatInt(had, 10), "")
	}
	return m, nil
}

// nodesAre returns "1 node is" or "N nodes are", to begin a sentence.
func nodesAre(n int) string {
	if n == 1 {
		return "1 node is"
	}
	return fmt.Sprintf("%d nodes are", n)
}

// converterTo names the program that converts nodes to another opset: Lathe for a later version of
// the default domain, otherwise the converter of onnx.
func converterTo(o graphops.Opset, from int64) string {
	if graphops.NormalDomain(o.Domain) == graphops.DefaultDomain && o.Version > from {
		return fmt.Sprintf("\"lathe export --opset %d\"", o.Version)
	}
	return "onnx.version_converter"
}

// shownDomain returns the name of a domain for messages.
func shownDomain(domain string) string {
	return cmp.Or(graphops.NormalDomain(domain), "ai.onnx")
}

// nodesOf returns the number of nodes of a domain in all places.
func nodesOf(m *graphops.Model, domain string) (count int) {
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			if n.Domain() == graphops.NormalDomain(domain) {
				count++
			}
		}
	}
	return count
}
