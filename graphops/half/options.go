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
	// SmallestF16 is what the reference has for the smallest positive float16, 2^-24.
	SmallestF16 = 5.96e-08
	// LargestF16 is the largest finite float16.
	LargestF16 = 65504
)

// Options say what is converted, and how.
type Options struct {
	// MinPositive and MaxFinite are the smallest and largest magnitude of numbers in
	// float16 weights: at least SmallestF16, at most LargestF16. They say nothing of
	// bfloat16, which has about the range of float32.
	MinPositive, MaxFinite float32
	// KeepIO keeps all inputs and outputs of the model in float32; KeptIO these.
	KeepIO bool
	KeptIO []string
	// KeptOps are the operators whose nodes stay in float32, of whatever domain.
	KeptOps []string
	// OpTypes, if not empty, are the only operators that are converted; Include, if not
	// empty, names the only nodes; Exclude names nodes that stay in float32. A node's
	// bodies go with it.
	OpTypes, Include, Exclude []string
	// Reasons keep nodes of the main graph in float32, by position, and tell why.
	Reasons map[int]string
	// AllWeights converts the weights too that only nodes in float32 read.
	AllWeights bool
	// WideInputs are inputs that stay in float32 though their operator would take them
	// otherwise, by position.
	WideInputs map[string][]int
}

// DefaultOptions are those of the reference.
func DefaultOptions() Options {
	return Options{MinPositive: SmallestF16, MaxFinite: LargestF16, KeptOps: KeptOps(), WideInputs: WideInputs()}
}

// KeptOps are the operators that stay in float32 unless told otherwise, sorted: those
// that runtimes lack in float16, and those that need its digits, such as Range and
// CumSum.
func KeptOps() []string {
	return []string{
		"ArrayFeatureExtractor", "Binarizer", "CastMap", "CategoryMapper", "CumSum", "DictVectorizer", "FeatureVectorizer",
		"Imputer", "LabelEncoder", "LinearClassifier", "LinearRegressor", "Max", "Min", "NonMaxSuppression", "Normalizer",
		"OneHotEncoder", "RandomUniformLike", "Range", "RoiAlign", "SVMClassifier", "SVMRegressor", "Scaler", "TopK",
		"TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor", "Upsample", "ZipMap",
	}
}

// WideInputs are inputs that stay in float32 unless told otherwise: scale and bias of
// group normalizations, which some providers take in float32 alone. Those that no
// provider may take otherwise, such as the scales of a Resize, the schemas tell.
func WideInputs() map[string][]int {
	return map[string][]int{"GroupNorm": {1, 2}, "SkipGroupNorm": {1, 2}}
}

// check refuses options that mean nothing to a model.
func (o Options) check(m *graphops.Model, to tensor.DType) error {
	if to == tensor.F16 {
		switch {
		case !(o.MinPositive >= SmallestF16):
			return fmt.Errorf("the smallest magnitude is %v, expected %v at least, the smallest number of float16", o.MinPositive, float32(SmallestF16))
		case !(o.MaxFinite <= LargestF16) || !(o.MaxFinite > o.MinPositive):
			return fmt.Errorf("the largest magnitude is %v, expected more than the smallest and %d at most, the largest number of float16", o.MaxFinite, LargestF16)
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

// narrowing is how numbers become those of a type.
func (o Options) narrowing(to tensor.DType) tensor.Narrowing {
	if to == tensor.F16 {
		return tensor.Narrowing{To: to, MinPositive: o.MinPositive, MaxFinite: o.MaxFinite}
	}
	return tensor.Narrowing{To: to}
}

// obstacle tells why the options keep a node in float32, "" where they do not.
func (o Options) obstacle(n *graphops.Node) string {
	switch {
	case n.Name() != "" && slices.Contains(o.Exclude, n.Name()):
		return "is excluded"
	case len(o.Include) > 0 && !slices.Contains(o.Include, n.Name()):
		return "is not among the nodes to include"
	case len(o.OpTypes) > 0 && !slices.Contains(o.OpTypes, n.OpType()):
		return "is of no operator that was asked for"
	case slices.Contains(o.KeptOps, n.OpType()):
		return "is of an operator that is kept in float32"
	}
	return ""
}

// beyondF16 is the magnitude from which on float16 has infinity only.
const beyondF16 = 65520

// Fits reports whether a magnitude is one that float16 can hold: neither infinite nor,
// unless it is 0, rounded to 0.
func Fits(magnitude float64) bool {
	return magnitude == 0 || magnitude < beyondF16 && magnitude > math.Ldexp(1, -25)
}

// keepsExactly reports whether an input or output is named as one that keeps its type.
func (o Options) keepsExactly(name string) bool { return slices.Contains(o.KeptIO, name) }
