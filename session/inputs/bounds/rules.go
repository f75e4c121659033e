package bounds

import (
	"sync"

	"lathe/graphops/tensor"
)

// rule returns which values a node allows for the elements of one of its inputs.
type rule func(u use) Allowed

// rules are the rules by operator and position of the input.
var rules = sync.OnceValue(func() map[string]map[int]rule {
	out := map[string]map[int]rule{
		"Gather":                              {1: index(0, axisAttribute("axis", 0))},
		"GatherElements":                      {1: index(0, axisAttribute("axis", 0))},
		"ScatterElements":                     {1: index(0, axisAttribute("axis", 0))},
		"Scatter":                             {1: index(0, axisAttribute("axis", 0))},
		"TensorScatter":                       {2: zeros("write from the start")},
		"GatherND":                            {1: tuples},
		"ScatterND":                           {1: tuples},
		"ai.onnx.ml::ArrayFeatureExtractor":   {1: index(0, fixedAxis(-1))},
		"NegativeLogLikelihoodLoss":           {1: index(0, fixedAxis(1))},
		"SoftmaxCrossEntropyLoss":             {1: index(0, fixedAxis(1))},
		"RotaryEmbedding":                     {3: index(1, fixedAxis(0))},
		"OneHot":                              {0: oneHotIndex, 1: counts(2, 8, "number of classes")},
		"com.microsoft::GatherND":             {1: tuples},
		"com.microsoft::GatherBlockQuantized": {1: index(0, axisAttribute("gather_axis", 0))},
		"com.microsoft::EmbedLayerNormalization": {
			0: index(2, fixedAxis(0)), 1: index(4, fixedAxis(0)), 8: index(3, fixedAxis(0)),
		},
		"com.microsoft::QEmbedLayerNormalization":        {0: index(2, fixedAxis(0)), 1: index(4, fixedAxis(0))},
		"com.microsoft::RotaryEmbedding":                 {1: index(2, fixedAxis(0))},
		"com.microsoft::SoftmaxCrossEntropyLossInternal": {1: index(0, fixedAxis(1))},

		"Loop":            {0: counts(1, 5, "trip count"), 1: ones("condition to begin")},
		"RNN":             {4: sequenceLengths},
		"GRU":             {4: sequenceLengths},
		"LSTM":            {4: sequenceLengths},
		"ReverseSequence": {1: lengths(0, axisAttribute("time_axis", 0))},
		"TopK":            {1: lengths(0, axisAttribute("axis", -1))},
		"Range":           {0: zeros("start"), 1: rangeEnd, 2: ones("step")},
		"NonMaxSuppression": {
			0: suppressed, 2: counts(1, 10, "number of boxes to keep"), 3: fractions("threshold"), 4: fractions("threshold"),
		},
		"SequenceAt":     {1: zeros("position")},
		"SequenceErase":  {1: zeros("position")},
		"SequenceInsert": {2: zeros("position")},
		"Trilu":          {1: counts(-1, 1, "diagonal")},
		"CumSum":         {1: axes},
		"BitShift":       {1: counts(0, 3, "bits to shift by")},
		"Dropout":        {1: fractions("ratio"), 2: zeros("training mode")},
		"Bernoulli":      {0: fractions("probability")},
		"STFT":           {1: counts(1, 4, "frame step"), 3: counts(4, 8, "frame length")},
		"DFT":            {1: counts(4, 8, "length"), 2: axes},
		"HannWindow":     {0: counts(4, 8, "window size")},
		"HammingWindow":  {0: counts(4, 8, "window size")},
		"MelWeightMatrix": {
			0: only(8, "number of bands"), 1: only(64, "length of the transform"), 2: only(8192, "sample rate"),
			3: zeros("lowest frequency"), 4: only(4096, "highest frequency"),
		},
		"BlackmanWindow":       {0: counts(4, 8, "window size")},
		"Div":                  {1: divisor},
		"Mod":                  {1: divisor},
		"Equal":                {0: compared, 1: compared},
		"Less":                 {0: counted, 1: counted},
		"LessOrEqual":          {0: counted, 1: counted},
		"Greater":              {0: counted, 1: counted},
		"GreaterOrEqual":       {0: counted, 1: counted},
		"If":                   {0: branch},
		"Cast":                 {0: numerals},
		"CastLike":             {0: numerals},
		"RoiAlign":             {1: regions(false), 2: index(0, fixedAxis(0))},
		"MaxRoiPool":           {1: regions(true)},
		"MaxUnpool":            {1: anyElement, 2: unpooledShape},
		"AffineGrid":           {1: gridSize},
		"Attention":            {6: cacheLength(1)},
		"com.microsoft::Range": {0: zeros("start"), 1: rangeEnd, 2: ones("step")},

		"Reshape":         {1: reshape},
		"Expand":          {1: ones("shape that everything broadcasts to")},
		"Tile":            {1: counts(1, 2, "repeats")},
		"ConstantOfShape": {0: shapeOfOutput},
		"CenterCropPad":   {1: shapeOfData},
		"Resize":          {2: ones("scales"), 3: shapeOfData},
		"Upsample":        {1: ones("scales")},
		"Slice":           {1: zeros("where to start"), 2: sliceEnds, 3: axes, 4: ones("steps")},
		"Pad":             {1: pads, 3: axes},
		"Unsqueeze":       {1: axes},
		"Squeeze":         {1: squeezable},
		"Split":           {1: split},
		"SplitToSequence": {1: split},

		"com.microsoft::BeamSearch": {
			1: maxLength, 2: ones("shortest answer"), 3: counts(2, 4, "beams"), 4: ones("answers"),
			5: ones("length penalty"), 6: ones("repetition penalty"), 7: ones("vocabulary mask"),
		},
		"com.microsoft::GreedySearch":       {1: maxLength, 2: ones("shortest answer"), 3: ones("repetition penalty"), 4: ones("vocabulary mask")},
		"com.microsoft::Sampling":           {1: maxLength, 2: ones("shortest answer"), 3: ones("repetition penalty"), 4: ones("vocabulary mask")},
		"com.microsoft::Attention":          {3: attentionMask(0), 6: cachedLength(4, 3)},
		"com.microsoft::MultiHeadAttention": {4: attentionMask(1), 8: cachedLength(6, 2), 9: zeros("beam that an element came from")},
		"com.microsoft::DecoderMaskedSelfAttention": {
			3: ones("mask"), 6: cachedLength(4, 3), 7: ones("beams"), 8: zeros("beam that an element came from"),
		},
		"com.microsoft::DecoderMaskedMultiHeadAttention": {
			3: ones("mask"), 7: cachedLength(5, 2), 8: ones("beams"), 9: zeros("beam that an element came from"),
		},
		"com.microsoft::GroupQueryAttention": {5: pastLength(-1), 6: pastLength(0), 9: index(7, fixedAxis(0))},
		"com.microsoft::CropAndResize":       {1: crops, 2: index(0, fixedAxis(0)), 3: counts(2, 8, "size of a crop")},
		"com.microsoft::NGramRepeatBlock":    {0: index(1, fixedAxis(1))},

		"ai.onnx.ml::LabelEncoder":   {0: vocabulary("keys_strings", "keys_int64s")},
		"ai.onnx.ml::CategoryMapper": {0: vocabulary("cats_strings", "cats_int64s")},
		"ai.onnx.ml::OneHotEncoder":  {0: vocabulary("cats_strings", "cats_int64s")},
		"ai.onnx.ml::DictVectorizer": {0: vocabulary("string_vocabulary", "int64_vocabulary")},
		"TfIdfVectorizer":            {0: vocabulary("pool_strings", "pool_int64s")},
	}
	for _, op := range []string{"L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"} {
		out["Reduce"+op] = map[int]rule{1: axes}
	}
	return out
})

func ones(what string) rule { return only(1, what) }

func zeros(what string) rule { return only(0, what) }

func only(v int64, what string) rule {
	return func(u use) Allowed { return oneOf(u.because("%s", what), v) }
}

func counts(lo, hi int64, what string) rule {
	return func(u use) Allowed { return between(lo, hi, u.because("%s", what)) }
}

// rangeEnd is the rule for the end of a Range. It suggests a small number.
func rangeEnd(u use) Allowed {
	a := between(1, 5, u.because("end"))
	a.Suggested = true
	return a
}

func fractions(what string) rule {
	return func(u use) Allowed { return Allowed{Kind: Within, Lo: 0, Hi: 1, Why: u.because("%s", what)} }
}

// divisor is the rule for divisors. It excludes 0 for integers, because an integer division by 0
// crashes the runtime's process. Floating-point divisors are not limited.
func divisor(u use) Allowed {
	if kind := u.elem.Kind(); kind != tensor.KindSigned && kind != tensor.KindUnsigned {
		return Allowed{}
	}
	a := between(1, 9, u.because("whole divisor"))
	a.loose = true
	return a
}
