package edit

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// Connection says that the value From of the first model feeds the input To of the second.
type Connection struct{ From, To string }

// MergeOptions say how two models are joined.
type MergeOptions struct {
	// Connect lists the connections. If it is empty, each output of the first model feeds the input
	// of the second with the same name. If no names are equal, the only output feeds the only
	// input.
	Connect []Connection
	// Separate lists inputs that both models have but that shall stay separate. Any other two
	// inputs with the same name and compatible types become one.
	Separate []string
	// Prefix is put before the names of the nodes of the second model, and of its values other than
	// inputs and outputs.
	Prefix string
	// KeepOutputs keeps those outputs of the first model that feed an input of the second.
	// Otherwise they are no outputs of the result.
	KeepOutputs bool
}

// Merge joins two models, so that values of the first feed inputs of the second. The other inputs
// of the second become inputs of the result. The outputs of the result are those of the second,
// followed by those of the first that feed nothing. Inputs and outputs keep their names. If names
// of other values conflict, those of the second model change.
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

// merger is the state of one call of Merge. first and second are replaced by changed versions of
// the models.
type merger struct {
	first, second *graphops.Model
	o             MergeOptions
	report        *Report
	made          *shape.Result // inferred types of the original first model

	irVersion int64
	opsets    []graphops.Opset // to be imported in addition to those of first
	functions []*graphops.Function
	// source maps each input of second that is fed to the value of first that feeds it. Both are
	// original names.
	source map[string]string
	// fed lists the keys of source in the order of the connections.
	fed   []string
	names mergedNames
	was   *graphops.Graph       // second's main graph with original names
	kept  []*graphops.ValueInfo // outputs of first that remain, with original names
}

// chooseFormat raises both models to the higher of their IR versions. It warns about constants that
// were listed as inputs and no longer are.
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

// joinImports determines the opsets of the result. It returns an error if both models use operators
// of a domain in different versions.
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

// imports returns the opsets of a model. A very old model imports none, but uses one.
func imports(m *graphops.Model) []graphops.Opset {
	list := m.Opsets()
	if v, ok := m.Opset(graphops.DefaultDomain); ok && len(list) == 0 {
		list = append(list, graphops.Opset{Version: v})
	}
	return list
}

// usedDomains returns the domains of the operators that a model uses, and those that its functions
// import. Calls of the model's own functions do not count.
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
