package check

import (
	"fmt"

	"lathe/graphops"
)

// kernelDemands are requirements of ONNX Runtime's kernels for several attributes together, by
// domain and operator. Each returns what is wrong, or an empty string.
var kernelDemands = map[graphops.Op]func(n settings, since int64) string{
	{Name: "Attention"}:   attentionFault,
	{Name: "AveragePool"}: poolFault,
	{Name: "Cast"}:        castFault,
	{Name: "Conv"}:        eitherPads, {Name: "ConvInteger"}: eitherPads, {Name: "ConvTranspose"}: eitherPads, {Name: "QLinearConv"}: eitherPads,
	{Name: "Optional"}:       optionalFault,
	{Name: "RegexFullMatch"}: patternFault,
	{Name: "RoiAlign"}:       func(n settings, _ int64) string { return n.atLeast(0, "sampling_ratio", 0) },
	{Domain: microsoft, Name: "EmbedLayerNormalization"}:            epsilonFault,
	{Domain: microsoft, Name: "SkipLayerNormalization"}:             epsilonFault,
	{Domain: microsoft, Name: "SkipSimplifiedLayerNormalization"}:   epsilonFault,
	{Domain: microsoft, Name: "FusedConv"}:                          fusedConvolutionFault,
	{Domain: microsoft, Name: "FusedGemm"}:                          fusedProductFault,
	{Domain: microsoft, Name: "GroupQueryAttention"}:                sharedQueryFault,
	{Domain: microsoft, Name: "Tokenizer"}:                          tokenizerFault,
	{Domain: microsoft, Name: "MoE"}:                                expertsFault,
	{Domain: microsoft, Name: "QMoE"}:                               expertsFault,
	{Domain: graphops.MicrosoftDomain, Name: "BifurcationDetector"}: ngramSizesFault,
	{Domain: graphops.MicrosoftDomain, Name: "NGramRepeatBlock"}:    func(n settings, _ int64) string { return n.atLeast(1, "ngram_size", 1) },
	{Domain: ml, Name: "CategoryMapper"}:                            categoriesFault, {Domain: ml, Name: "Scaler"}: filled("scale"),
	{Domain: ml, Name: "Imputer"}: eitherList("imputed_value_floats", "imputed_value_int64s"), {Domain: ml, Name: "OneHotEncoder"}: eitherList("cats_int64s", "cats_strings"),
	{Domain: ml, Name: "LabelEncoder"}: settings.labels,
	{Domain: ml, Name: "TreeEnsemble"}: func(n settings, _ int64) string { return n.trees() },
	{Name: "Clip"}:                     clipFault,
	{Name: "GRU"}:                      gated(2),
	{Name: "LpPool"}:                   poolFault,
	{Name: "LRN"}:                      responseFault,
	{Name: "LSTM"}:                     gated(3),
	{Name: "MaxPool"}:                  poolFault,
	{Name: "MaxRoiPool"}:               func(n settings, _ int64) string { return n.positive("spatial_scale") },
	{Name: "Resize"}:                   resizeFault,
	{Name: "ReverseSequence"}:          reverseFault,
	{Name: "RNN"}:                      plainRecurrent,
	{Name: "RotaryEmbedding"}:          rotaryFault,
	{Name: "TfIdfVectorizer"}:          ngramFault,
	{Domain: graphops.MicrosoftDomain, Name: "RotaryEmbedding"}: rotaryFault,
	{Domain: ml, Name: "LinearClassifier"}:                      linearClassifierFault,
	{Domain: ml, Name: "LinearRegressor"}:                       linearRegressorFault,
	{Domain: ml, Name: "SVMClassifier"}:                         vectorClassifierFault,
	{Domain: ml, Name: "SVMRegressor"}:                          vectorRegressorFault,
	{Domain: ml, Name: "TreeEnsembleClassifier"}:                treeClassifierFault,
	{Domain: ml, Name: "TreeEnsembleRegressor"}:                 treeRegressorFault,
}

// positive returns a message unless a float attribute is greater than 0. NaN is not. The default is
// 1.
func (n settings) positive(name string) string {
	if v, known := n.float(name, 1); known && !(v > 0) {
		return fmt.Sprintf("attribute %q is %v, expected more than 0", name, v)
	}
	return ""
}

// atLeast returns a message unless an integer attribute is at least least. otherwise is its
// default.
func (n settings) atLeast(least int64, name string, otherwise int64) string {
	if v, known := n.number(name, otherwise); known && v < least {
		return fmt.Sprintf("attribute %q is %d, expected at least %d", name, v, least)
	}
	return ""
}

