package edit

import (
	"cmp"
	"fmt"
	"strconv"

	"lathe/graphops"
)

// importing states imports of operator sets. Stating one that is missing changes
// nothing but what is said; another version of one that is there is no conversion.
func (e *edit) importing(m *graphops.Model, list []graphops.Opset) (*graphops.Model, error) {
	for _, o := range list {
		if o.Version < 1 {
			return nil, fmt.Errorf("operator set %q: version %d, expected 1 or more", shownDomain(o.Domain), o.Version)
		}
		if err := checkText(o.Domain); err != nil {
			return nil, err
		}
		from, stated := m.Opset(o.Domain)
		if stated && from == o.Version {
			continue
		}
		was := ""
		if stated {
			was = strconv.FormatInt(from, 10)
			if n := nodesOf(m, o.Domain); n > 0 {
				are := "nodes are"
				if n == 1 {
					are = "node is"
				}
				e.report.warn("version %d of %s instead of %d: %d %s read by the rules of that version, and none is converted; %s converts", o.Version, shownDomain(o.Domain), from, n, are, converterTo(o, from))
			}
		}
		next := graphops.Edit(m)
		next.SetOpset(o.Domain, o.Version)
		m = next.Model()
		e.report.changed("opset_import", shownDomain(o.Domain), was, strconv.FormatInt(o.Version, 10))
	}
	return m, nil
}

// converterTo names what carries nodes over to another version.
func converterTo(o graphops.Opset, from int64) string {
	if graphops.NormalDomain(o.Domain) == graphops.DefaultDomain && o.Version > from {
		return fmt.Sprintf("\"lathe export --opset %d\"", o.Version)
	}
	return "onnx.version_converter"
}

// shownDomain is a domain as messages name it.
func shownDomain(domain string) string {
	return cmp.Or(graphops.NormalDomain(domain), "ai.onnx")
}

// nodesOf counts the nodes of a domain, wherever they stand.
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
