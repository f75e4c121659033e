package half

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// The bounds of float16.
const (
	// SmallestF16 is the smallest positive float16, 2^-24, as the reference rounds it.
	SmallestF16 = 5.96e-08
	// LargestF16 is the largest finite float16.
	LargestF16 = 65504
)

// Options say what is converted, and how.
type Options struct {
	// MinPositive and MaxFinite are the smallest and largest magnitude of numbers in float16
	// weights, within SmallestF16 and LargestF16. They do not apply to bfloat16, whose range is
	// about that of float32.
	MinPositive, MaxFinite float32
	// KeepIO keeps all inputs and outputs of the model in float32; KeptIO keeps the named ones.
	KeepIO bool
	KeptIO []string
	// KeptOps lists operators, in any domain, whose nodes stay in float32.
	KeptOps []string
	// OpTypes, if not empty, lists the only operators to convert. Include, if not empty, names the
	// only nodes to convert, and Exclude names nodes that stay in float32. The nodes in a node's
	// bodies are treated like the node.
	OpTypes, Include, Exclude []string
	// Reasons has the positions of nodes of the main graph that stay in float32, and why.
	Reasons map[int]string
	// AllWeights also converts weights that only float32 nodes read.
	AllWeights bool
	// WideInputs lists, by operator, positions of inputs that stay in float32 although the schema
	// allows the target type.
	WideInputs map[string][]int
}

// DefaultOptions returns the defaults of the reference.
func DefaultOptions() Options {
	return Options{MinPositive: SmallestF16, MaxFinite: LargestF16, KeptOps: KeptOps(), WideInputs: WideInputs()}
}

// KeptOps returns the operators that stay in float32 by default, sorted: those that runtimes do not
// support in float16, and those that need more precision, such as Range and CumSum.
func KeptOps() []string {
	return []string{
		"ArrayFeatureExtractor", "Binarizer", "CastMap", "CategoryMapper", "CumSum", "DictVectorizer", "FeatureVectorizer",
		"Imputer", "LabelEncoder", "LinearClassifier", "LinearRegressor", "Max", "Min", "NonMaxSuppression", "Normalizer",
		"OneHotEncoder", "RandomUniformLike", "Range", "RoiAlign", "SVMClassifier", "SVMRegressor", "Scaler", "TopK",
		"TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor", "Upsample", "ZipMap",
	}
}

// WideInputs returns the inputs that stay in float32 by default: scale and bias of group
// normalizations, which some providers accept only in float32. Inputs that the standard allows only
// in float32, such as the scales of a Resize, follow from the schemas.
func WideInputs() map[string][]int {
	return map[string][]int{"GroupNorm": {1, 2}, "SkipGroupNorm": {1, 2}}
}

// check returns an error for options that are invalid for the model.
func (o Options) check(m *graphops.Model, to tensor.DType) error {
	if to == tensor.F16 {
		switch {
		case !(o.MinPositive >= SmallestF16):
			return fmt.Errorf("the smallest magnitude is %v, expected at least %v, the smallest number of float16", o.MinPositive, float32(SmallestF16))
		case !(o.MaxFinite <= LargestF16) || !(o.MaxFinite > o.MinPositive):
			return fmt.Errorf("the largest magnitude is %v, expected more than the smallest and at most %d, the largest number of float16", o.MaxFinite, LargestF16)
		}
	}
	nodes := map[string]bool{}
	for n := range m.AllNodes() {
		nodes[n.Name()] = true
	}
	for _, list := range [][]string{o.Include, o.Exclude} {
		if err := known("node", list, nodes); err != nil {
			return err
		}
	}
	values := map[string]bool{}
	for _, list := range [][]*graphops.ValueInfo{m.Graph().Inputs(), m.Graph().Outputs()} {
		for _, v := range list {
			values[v.Name()] = true
		}
	}
	return known("input or output", o.KeptIO, values)
}

func known(what string, names []string, there map[string]bool) error {
	for _, name := range names {
		if !there[name] {
			return &graphops.UnknownNameError{What: what, Name: name, Nearest: graphops.NearestNames(name, maps.Keys(there))}
		}
	}
	return nil
}

// keepsIO reports whether an input or output of the model keeps its type.
func (o Options) keepsIO(name string) bool { return o.KeepIO || slices.Contains(o.KeptIO, name) }

// narrowing returns how numbers are converted to a type.
func (o Options) narrowing(to tensor.DType) tensor.Narrowing {
	if to == tensor.F16 {
		return tensor.Narrowing{To: to, MinPositive: o.MinPositive, MaxFinite: o.MaxFinite}
	}
	return tensor.Narrowing{To: to}
}

// obstacle returns why the options keep a node in float32, or "" if they do not.
func (o Options) obstacle(n *graphops.Node) string {
	switch {
	case n.Name() != "" && slices.Contains(o.Exclude, n.Name()):
		return "is excluded"
	case len(o.Include) > 0 && !slices.Contains(o.Include, n.Name()):
		return "is not among the nodes to include"
	case len(o.OpTypes) > 0 && !slices.Contains(o.OpTypes, n.OpType()):
		return "has an operator that was not asked for"
	case slices.Contains(o.KeptOps, n.OpType()):
		return "has an operator that is kept in float32"
	}
	return ""
}

// beyondF16 is the magnitude from which numbers round to infinity in float16.
const beyondF16 = 65520

// Fits reports whether a number of the given magnitude can be represented in float16: it is 0, or
// rounds neither to 0 nor to infinity.
func Fits(magnitude float64) bool {
	return magnitude == 0 || magnitude < beyondF16 && magnitude > math.Ldexp(1, -25)
}

// keepsExactly reports whether an input or output is named in KeptIO.
func (o Options) keepsExactly(name string) bool { return slices.Contains(o.KeptIO, name) }
