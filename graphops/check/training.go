package check

import (
	"slices"
	"strings"

	"lathe/graphops"
)

var trainingRules = []rule{
	{
		code: "training-mode", severity: Warning,
		title: "a node behaves as in training",
		hint:  "convert the model to an inference graph, or export it again in evaluation mode",
		about: `A Dropout in training mode sets random elements to zero, so results differ from run to run. A
BatchNormalization in training mode normalizes by mean and variance of the current batch, so the
result for one item depends on the other items.

Dropout is in training mode if training_mode = true and the ratio is above 0 (from version 12 on),
or if is_test is missing (up to version 6). BatchNormalization is in training mode if training_mode
= 1 (from version 14 on), if it has more than one output (7 to 13), or if is_test is missing (up to
6). The cause is an export without model.eval(), or with training=TrainingMode.TRAINING. Export the
model again, or use "lathe export --inference": it removes Dropout and makes BatchNormalization use
its running statistics. If the model is the input for training artifacts, it is right as it is.`,
		node: trainingMode,
	},
	{
		code: "normalization-outputs", severity: Error,
		title: "the number of outputs of a BatchNormalization does not match its training_mode",
		hint:  "make training_mode and the outputs agree",
		about: `From version 14 of the operator set on, BatchNormalization has one output, or three with
training_mode = 1: also the running mean and variance. ONNX Runtime rejects any other number. The
causes are changing training_mode by hand, and conversions between versions. For a node with one
output, "lathe attribute --set training_mode=0" fixes it.`,
		node: normalizationOutputs,
	},
	{
		code: "training-node", severity: Warning,
		title: "a node is only useful for training",
		hint:  "prune the model to the outputs that you need",
		about: `Losses (SoftmaxCrossEntropyLoss, NegativeLogLikelihoodLoss), gradients and optimizers (Adam,
Momentum, Adagrad) are only useful while a model is trained. To run a model with a loss, you must
supply labels. ONNX Runtime has the two losses, but rejects gradients and optimizers unless it was
built for training.

"lathe prune --output NAME" keeps what the scores need, and removes the loss and the labels.`,
		node: trainingNode,
	},
	{
		code: "training-info", severity: Info,
		title: "the model contains training instructions",
		hint:  "nothing is needed if you only run the model; to remove them, use lathe prune with all outputs",
		about: `ModelProto.training_info says how to initialize and update weights. Inference runtimes ignore it.
Steps that edit the graph drop it, because it refers to names that may have changed. "lathe prune"
with all outputs removes it.`,
		model: trainingInfo,
	},
}

// inferring is the step that creates an inference graph from the model.
var inferring = &Fix{Step: "export", Options: []Setting{{"inference", "true"}}}

func trainingMode(s *subject, n site, report reporter) {
	if !n.Is("Dropout") && n.OpType() != "BatchNormalization" || n.Domain() != graphops.DefaultDomain || s.function(n) != nil {
		return
	}
	version, ok := s.resolved(n.place, n.Domain())
	switch {
	case !ok:
	case n.Is("Dropout"):
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
		p := of(n, "drops random elements: training_mode %q is true", n.Input(2))
		p.Value = n.Input(2)
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
	if !n.Is("BatchNormalization") || s.function(n) != nil {
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
	p := of(n, "has %s, but training_mode = %d requires %d", counted(len(n.Outputs()), "output"), mode, want)
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
		report(of(n, "is an operator for training"))
	case ours && slices.Contains(losses, n.OpType()):
		p := of(n, "is a loss")
		p.Hint = "prune the model to the scores; then no labels are needed"
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
	scores, ok := x.Value(n.Input(0))
	if !ok || x.Producer(scores) < 0 {
		return nil // the model is the loss
	}
	behind := x.Descendants(graphops.NodePoint(n.index))
	out := &Fix{Step: "prune", Options: []Setting{{"output", n.Input(0)}}}
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
	p := in(nil, "training_info has instructions for training the model")
	p.Fix = &Fix{Step: "prune"}
	for _, o := range s.model.Graph().Outputs() {
		p.Fix.Options = append(p.Fix.Options, Setting{"output", o.Name()})
	}
	report(p)
}
