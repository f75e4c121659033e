package edit

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Connection feeds an input of the second model with a value of the first.
type Connection struct{ From, To string }

// MergeOptions say how two models are merged.
type MergeOptions struct {
	// Connect lists the connections. If empty, outputs feed inputs of the same name, or, if no
	// names agree, the only output feeds the only input.
	Connect []Connection
	// Separate lists inputs that both models have but that stay separate. Other inputs with the
	// same name and compatible types become one.
	Separate []string
	// Prefix is put before the names of inner values and nodes of the second model.
	Prefix string
	// KeepOutputs keeps outputs that feed an input as outputs of the result.
	KeepOutputs bool
}

// Merge joins two models so that outputs of the first feed inputs of the second. Other inputs of
// the second become inputs of the result. The outputs of the result are those of the second,
// followed by those of the first that feed nothing. Inputs and outputs keep their names; inner
// names that conflict are changed.
func Merge(ctx context.Context, first, second *graphops.Model, o MergeOptions) (*graphops.Model, *Report, error) {
	if err := checkText(o.Prefix); err != nil {
		return nil, nil, fmt.Errorf("prefix %w", err)
	}
	j := &merger{
		first: first, second: second, o: o,
		source: map[string]string{},
		report: &Report{NodesBefore: len(first.Graph().Nodes())},
	}
	j.chooseFormat()
	var err error
	if j.made, err = inferred(ctx, j.first, shape.Options{}); err != nil {
		return nil, nil, err
	}
	for _, step := range []func() error{j.connect, j.share, j.joinImports, j.joinFunctions} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	j.joinSymbols()
	j.joinNames()
	m, err := j.build()
	return m, j.report, err
}

// merger is a merge in progress. The two models are replaced by modified versions along the way.
type merger struct {
	first, second *graphops.Model
	o             MergeOptions
	report        *Report
	made          *shape.Result // inferred types of the original first model

	irVersion int64
	opsets    []graphops.Opset // to be imported in addition to those of first
	functions []*graphops.Function
	// source maps each fed input of second to the value of first that feeds it, both by original
	// names.
	source map[string]string
	// fed has the keys of source in order, so that reports are reproducible.
	fed   []string
	names mergedNames
	was   *graphops.Graph       // second's main graph with original names
	kept  []*graphops.ValueInfo // outputs of first that remain, with original names
}

// chooseFormat raises both models to the higher version of the file format, and warns about
// constants that are no longer listed as inputs because of it.
func (j *merger) chooseFormat() {
	j.irVersion = max(j.first.IRVersion(), j.second.IRVersion())
	for i, m := range []**graphops.Model{&j.first, &j.second} {
		if (*m).HasTraining() {
			*m = (*m).WithoutTraining()
			j.report.warn("%s model: %s", ordinal[i], graphops.TrainingDropped)
		}
		raised := (*m).AtLeastIR(j.irVersion)
		if listed := len((*m).Graph().Inputs()) - len(raised.Graph().Inputs()); listed > 0 {
			j.report.warn("%s model: constants that IR version %d lists as inputs are not inputs in the result, whose IR version is %d; there are %d",
				ordinal[i], (*m).IRVersion(), j.irVersion, listed)
		}
		*m = raised
	}
}

// ordinal names the two models in messages, because both can come from the same file.
var ordinal = [...]string{"the first", "the second"}

// joinImports determines the opsets of the result. If both models use operators of a domain, the
// versions must agree.
func (j *merger) joinImports() error {
	usedByFirst, usedBySecond := usedDomains(j.first), usedDomains(j.second)
	for _, o := range imports(j.second) {
		had, ok := j.first.Opset(o.Domain)
		switch {
		case ok && had == o.Version:
			continue
		case !ok:
		case usedByFirst[o.Domain] && usedBySecond[o.Domain]:
			return fmt.Errorf("the models use different versions of the operators of %s, the first %d, the second %d; export or convert one to the version of the other",
				domainName(o.Domain), had, o.Version)
		default:
			version := o.Version
			if usedByFirst[o.Domain] || !usedBySecond[o.Domain] && had > version {
				version = had
			}
			j.report.warn("the models import %s in versions %d and %d; %d is taken, because not both of them use its operators",
				domainName(o.Domain), had, o.Version, version)
			o.Version = version
		}
		j.opsets = append(j.opsets, o)
	}
	return nil
}

// imports returns the opsets of a model, including the one that very old models do not name.
func imports(m *graphops.Model) []graphops.Opset {
	list := m.Opsets()
	if v, ok := m.Opset(graphops.DefaultDomain); ok && len(list) == 0 {
		list = append(list, graphops.Opset{Version: v})
	}
	return list
}

// usedDomains returns the domains of a model's operators and of the imports of its functions. Calls
// of the model's own functions do not count.
func usedDomains(m *graphops.Model) map[string]bool {
	used := map[string]bool{}
	own := functionsOf(m)
	for _, f := range m.Functions() {
		for _, o := range f.Opsets() {
			used[o.Domain] = true
		}
	}
	for n := range m.AllNodes() {
		if own[n.Calls()] == nil {
			used[n.Domain()] = true
		}
	}
	return used
}

// domainName returns the name of a domain for messages.
func domainName(domain string) string {
	if domain == graphops.DefaultDomain {
		return "ai.onnx"
	}
	return domain
}
