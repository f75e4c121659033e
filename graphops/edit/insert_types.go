package edit

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// learn determines the types of the values in On. It does not ask the runtime if an Identity is
// inserted, because its output gets the same type as its input anyway.
func (e *insertion) learn(ctx context.Context) error {
	typer := e.o.Typer
	if e.o.To == tensor.Undefined && e.o.Operator.Name == "" {
		typer = nil
	}
	var ids []graphops.ValueID
	for _, at := range e.points {
		ids = append(ids, at.value)
	}
	if err := e.believe(ctx, ids); err != nil {
		return err
	}
	types, err := e.typesOf(ctx, typer, ids)
	if err != nil {
		return err
	}
	for i := range e.points {
		at := &e.points[i]
		at.was = types[at.value]
		at.is = at.was
		if at.to != tensor.Undefined {
			at.is = graphops.Type{Kind: graphops.TypeTensor, Elem: at.to, Shape: at.was.Shape}
		}
	}
	return nil
}

// check returns an error if a new node does not accept the types. It forgets the recorded types that
// the edit may make wrong. changes reports whether the runtime has to be asked about the result.
func (e *insertion) check() (changes bool, err error) {
	if e.operation != nil {
		return true, e.checkOperation()
	}
	return e.checkOperators()
}

// checkOperators returns an error if the new operator does not accept the types. It forgets the
// recorded types that a Cast may make wrong. casts reports whether a Cast changes a type.
func (e *insertion) checkOperators() (casts bool, err error) {
	for _, at := range e.points {
		if err := e.checkOperator(at); err != nil {
			return false, err
		}
		casts = casts || !at.keepsType() || at.back
	}
	if !casts || e.o.Keep {
		return casts, nil
	}
	f := newFollower(e.model, e.place)
	if e.inside != nil {
		e.doubtInside(f)
	} else {
		e.doubtBehind(f)
	}
	e.forget(f, doubt{elem: true})
	return casts, nil
}

// doubtBehind marks what depends on values that are read with another type than before.
func (e *insertion) doubtBehind(f *follower) {
	for _, at := range e.points {
		if at.keepsType() {
			continue
		}
		for _, r := range at.readers {
			f.read(e.place, r, e.index.Name(at.value))
		}
		if at.atOutput {
			f.leave(e.place, e.index.Name(at.value))
		}
	}
}

// checkOperator returns an error if a type is not accepted by the Cast or Identity in the opset of
// the place. The message tells the opset that would accept it, if there is one.
func (e *insertion) checkOperator(at point) error {
	value := typedName(e.index.Name(at.value), at.was)
	if at.to == tensor.Undefined {
		t := at.was
		if made, ok := e.made[at.value]; ok {
			t, value = made, typedName(e.index.Name(at.value), made)
		}
		return e.checkIdentity(value, t)
	}
	since, ok := castSince(at.to)
	if !ok {
		return fmt.Errorf("type %s: no Cast produces it", at.to)
	}
	if at.was.Kind != graphops.TypeUnknown {
		from, ok := castSince(at.was.Elem)
		if at.was.Kind != graphops.TypeTensor || !ok {
			return fmt.Errorf("value %s: no Cast accepts %s", value, at.was)
		}
		since = max(since, from)
		if at.was.Elem == at.to && !at.back {
			e.report.warn("%s is %s already: the Cast changes nothing", value, at.to)
		}
	}
	return e.checkOpset(fmt.Sprintf("a Cast of %s to %s", value, at.to), since)
}

// checkIdentity is checkOperator for an Identity. It warns if ONNX Runtime has no kernel for the
// type.
func (e *insertion) checkIdentity(value string, t graphops.Type) error {
	since, ok := identitySince(t)
	if !ok {
		return fmt.Errorf("value %s: no Identity accepts %s", value, t)
	}
	if err := e.checkOpset("an Identity of "+value, since); err != nil {
		return err
	}
	version, _ := e.opset(graphops.DefaultDomain)
	schema, known := opschema.Find(graphops.DefaultDomain, "Identity", version)
	types := []graphops.Type{t}
	need := opschema.Need{Schema: schema, Version: version, Opset: version, Inputs: types, Outputs: types}
	if known && need.On(opschema.CPU).Way == opschema.Missing {
		e.report.warn("ONNX Runtime has no kernel on the CPU for an Identity of %s", value)
	}
	return nil
}
