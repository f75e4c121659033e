package check

import (
	"slices"
	"strings"

	"lathe/graphops"
)

var trainingRules = []rule{
	{
		code: "training-mode", severity: Warning,
		title: "a node works as it does in training",
		hint:  "make an inference graph of it, or export the model again in evaluation mode",
		about: `A Dropout in training mode sets random elements to zero, and results differ from run to run. A BatchNormalization in training mode
normalizes by mean and variance of the batch that it is given, so that what one item gives depends on the others.

A model is in training mode if Dropout (version 12 on) reads training_mode = true with a ratio above 0, or (up to version 6) has no
is_test; and if BatchNormalization (14 on) has training_mode = 1, (7 to 13) has more than one output, or (up to 6) has no is_test.
It comes from an export without model.eval(), or with training=TrainingMode.TRAINING. Export again, or let "lathe export --inference" make
an inference graph of all of it: Dropout goes, and BatchNormalization normalizes by its running statistics. As input for training artifacts
such a model is right as it is.`,
		node: trainingMode,
	},
	{
		code: "normalization-outputs", severity: Error,
		title: "a BatchNormalization has not as many outputs as its mode makes",
		hint:  "make training_mode and the outputs agree",
		about: `From version 14 of the operator set on, BatchNormalization has one output, and three with training_mode = 1: the running mean and
variance. ONNX Runtime refuses any other number. It comes from changing training_mode by hand, and from conversions between versions.
"lathe attribute --set training_mode=0" mends a node with one output.`,
		node: normalizationOutputs,
	},
	{
		code: "training-node", severity: Warning,
		title: "a node belongs to training",
		hint:  "prune the model to the outputs that are wanted",
		about: `Losses (SoftmaxCrossEntropyLoss, NegativeLogLikelihoodLoss), gradients and optimizers (Adam, Momentum, Adagrad) are of use while a
model is trained. Whoever runs a model with a loss must feed labels. ONNX Runtime knows the two losses, and refuses gradients and
optimizers unless it was built for training.

"lathe prune --output NAME" keeps what the scores need, and drops the loss and the labels with it.`,
		node: trainingNode,
	},
	{
		code: "training-info", severity: Info,
		title: "the model carries instructions to train it",
		hint:  "nothing, where the model is only run; lathe prune with all outputs drops it",
		about: `ModelProto.training_info tells how to initialize and update weights. Readers for inference ignore it, and steps that edit the graph
drop it, because it speaks of names as they were. "lathe prune" with all outputs drops it.`,
		model: trainingInfo,
	},
}

// inferring is the step that creates an inference graph from the model.
var inferring = &Fix{Step: "export", Options: []Setting{{"inference", "true"}}}

func trainingMode(s *subject, n site, report reporter) {
	if n.OpType() != "Dropout" && n.OpType() != "BatchNormalization" || n.Domain() != graphops.DefaultDomain || s.function(n) != nil {
		return
	}
	version, ok := s.resolved(n.place, n.Domain())
	switch {
	case !ok:
	case n.OpType() == "Dropout":
		s.dropout(n, version, report)
	default:
		normalization(n, version, report)
	}
}

func (s *subject) dropout(n site, version int64, report reporter) {
	switch {
	case version < 7 && !isSet(n, "is_test"):
		p := of(n, "drops elements: is_test is not 1")
		p.Fix = inferring
		report(p)
	case version >= 12 && s.drops(n):
		p := of(n, "drops random elements: training_mode %q is true", n.Inputs()[2])
		p.Value = n.Inputs()[2]
		p.Fix = inferring
		report(p)
	}
}

// drops reports whether a Dropout certainly drops something.
func (s *subject) drops(n site) bool {
	mode, ok := s.profile(n, 2)
	if !ok || mode.Zeros > 0 || mode.Count == 0 {
		return false
	}
	ratio, ok := s.profile(n, 1)
	return !ok || ratio.Zeros < ratio.Count
}

