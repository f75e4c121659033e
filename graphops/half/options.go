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
	// SmallestF16 is the smallest positive float16, 2^-24, rounded as the reference rounds it.
	SmallestF16 = 5.96e-08
	// LargestF16 is the largest finite float16.
	LargestF16 = 65504
)

// Options say what is converted, and how.
type Options struct {
	// MinPositive and MaxFinite limit the magnitude of numbers in weights that become float16. They
	// must be within SmallestF16 and LargestF16. A positive magnitude below MinPositive becomes
	// MinPositive, and one above MaxFinite becomes MaxFinite. They do not apply to bfloat16, which
	// has about the same range as float32.
	MinPositive, MaxFinite float32
	// KeepIO keeps all inputs and outputs of the model in float32. KeptIO lists the names of single
	// ones to keep.
	KeepIO bool
	KeptIO []string
	// KeptOps lists operators whose nodes stay in float32. An operator is kept in any domain.
	KeptOps []string
	// OpTypes and Include limit the conversion to nodes with these operators or names; they are
	// ignored if empty. Exclude names nodes that stay in float32. If a node stays in float32, so do
	// the nodes in its bodies.
	OpTypes, Include, Exclude []string
	// Reasons maps the positions of nodes of the main graph that shall stay in float32 to the
	// reasons for it.
	Reasons map[int]string
	// AllWeights also converts weights that only float32 nodes read.
	AllWeights bool
	// Runtime is the version of the ONNX Runtime that shall run the result. It has the kernels that
	// a conversion must not miss. Empty means the newest known version.
	Runtime string
	// CountLater leaves it to the caller to call Report.Count, for example after the result was saved.
	// Then each weight is read only once.
	CountLater bool
	// WideInputs lists, by operator, positions of inputs that stay in float32 although the schema
	// allows the target type.
	WideInputs map[string][]int
}

// DefaultOptions returns the options that correspond to the defaults of the reference.
func DefaultOptions() Options {
	return Options{MinPositive: SmallestF16, MaxFinite: LargestF16, KeptOps: KeptOps(), WideInputs: wideInputs()}
}

// KeptOps returns the operators that stay in float32 by default, sorted. Runtimes do not support
// some of them in float16, and others need more precision, such as Range and CumSum.
func KeptOps() []string {
	return []string{
		"ArrayFeatureExtractor", "Binarizer", "CastMap", "CategoryMapper", "CumSum", "DictVectorizer", "FeatureVectorizer",
		"Imputer", "LabelEncoder", "LinearClassifier", "LinearRegressor", "Max", "Min", "NonMaxSuppression", "Normalizer",
		"OneHotEncoder", "RandomUniformLike", "Range", "RoiAlign", "SVMClassifier", "SVMRegressor", "Scaler", "TopK",
		"TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor", "Upsample", "ZipMap",
	}
}

// wideInputs returns the inputs that stay in float32 by default: scale and bias of group
// normalizations, which some execution providers only accept in float32. Inputs for which the
// schema only allows float32, such as the scales of a Resize, are not listed.
func wideInputs() map[string][]int {
	return map[string][]int{"GroupNorm": {1, 2}, "SkipGroupNorm": {1, 2}}
}

// check returns an error if a bound is out of range, or if the options name something that the
// model does not have.
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
	if len(o.Include)+len(o.Exclude) > 0 {
		for n := range m.AllNodes() {
			nodes[n.Name()] = true
		}
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

// keepsIO reports whether the input or output of the model with the name stays in float32.
func (o Options) keepsIO(name string) bool { return o.KeepIO || slices.Contains(o.KeptIO, name) }

// narrowing returns how float32 numbers are converted to the target type.
func (o Options) narrowing(to tensor.DType) tensor.Narrowing {
	if to == tensor.F16 {
		return tensor.Narrowing{To: to, MinPositive: o.MinPositive, MaxFinite: o.MaxFinite}
	}
	return tensor.Narrowing{To: to}
}

// obstacle returns why the options keep the node in float32, or "" if they do not.
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

// beyondF16 is the smallest magnitude that is rounded to infinity in float16.
const beyondF16 = 65520

// Fits reports whether a number of the given magnitude stays finite and does not become 0 when it
// is rounded to float16. 0 itself fits.
func Fits(magnitude float64) bool {
	return magnitude == 0 || magnitude < beyondF16 && magnitude > math.Ldexp(1, -25)
}

// keepsExactly reports whether KeptIO names the input or output.
func (o Options) keepsExactly(name string) bool { return slices.Contains(o.KeptIO, name) }
