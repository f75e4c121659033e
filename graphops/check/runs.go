package check

import (
	"sync"

	"lathe/graphops"
	"lathe/graphops/shape"
)

var runFails = rule{
	code: codeRunFails, severity: Error, last: true,
	title: "a node fails in every run because of its constants, attributes and sizes",
	about: `Some operators restrict values in ways that types and shapes do not show: indices must be within the
axis that they index, a Pad in mode reflect must add fewer elements than the axis has, a kernel must
fit into its padded input, an integer must not be divided by 0, a zero point must be a scalar, and
no part of a Split may be empty. A result or input must not have more bytes than a machine can
address. If such a value is a constant and the size that it must fit is a number, the outcome is the
same in every run. In most cases ONNX Runtime loads the model and the run fails ("indices element
out of data bounds", "Pad reflect: pre-pad (3) exceeds maximum allowed", "Invalid input shape"). If
the kernel checks the value when it is created, the model does not load ("Integer division by
zero").

In a branch of an If, in a Loop that may have no iterations, and at a node that no output needs, the
problem is a warning, because the node may never run. Constants that are also inputs are not
checked, because a run may replace them.

The causes are indices made for a larger table, sizes that were fixed at smaller numbers, and parts
of a model that were made for inputs of another size. The message names the value and the limit.`,
	place: failingRuns,
}

// runRules are about problems that only a run shows, and that are the same in every run.
var runRules = []rule{runFails, runtimeDiffers}

// runDemand is what an operator requires in a run.
type runDemand struct {
	fault func(operands) string // returns what is wrong, or an empty string
	// loads is set if ONNX Runtime checks this when it loads the model, so that the node need
	// not run.
	loads bool
}

// runDemands lists what operators require in a run, by domain and operator.
var runDemands = map[graphops.Op]runDemand{
	{Name: "Gather"}:                                  {fault: indexedAlong("axis")},
	{Name: "GatherElements"}:                          {fault: eachOf(elementsBeside, indexedAlong("axis"))},
	{Name: "ScatterElements"}:                         {fault: eachOf(elementsBeside, indexedAlong("axis"))},
	{Name: "Scatter"}:                                 {fault: eachOf(elementsBeside, indexedAlong("axis"))},
	{Name: "GatherND"}:                                {fault: indexedAxes},
	{Name: "ScatterND"}:                               {fault: indexedAxes},
	{Name: "TensorScatter"}:                           {fault: writtenBehind},
	{Name: "ReverseSequence"}:                         {fault: reversedLengths},
	{Name: "RNN"}:                                     {fault: sequenceLengths},
	{Name: "GRU"}:                                     {fault: sequenceLengths},
	{Name: "LSTM"}:                                    {fault: sequenceLengths},
	{Name: "OneHot"}:                                  {fault: eachOf(atLeastOne(1), positiveClasses)},
	{Name: "RoiAlign"}:                                {fault: imagesOfRegions},
	{Domain: microsoft, Name: "CropAndResize"}:        {fault: eachOf(imagesOfRegions, atLeastOne(3))},
	{Name: "RotaryEmbedding"}:                         {fault: eachOf(positionsWithin(3, 1), rotaryTable)},
	{Domain: microsoft, Name: "RotaryEmbedding"}:      {fault: positionsWithin(1, 2)},
	{Domain: microsoft, Name: "AttnLSTM"}:             {fault: sequenceLengths},
	{Domain: microsoft, Name: "GatherND"}:             {fault: indexedAxes},
	{Domain: microsoft, Name: "GatherBlockQuantized"}: {fault: indexedAlong("gather_axis")},
	{Domain: ml, Name: "ArrayFeatureExtractor"}:       {fault: extractedFeatures},

	{Name: "Pad"}:                                     {fault: padFault},
	{Domain: microsoft, Name: "Pad"}:                  {fault: padFault},
	{Name: "Conv"}:                                    {fault: kernelFits(1)},
	{Name: "ConvInteger"}:                             {fault: eachOf(kernelFits(1), scalarAt(2, 3))},
	{Name: "QLinearConv"}:                             {fault: quantizedConvolution},
	{Name: "MatMulInteger"}:                           {fault: eachOf(scalarAt(2), perAxis(3, 1, -1))},
	{Name: "QLinearMatMul"}:                           {fault: scalarAt(1, 2, 6, 7)},
	{Domain: microsoft, Name: "MatMulIntegerToFloat"}: {fault: scalarAt(4)},
	{Domain: microsoft, Name: "FusedConv"}:            {fault: kernelFits(1)},
	{Domain: microsoft, Name: "QLinearConv"}:          {fault: quantizedConvolution},
	{Name: "ConvTranspose"}:                           {fault: transposedFits},
	{Name: "MaxPool"}:                                 {fault: poolFits},
	{Name: "AveragePool"}:                             {fault: poolFits},
	{Name: "LpPool"}:                                  {fault: poolFits},
	{Domain: microsoft, Name: "QLinearAveragePool"}:   {fault: eachOf(poolFits, namedAt(2, 4))},
	{Domain: microsoft, Name: "NhwcMaxPool"}:          {fault: poolFits},
	{Name: "GlobalAveragePool"}:                       {fault: emptyPlane},
	{Name: "GlobalMaxPool"}:                           {fault: emptyPlane},
	{Name: "GlobalLpPool"}:                            {fault: emptyPlane},
	{Name: "Resize"}:                                  {fault: eachOf(resizedCounts, resizedSizes, resizedAxes)},
	{Name: "Upsample"}:                                {fault: eachOf(resizedCounts, enlarged, resizedAxes), loads: true},
	{Name: "MaxUnpool"}:                               {fault: eachOf(namedAt(2), listAt(2), unpooledFits)},
	{Name: "MaxRoiPool"}:                              {fault: imagesOfCorners},
	{Name: "GridSample"}:                              {fault: sampledRank},

	{Name: "If"}:                        {fault: oneElementAt(0)},
	{Name: "Loop"}:                      {fault: oneElementAt(0, 1)},
	{Name: "Range"}:                     {fault: eachOf(scalarAt(0, 1, 2), finiteRange)},
	{Domain: microsoft, Name: "Range"}:  {fault: eachOf(scalarAt(0, 1, 2), finiteRange)},
	{Name: "Tile"}:                      {fault: eachOf(listAt(1), tiledFits)},
	{Name: "Sum"}:                       {fault: equalShapes},
	{Name: "Max"}:                       {fault: equalShapes},
	{Name: "Min"}:                       {fault: equalShapes},
	{Name: "Mean"}:                      {fault: equalShapes},
	{Name: "NegativeLogLikelihoodLoss"}: {fault: targetsWithin},
	{Name: "SoftmaxCrossEntropyLoss"}:   {fault: targetsWithin},

	{Name: "Split"}:                        {fault: splitFault},
	{Name: "SplitToSequence"}:              {fault: negativeParts(1)},
	{Name: "ArgMax"}:                       {fault: emptyAxis},
	{Name: "ArgMin"}:                       {fault: emptyAxis},
	{Name: "DFT"}:                          {fault: atLeastOne(1)},
	{Name: "HannWindow"}:                   {fault: atLeastOne(0), loads: true},
	{Name: "HammingWindow"}:                {fault: atLeastOne(0), loads: true},
	{Name: "BlackmanWindow"}:               {fault: atLeastOne(0), loads: true},
	{Name: "Div"}:                          {fault: zeroDivisor, loads: true},
	{Name: "Mod"}:                          {fault: eachOf(zeroDivisor, floatModulo), loads: true},
	{Name: "Reshape"}:                      {fault: eachOf(listAt(1), zeroAndRest), loads: true},
	{Name: "Expand"}:                       {fault: listBefore(13, 1)},
	{Name: "ConstantOfShape"}:              {fault: rankAt(0, 1)},
	{Name: "Attention"}:                    {fault: maskedLength},
	{Name: "LRN"}:                          {fault: planes},
	{Name: "InstanceNormalization"}:        {fault: rankAt(0, 3)},
	{Name: "STFT"}:                         {fault: eachOf(oneElementAt(1, 3), atLeastOne(1))},
	{Name: "LpNormalization"}:              {fault: axisWithin},
	{Name: "MeanVarianceNormalization"}:    {fault: anyAxis},
	{Name: "MelWeightMatrix"}:              {fault: oneElementAt(0, 1, 2, 3, 4)},
	{Domain: ml, Name: "Scaler"}:           {fault: scaledFeatures},
	{Name: "Dropout"}:                      {fault: dropoutRatio},
	{Name: "NonMaxSuppression"}:            {fault: overlapWithin},
	{Name: "RandomUniform"}:                {fault: risingRange},
	{Name: "RandomUniformLike"}:            {fault: risingRange},
	{Domain: ml, Name: "LinearClassifier"}: {fault: enoughCoefficients(classes)},
	{Domain: ml, Name: "LinearRegressor"}:  {fault: enoughCoefficients(targets)},
	{Name: "Multinomial"}:                  {fault: func(o operands) string { return o.atLeast(1, "sample_size", 1) }},
}