func normalization(n site, version int64, report reporter) {
	trains := isSet(n, "training_mode")
	switch {
	case version < 7 && !isSet(n, "is_test"):
		p := of(n, "normalizes by the batch: is_test is not 1")
		p.Fix = inferring
		report(p)
	case version >= 7 && version < 14 && outputs(n) > 1:
		p := of(n, "normalizes by the batch: it has %s", counted(outputs(n), "output"))
		p.Fix = inferring
		report(p)
	case version >= 14 && trains && outputs(n) > 1:
		p := of(n, "normalizes by the batch: training_mode is 1")
		p.Fix = inferring
		report(p)
	}
}

func normalizationOutputs(s *subject, n site, report reporter) {
	if n.OpType() != "BatchNormalization" || n.Domain() != graphops.DefaultDomain || s.function(n) != nil {
		return
	}
	if schema := s.schema(n); schema == nil || schema.Since < 14 || len(n.Outputs()) < schema.MinOutputs || len(n.Outputs()) > schema.MaxOutputs {
		return // reported by another rule
	}
	mode, want := int64(0), 1
	if isSet(n, "training_mode") {
		mode, want = 1, 3
	}
	if a, ok := n.Attribute("training_mode"); ok && a.RefName() != "" || len(n.Outputs()) == want {
		return // the function's caller decides
	}
	p := of(n, "has %s, and training_mode = %d makes %d", counted(len(n.Outputs()), "output"), mode, want)
	if len(n.Outputs()) == 1 {
		p.Fix = setAttribute(n, "training_mode=0")
	}
	report(p)
}

// isSet reports whether an attribute is given and not 0.
func isSet(n site, name string) bool {
	a, ok := n.Attribute(name)
	return ok && a.Int() != 0
}

// outputs returns the number of outputs of a node that have a name.
func outputs(n site) int {
	count := 0
	for _, name := range n.Outputs() {
		if name != "" {
			count++
		}
	}
	return count
}

// losses are operators that compare scores with labels.
var losses = []string{"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLossInternal", "SoftmaxCrossEntropy", "SparseSoftmaxCrossEntropy"}

// trainingDomains contain gradients and optimizers.
var trainingDomains = []string{"ai.onnx.preview.training", "ai.onnx.training"}

func trainingNode(s *subject, n site, report reporter) {
	if s.function(n) != nil {
		return
	}
	ours := n.Domain() == graphops.DefaultDomain || n.Domain() == graphops.MicrosoftDomain
	switch {
	case slices.Contains(trainingDomains, n.Domain()):
		report(of(n, "is an operator of training"))
	case ours && slices.Contains(losses, n.OpType()):
		p := of(n, "is a loss")
		p.Hint = "keep the scores, and the labels need not be fed"
		p.Fix = s.withoutLoss(n)
		report(p)
	case n.Domain() == graphops.MicrosoftDomain && strings.HasSuffix(n.OpType(), "Grad"):
		report(of(n, "computes a gradient"))
	}
}

// withoutLoss returns a step that keeps the scores and every output that does not depend on a
// loss.
func (s *subject) withoutLoss(n site) *Fix {
	g := n.place.Graph
	x := g.Index()
	if n.place.Kind != graphops.MainGraph || len(n.Inputs()) == 0 {
		return nil
	}
	scores, ok := x.Value(n.Inputs()[0])
	if !ok || x.Producer(scores) < 0 {
		return nil // the model is the loss
	}
	behind := x.Descendants(graphops.NodePoint(n.index))
	out := &Fix{Step: "prune", Options: []Setting{{"output", n.Inputs()[0]}}}
	for _, o := range g.Outputs() {
		if v, ok := x.Value(o.Name()); ok && v != scores && !behind.Values[v] {
			out.Options = append(out.Options, Setting{"output", o.Name()})
		}
	}
	return out
}

func trainingInfo(s *subject, report reporter) {
	if !s.model.HasTraining() {
		return
	}
	p := in(nil, "training_info tells how to train the model")
	p.Fix = &Fix{Step: "prune"}
	for _, o := range s.model.Graph().Outputs() {
		p.Fix.Options = append(p.Fix.Options, Setting{"output", o.Name()})
	}
	report(p)
}
