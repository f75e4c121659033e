package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// sinceVersion returns the first opset of the default domain whose schema of the operator fit
// accepts. ok is false if there is none.
func sinceVersion(op string, fit func(*opschema.Schema) bool) (since int64, ok bool) {
	versions := opschema.Versions(graphops.DefaultDomain, op)
	if i := slices.IndexFunc(versions, fit); i >= 0 {
		return versions[i].Since, true
	}
	return 0, false
}

// castSince returns the first opset in which Cast supports an element type, and has the type as a
// number instead of a string.
func castSince(d tensor.DType) (since int64, ok bool) {
	t := graphops.Type{Kind: graphops.TypeTensor, Elem: d}
	return sinceVersion("Cast", func(s *opschema.Schema) bool {
		to, _ := s.Attribute("to")
		return d.Valid() && to.Kind == graphops.AttrInt && s.Inputs[0].Allows(t) && s.Outputs[0].Allows(t)
	})
}

// identitySince returns the first opset in which Identity accepts a type. An unknown type is
// accepted by any.
func identitySince(t graphops.Type) (since int64, ok bool) {
	return sinceVersion("Identity", func(s *opschema.Schema) bool { return s.Inputs[0].Allows(t) })
}

// constantSince returns the first opset in which Constant supports an element type. ONNX Runtime
// accepts any type in any version (observed with 1.31.1), but the standard and onnx.checker do not.
func constantSince(d tensor.DType) (since int64, ok bool) {
	t := graphops.Type{Kind: graphops.TypeTensor, Elem: d}
	return sinceVersion("Constant", func(s *opschema.Schema) bool { return d.Valid() && s.Outputs[0].Allows(t) })
}

// sparseSince returns the first opset in which Constant supports a sparse tensor.
func sparseSince() (since int64, ok bool) {
	return sinceVersion("Constant", func(s *opschema.Schema) bool {
		_, ok := s.Attribute("sparse_value")
		return ok
	})
}

// checkOpset returns an error if the place imports an opset of the default domain before since.
// what names the operator that needs it.
func (e *edit) checkOpset(what string, since int64) error {
	version, ok := e.opset(graphops.DefaultDomain)
	if !ok {
		return fmt.Errorf("%s: %s imports no opset of the default domain, which it needs", what, e.where())
	}
	if version < since {
		return fmt.Errorf("%s: needs opset %d of the default domain, %s has %d; convert it first", what, since, e.where(), version)
	}
	return nil
}

// opset returns the version of a domain that the model imports, or, in a function, the function.
func (e *edit) opset(domain string) (int64, bool) {
	if e.place.Function == nil {
		return e.model.Opset(domain)
	}
	return e.place.Function.Opset(domain)
}
