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
var runDemands = map[[2]string]runDemand{
	{"", "Gather"}:                      {fault: indexedAlong("axis")},
	{"", "GatherElements"}:              {fault: eachOf(elementsBeside, indexedAlong("axis"))},
	{"", "ScatterElements"}:             {fault: eachOf(elementsBeside, indexedAlong("axis"))},
	{"", "Scatter"}:                     {fault: eachOf(elementsBeside, indexedAlong("axis"))},
	{"", "GatherND"}:                    {fault: indexedAxes},
	{"", "ScatterND"}:                   {fault: indexedAxes},
	{"", "TensorScatter"}:               {fault: writtenBehind},
	{"", "ReverseSequence"}:             {fault: reversedLengths},
	{"", "RNN"}:                         {fault: sequenceLengths},
	{"", "GRU"}:                         {fault: sequenceLengths},
	{"", "LSTM"}:                        {fault: sequenceLengths},
	{"", "OneHot"}:                      {fault: atLeastOne(1)},
	{"", "RoiAlign"}:                    {fault: imagesOfRegions},
	{microsoft, "CropAndResize"}:        {fault: eachOf(imagesOfRegions, atLeastOne(3))},
	{"", "RotaryEmbedding"}:             {fault: eachOf(positionsWithin(3, 1), rotaryTable)},
	{microsoft, "RotaryEmbedding"}:      {fault: positionsWithin(1, 2)},
	{microsoft, "AttnLSTM"}:             {fault: sequenceLengths},
	{microsoft, "GatherND"}:             {fault: indexedAxes},
	{microsoft, "GatherBlockQuantized"}: {fault: indexedAlong("gather_axis")},
	{ml, "ArrayFeatureExtractor"}:       {fault: extractedFeatures},

	{"", "Pad"}:                         {fault: padFault},
	{microsoft, "Pad"}:                  {fault: padFault},
	{"", "Conv"}:                        {fault: kernelFits(1)},
	{"", "ConvInteger"}:                 {fault: eachOf(kernelFits(1), scalarAt(2, 3))},
	{"", "QLinearConv"}:                 {fault: quantizedConvolution},
	{"", "MatMulInteger"}:               {fault: eachOf(scalarAt(2), perAxis(3, 1, -1))},
	{"", "QLinearMatMul"}:               {fault: scalarAt(1, 2, 6, 7)},
	{microsoft, "MatMulIntegerToFloat"}: {fault: scalarAt(4)},
	{microsoft, "FusedConv"}:            {fault: kernelFits(1)},
	{microsoft, "QLinearConv"}:          {fault: quantizedConvolution},
	{"", "ConvTranspose"}:               {fault: transposedFits},
	{"", "MaxPool"}:                     {fault: poolFits},
	{"", "AveragePool"}:                 {fault: poolFits},
	{"", "LpPool"}:                      {fault: poolFits},
	{microsoft, "QLinearAveragePool"}:   {fault: eachOf(poolFits, namedAt(2, 4))},
	{microsoft, "NhwcMaxPool"}:          {fault: poolFits},
	{"", "GlobalAveragePool"}:           {fault: emptyPlane},
	{"", "GlobalMaxPool"}:               {fault: emptyPlane},
	{"", "GlobalLpPool"}:                {fault: emptyPlane},
	{"", "Resize"}:                      {fault: eachOf(resizedCounts, resizedSizes, resizedAxes)},
	{"", "Upsample"}:                    {fault: eachOf(resizedCounts, enlarged, resizedAxes), loads: true},
	{"", "MaxUnpool"}:                   {fault: eachOf(namedAt(2), listAt(2), unpooledFits)},
	{"", "MaxRoiPool"}:                  {fault: imagesOfCorners},
	{"", "GridSample"}:                  {fault: sampledRank},

	{"", "If"}:                        {fault: oneElementAt(0)},
	{"", "Loop"}:                      {fault: oneElementAt(0, 1)},
	{"", "Range"}:                     {fault: eachOf(scalarAt(0, 1, 2), finiteRange)},
	{microsoft, "Range"}:              {fault: eachOf(scalarAt(0, 1, 2), finiteRange)},
	{"", "Tile"}:                      {fault: eachOf(listAt(1), tiledFits)},
	{"", "Sum"}:                       {fault: equalShapes},
	{"", "Max"}:                       {fault: equalShapes},
	{"", "Min"}:                       {fault: equalShapes},
	{"", "Mean"}:                      {fault: equalShapes},
	{"", "NegativeLogLikelihoodLoss"}: {fault: targetsWithin},
	{"", "SoftmaxCrossEntropyLoss"}:   {fault: targetsWithin},

	{"", "Split"}:                     {fault: splitFault},
	{"", "SplitToSequence"}:           {fault: negativeParts(1)},
	{"", "ArgMax"}:                    {fault: emptyAxis},
	{"", "ArgMin"}:                    {fault: emptyAxis},
	{"", "DFT"}:                       {fault: atLeastOne(1)},
	{"", "HannWindow"}:                {fault: atLeastOne(0), loads: true},
	{"", "HammingWindow"}:             {fault: atLeastOne(0), loads: true},
	{"", "BlackmanWindow"}:            {fault: atLeastOne(0), loads: true},
	{"", "Div"}:                       {fault: zeroDivisor, loads: true},
	{"", "Mod"}:                       {fault: eachOf(zeroDivisor, floatModulo), loads: true},
	{"", "Reshape"}:                   {fault: eachOf(listAt(1), zeroAndRest), loads: true},
	{"", "Expand"}:                    {fault: listBefore(13, 1)},
	{"", "ConstantOfShape"}:           {fault: rankAt(0, 1)},
	{"", "Attention"}:                 {fault: maskedLength},
	{"", "LRN"}:                       {fault: planes},
	{"", "InstanceNormalization"}:     {fault: rankAt(0, 3)},
	{"", "STFT"}:                      {fault: eachOf(oneElementAt(1, 3), atLeastOne(1))},
	{"", "LpNormalization"}:           {fault: axisWithin},
	{"", "MeanVarianceNormalization"}: {fault: anyAxis},
	{"", "MelWeightMatrix"}:           {fault: oneElementAt(0, 1, 2, 3, 4)},
	{ml, "Scaler"}:                    {fault: scaledFeatures},
	{"", "Dropout"}:                   {fault: dropoutRatio},
	{"", "NonMaxSuppression"}:         {fault: overlapWithin},
	{"", "RandomUniform"}:             {fault: risingRange},
	{"", "RandomUniformLike"}:         {fault: risingRange},
	{ml, "LinearClassifier"}:          {fault: enoughCoefficients(classes)},
	{ml, "LinearRegressor"}:           {fault: enoughCoefficients(targets)},
	{"", "Multinomial"}:               {fault: func(o operands) string { return o.atLeast(1, "sample_size", 1) }},
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
	if demand, listed := runDemands[[2]string{n.Domain(), n.OpType()}]; listed {
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
