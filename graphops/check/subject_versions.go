package check

import (
	"lathe/graphops"
)

// resolved returns the version of a domain by which ONNX Runtime interprets the nodes of a place.
// Because ONNX Runtime replaces calls by the nodes of the function, the imports of the model apply
// in functions too, unless the model does not import the domain. If a domain that ONNX Runtime
// defines is not imported at all, it uses the newest version.
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

// importsOf returns the versions of the domains that a function imports, or the model for nil.
// Of several versions of one domain the last counts.
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
	if f == nil && len(list) == 0 && s.model.IRVersion() < 3 { // these had no imports
		out[graphops.DefaultDomain] = 1
	}
	s.imports[f] = out
	return out
}

// knownVersion returns the version with which ONNX Runtime looks an operator up. It knows the
// operators of its opset, and uses the earlier version of standard operators that were revised
// after its release. (All 838 operators of 1.30 were compared.)
func knownVersion(o operator) int64 {
	if o.domain == graphops.DefaultDomain && o.op == "Attention" {
		return min(o.version, 24)
	}
	return o.version
}