// first returns the first message that is not empty.
func first(faults ...string) string {
	for _, f := range faults {
		if f != "" {
			return f
		}
	}
	return ""
}

func attentionFault(n settings, _ int64) string {
	if f := n.positive("scale"); f != "" {
		return f
	}
	mode, known := n.number("qk_matmul_output_mode", 0)
	if out := n.Outputs(); known && len(out) > 3 && out[3] != "" && (mode < -1 || mode > 3) {
		return fmt.Sprintf("attribute \"qk_matmul_output_mode\" is %d, expected 0 to 3", mode)
	}
	return ""
}

func castFault(n settings, _ int64) string {
	to, known := n.number("to", 0)
	if saturate, ok := n.number("saturate", 1); known && ok && saturate == 0 && (to < 17 || to > 20) {
		return "attribute \"saturate\" is 0, which is allowed only for casts to float8"
	}
	return ""
}

// categoriesFault requires that a CategoryMapper has as many integers as strings.
func categoriesFault(n settings, _ int64) string {
	names := []string{"cats_int64s", "cats_strings"}
	return first(n.empty(names...), attributeFault(n.site, nil, [][]string{names}))
}

// optionalFault requires that an empty optional has a type.
func optionalFault(n settings, _ int64) string {
	if n.has("type") || n.Input(0) != "" {
		return ""
	}
	return `has neither an input nor attribute "type", expected one of them`
}

func clipFault(n settings, since int64) string {
	low, known := n.float("min", 0)
	high, ok := n.float("max", 0)
	if since < 11 && known && ok && n.has("min") && n.has("max") && low > high {
		return fmt.Sprintf("attribute \"min\" is %v, which is more than \"max\", %v", low, high)
	}
	return ""
}

func responseFault(n settings, _ int64) string {
	if size, known := n.number("size", 1); known && (size < 1 || size%2 == 0) {
		return fmt.Sprintf("attribute \"size\" is %d, expected a positive odd number", size)
	}
	return first(n.positive("alpha"), n.positive("beta"))
}

// poolFault compares pads with the window, which must not be completely in the padding.
func poolFault(n settings, _ int64) string {
	window, known := n.ints("kernel_shape")
	pads, ok := n.ints("pads")
	if !known || !ok || len(pads) != 2*len(window) {
		return ""
	}
	for i, pad := range pads {
		if size := window[i%len(window)]; pad >= size {
			return fmt.Sprintf("attribute \"pads\" is %d at axis %d of the window, expected less than \"kernel_shape\", %d", pad, i%len(window), size)
		}
	}
	return ""
}

func resizeFault(n settings, _ int64) string {
	mode, known := n.text("mode", "nearest")
	outside, ok := n.number("exclude_outside", 0)
	antialias, also := n.number("antialias", 0)
	switch {
	case !known || !ok || !also:
		return ""
	case antialias != 0 && mode == "nearest":
		return "attribute \"antialias\" is set, which mode nearest does not support"
	case outside != 0 && mode != "cubic" && (mode != "linear" || antialias == 0):
		return fmt.Sprintf("attribute \"exclude_outside\" is set, which mode %s does not support", mode)
	default:
		return ""
	}
}

func reverseFault(n settings, _ int64) string {
	batch, known := n.number("batch_axis", 1)
	time, ok := n.number("time_axis", 0)
	switch {
	case known && batch > 1:
		return fmt.Sprintf("attribute \"batch_axis\" is %d, expected 0 or 1", batch)
	case ok && time > 1:
		return fmt.Sprintf("attribute \"time_axis\" is %d, expected 0 or 1", time)
	case known && ok && batch == time:
		return fmt.Sprintf("attributes \"batch_axis\" and \"time_axis\" are both %d, expected one 0 and the other 1", batch)
	default:
		return ""
	}
}

func rotaryFault(n settings, _ int64) string {
	dim, known := n.number("rotary_embedding_dim", 0)
	heads, ok := n.number("num_heads", 0)
	if f := first(
		n.atLeast(0, "rotary_embedding_dim", 0), n.atLeast(0, "num_heads", 0), n.atMostInt32("rotary_embedding_dim"), n.atMostInt32("num_heads"),
	); f != "" {
		return f
	}
	if n.Domain() == graphops.MicrosoftDomain && known && ok && dim > 0 && heads == 0 {
		return "attribute \"num_heads\" is missing, and \"rotary_embedding_dim\" requires it"
	}
	return ""
}
