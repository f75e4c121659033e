package edit

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Connection feeds an input of the second model with a value of the first.
type Connection struct{ From, To string }

// MergeOptions say how two models become one.
type MergeOptions struct {
	// Connect are the connections. Without any, outputs feed the inputs of their
	// names or, where no name agrees, the only output feeds the only input.
	Connect []Connection
	// Separate are inputs that both models have and that stay two. Others of one
	// name and of types that agree become one.
	Separate []string
	// Prefix is put before the names of what is inside the second model.
	Prefix string
	// KeepOutputs keeps the outputs that feed an input as outputs of the result.
	KeepOutputs bool
}

// Merge puts two models together, end to end: the second goes on where the first
// ends. Inputs of the second that nothing feeds are inputs of the result. Its
// outputs come first, then those of the first that feed nothing. What inputs and
// outputs are called stays, and what is inside gives way to it.
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

// merger is a merge under way. The two models are replaced by what they become
// on the way.
type merger struct {
	first, second *graphops.Model
	o             MergeOptions
	report        *Report
	made          *shape.Result // of first as it is at the start

	irVersion int64
	opsets    []graphops.Opset // to be imported beside those of first
	functions []*graphops.Function
	// source tells, for each input of second that is fed, the value of first that
	// feeds it, both by their names at the start.
	source map[string]string
	// fed are the keys of source in order, so that reports do not change from run
	// to run.
	fed   []string
	names mergedNames
	was   *graphops.Graph       // second's main graph under its own names
	kept  []*graphops.ValueInfo // outputs of first that stay, under their own names
}

// chooseFormat raises both models to the higher version of the file format, and
// warns of constants that stop being listed as inputs for that.
func (j *merger) chooseFormat() {
	j.irVersion = max(j.first.IRVersion(), j.second.IRVersion())
	for i, m := range []**graphops.Model{&j.first, &j.second} {
		if (*m).HasTraining() {
			*m = (*m).WithoutTraining()
			j.report.warn("%s model: %s", ordinal[i], graphops.TrainingDropped)
		}
		raised := (*m).AtLeastIR(j.irVersion)
		if listed := len((*m).Graph().Inputs()) - len(raised.Graph().Inputs()); listed > 0 {
			j.report.warn("%s model: IR version %d lists constants as inputs, %d of them; they are none in the result, whose IR version is %d",
				ordinal[i], (*m).IRVersion(), listed, j.irVersion)
		}
		*m = raised
	}
}

// ordinal names the two models in messages: both can be of one file.
var ordinal = [...]string{"the first", "the second"}

// joinImports finds the operator sets of the result. A domain of which both
// models use operators must have one version.
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

// imports are the operator sets of a model, the one included that very old models
// do not name.
func imports(m *graphops.Model) []graphops.Opset {
	list := m.Opsets()
	if v, ok := m.Opset(graphops.DefaultDomain); ok && len(list) == 0 {
		list = append(list, graphops.Opset{Version: v})
	}
	return list
}

// usedDomains are the domains whose operators a model's nodes are, or its
// functions import. Calls of the model's own functions are none: no operator set
// defines those.
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

// domainName is how messages call a domain.
func domainName(domain string) string {
	if domain == graphops.DefaultDomain {
		return "ai.onnx"
	}
	return domain
}
