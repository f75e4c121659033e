package edit

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// elementSince are the opsets of the default domain from which on Cast and
// Identity take an element type that they did not always take (ONNX 1.23).
var elementSince = map[tensor.DType]int64{
	tensor.BF16:     13,
	tensor.F8E4M3FN: 19, tensor.F8E4M3FNUZ: 19, tensor.F8E5M2: 19, tensor.F8E5M2FNUZ: 19,
	tensor.U4: 21, tensor.I4: 21,
	tensor.F4E2M1: 23,
	tensor.F8E8M0: 24,
	tensor.U2:     25, tensor.I2: 25,
}

// Opsets of the default domain in which operators that an edit inserts changed.
const (
	castByNumber       = 6 // before, its attribute was the name of a type
	castOfStrings      = 9
	identityOfSequence = 14
	identityOfOptional = 16
)

// castSince is the opset from which on a Cast takes or makes an element type; ok
// is false where none does.
func castSince(d tensor.DType) (since int64, ok bool) {
	switch d.Kind() {
	case tensor.KindNone, tensor.KindComplex:
		return 0, false
	case tensor.KindString:
		return castOfStrings, true
	}
	return max(elementSince[d], castByNumber), true
}

// identitySince is the opset from which on an Identity takes a type; ok is false
// where none does. An unknown type is taken for one that it does.
func identitySince(t graphops.Type) (since int64, ok bool) {
	switch t.Kind {
	case graphops.TypeUnknown:
		return 1, true
	case graphops.TypeTensor:
		return max(elementSince[t.Elem], 1), true
	case graphops.TypeSequence:
		return identityOfSequence, t.Of != nil && t.Of.Kind == graphops.TypeTensor
	case graphops.TypeOptional:
		return identityOfOptional, true
	default:
		return 0, false
	}
}

// checkOpset refuses an operator of the default domain that the place's opset is
// too old for.
func (e *edit) checkOpset(what string, since int64) error {
	version, ok := e.opset()
	if !ok {
		return fmt.Errorf("%s: %s imports no opset of the default domain, which it needs", what, e.where())
	}
	if version < since {
		return fmt.Errorf("%s: needs opset %d of the default domain, %s has %d; convert it first", what, since, e.where(), version)
	}
	return nil
}

// opset is the version of the default domain that counts in the place.
func (e *edit) opset() (int64, bool) {
	if e.place.Function == nil {
		return e.model.Opset(graphops.DefaultDomain)
	}
	for _, o := range e.place.Function.Opsets() {
		if o.Domain == graphops.DefaultDomain {
			return o.Version, true
		}
	}
	return 0, false
}