// quantizedConvolution requires one scale and one zero point for each tensor, except for the
// weights, which may have one for each output channel.
var quantizedConvolution = eachOf(kernelFits(3), scalarAt(1, 2, 6, 7), perAxis(4, 3, 0), perAxis(5, 3, 0))

// eachOf returns a function that checks several requirements and returns the message of the first
// that is violated.
func eachOf(demands ...func(operands) string) func(operands) string {
	return func(o operands) string {
		for _, fault := range demands {
			if text := fault(o); text != "" {
				return text
			}
		}
		return ""
	}
}

// contradicted returns the nodes for which another rule has reported a problem.
func (s *subject) contradicted() map[spot]bool {
	out := s.faultyNodes()
	result, _ := s.shapes()
	for _, p := range result.Problems {
		if p.Kind == shape.Clash {
			out[spot{p.Place, p.Node}] = true
		}
	}
	return out
}

// runFault returns a message about the first requirement that a node violates in every run, or an
// empty string. loads is set if ONNX Runtime checks this when it loads the model.
func (s *subject) runFault(n site) (text string, loads bool) {
	schema := s.schema(n)
	if schema == nil || schema.Deprecated {
		return "", false
	}
	o := operands{settings{n}, s, schema.Since}
	if demand, listed := runDemands[n.Op()]; listed {
		if text = demand.fault(o); text != "" {
			return text, demand.loads
		}
	}
	return o.oversized(), false
}

func failingRuns(s *subject, p *graphops.Place, report reporter) {
	if _, err := s.shapes(); err != nil {
		return
	}
	oversizedInputs(p, report)
	faulty := sync.OnceValue(s.contradicted)
	kept := sync.OnceValue(func() keeper { return keeperOf(s, p) })
	for i, node := range p.Graph.Nodes() {
		if i%4096 == 0 && s.ctx.Err() != nil {
			return
		}
		n := site{node, p, i}
		text, loads := s.runFault(n)
		if text == "" || faulty()[spot{p, i}] {
			continue
		}
		problem := of(n, "%s", text)
		problem.Hint = "change the constant, the attribute or the input"
		if problem.Severity = s.orWarning(p); !kept().keeps(n) || s.mayNotRun(p, i) && !loads {
			problem.Severity = Warning
		}
		report(problem)
	}
}
