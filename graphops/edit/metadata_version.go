package edit

import (
	"fmt"
	"strconv"

	"lathe/graphops"
)

const (
	// irImports is the first IR version in which a model imports opsets.
	irImports = 3
	// irPartMetadata is the first IR version with metadata_props for all parts; the model itself
	// had them before.
	irPartMetadata = 10
)

// reversion sets the IR version of the model if the options request one. It returns an error if the
// model contains something that the version does not have.
func (e *edit) reversion(m *graphops.Model, o MetadataOptions) (*graphops.Model, error) {
	from, to := m.IRVersion(), o.IRVersion
	if to == 0 {
		to = from
	}
	if o.Of != WholeModel && len(o.Set) > 0 && to < irPartMetadata {
		return nil, fmt.Errorf("metadata of parts of a model needs IR version %d, but the model has version %d; raise it with --ir-version %d", irPartMetadata, to, irPartMetadata)
	}
	if to == from {
		return m, nil
	}
	if err := canBe(m, to); err != nil {
		return nil, fmt.Errorf("IR version %d: %w", to, err)
	}
	e.warnOptional(m, from, to)
	e.report.changed("ir_version", "model", strconv.FormatInt(from, 10), strconv.FormatInt(to, 10))
	if to > from {
		return m.AtLeastIR(to), nil
	}
	next := graphops.Edit(m)
	next.SetIRVersion(to)
	return next.Model(), nil
}

// canBe returns an error that says why the model cannot have the IR version; nil if it can.
func canBe(m *graphops.Model, version int64) error {
	need := m.NeededIR()
	switch {
	case version > graphops.LatestIRVersion:
		return fmt.Errorf("the newest version that is known is %d", graphops.LatestIRVersion)
	case m.IRVersion() > graphops.LatestIRVersion && m.UnknownField() != "":
		return fmt.Errorf("the model is of version %d and has %s, which is not known here; the newest version that is known is %d", m.IRVersion(), m.UnknownField(), graphops.LatestIRVersion)
	case need.Version > graphops.LatestIRVersion:
		return fmt.Errorf("%s belongs to no version that is known", need.What)
	case version < need.Version:
		return fmt.Errorf("%s needs version %d", need.What, need.Version)
	case version >= irImports && len(m.Opsets()) == 0:
		return fmt.Errorf("a model of version %d and above imports operator sets, this one imports none", irImports)
	}
	return nil
}

// warnOptional warns about inputs with an initializer if the new IR version changes their meaning:
// they are constants before version 4, and optional inputs from then on.
func (e *edit) warnOptional(m *graphops.Model, from, to int64) {
	x := m.Graph().Index()
	var names []string
	for _, v := range m.Graph().Inputs() {
		if id, ok := x.Value(v.Name()); ok && x.IsInitializer(id) {
			names = append(names, v.Name())
		}
	}
	switch {
	case len(names) == 0:
	case from < graphops.OptionalInputsIR && to >= graphops.OptionalInputsIR:
		e.report.warn("from IR version %d on initializers need not be inputs, so these are removed from the inputs and stay constants: %s; lathe constants to-inputs --optional makes them optional inputs", graphops.OptionalInputsIR, graphops.QuoteNames(names))
	case from >= graphops.OptionalInputsIR && to < graphops.OptionalInputsIR:
		e.report.warn("inputs with an initializer are constants before IR version %d and cannot be fed: %s", graphops.OptionalInputsIR, graphops.QuoteNames(names))
	}
}
