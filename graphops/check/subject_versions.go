package check

import (
	"lathe/graphops"
)

// resolved is the version of a domain by which ONNX Runtime reads the nodes of a
// place. Calls of functions are replaced by what the functions consist of, so that
// the imports of the model hold there, too, unless it has none of the domain. A
// domain of its own that nobody imports it takes in its newest version.
func (s *subject) resolved(p *graphops.Place, domain string) (version int64, ok bool) {
	if v, ok := s.importsOf(nil)[domain]; ok {
		return v, true
	}
	if p.Function != nil {
		if v, ok := s.importsOf(p.Function)[domain]; ok {
			return v, true
		}
	}
	v := s.capacity.newest(domain)
	return v, v > 0
}

// importsOf are the versions of domains that a function imports, or for nil the
// model. Of several versions of one the last counts.
func (s *subject) importsOf(f *graphops.Function) map[string]int64 {
	if known, ok := s.imports[f]; ok {
		return known
	}
	list := s.model.Opsets()
	if f != nil {
		list = f.Opsets()
	}
	out := make(map[string]int64, len(list))
	for _, o := range list {
		out[o.Domain] = o.Version
	}
	if f == nil && len(list) == 0 && s.model.IRVersion() < 3 { // which had no imports
		out[graphops.DefaultDomain] = 1
	}
	s.imports[f] = out
	return out
}

// knownVersion is the version by which ONNX Runtime looks an operator up. It knows the
// operators as of its opset, and those of the standard that were revised after the
// release of that (all 838 of 1.30 compared) as they were.
func knownVersion(o operator) int64 {
	if o.domain == graphops.DefaultDomain && o.op == "Attention" {
		return min(o.version, 24)
	}
	return o.version
}
