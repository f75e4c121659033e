package shape_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/shape"
)

func TestFeatures(t *testing.T) {
	const inputs = `
		opset ai.onnx.ml 4
		input x f32[batch,4]
		input v f32[n]
		input word str[batch]
	`
	check(t, []example{
		{name: "features", model: inputs + `
			input at i64[2,k]
			a = ai.onnx.ml::Scaler(x)
			b = ai.onnx.ml::Imputer(x)
			c = ai.onnx.ml::Normalizer(v)
			d = ai.onnx.ml::Binarizer(x)
			e = ai.onnx.ml::ArrayFeatureExtractor(x, at)
			f = ai.onnx.ml::ArrayFeatureExtractor(v, at)
			g = ai.onnx.ml::FeatureVectorizer(x, x) inputdimensions=[4,4]
			h = ai.onnx.ml::FeatureVectorizer(v) inputdimensions=[3]
			k = ai.onnx.ml::FeatureVectorizer(v, v) inputdimensions=[3,3]
			i = ai.onnx.ml::OneHotEncoder(word) cats_strings=['a','b','c']
			j = ai.onnx.ml::OneHotEncoder(x) cats_int64s=[1,2]
		`, want: map[string]string{
			"a": "f32 batch×4", "b": "f32 batch×4", "c": "f32 n", "d": "f32 batch×4", "e": "f32 batch×(2*k)", "f": "f32 1×(2*k)", "g": "f32 batch×8", "h": "f32 1×3", "k": "f32 1×6",
			"i": "f32 batch×3", "j": "f32 batch×4×2",
		}},
		{name: "labels", model: inputs + `
			input k i64[batch]
			a = ai.onnx.ml::LabelEncoder(word) keys_strings=['a'] values_floats=[1.0]
			b = ai.onnx.ml::LabelEncoder(word) keys_strings=['a'] values_int64s=[1]
			c = ai.onnx.ml::LabelEncoder(k) keys_int64s=[1] values_strings=['a']
			d = ai.onnx.ml::LabelEncoder(k) keys_int64s=[1] values_tensor={i16[1] 1}
			e = ai.onnx.ml::CategoryMapper(word)
			f = ai.onnx.ml::CategoryMapper(k)
		`, want: map[string]string{"a": "f32 batch", "b": "i64 batch", "c": "str batch", "d": "i16 batch", "e": "i64 batch", "f": "str batch"}},
		{name: "labels in version 1", model: `
			opset ai.onnx.ml 1
			input word str[batch]
			a = ai.onnx.ml::LabelEncoder(word)
		`, want: map[string]string{"a": "i64 batch"}},
		{name: "what does not fit", model: inputs + `
			input s f32[]
			a = ai.onnx.ml::Scaler(s)
			b = ai.onnx.ml::Normalizer(s)
			c = ai.onnx.ml::ArrayFeatureExtractor(s, s)
			d = ai.onnx.ml::FeatureVectorizer(x, x) inputdimensions=[4]
			e = ai.onnx.ml::FeatureVectorizer(s) inputdimensions=[4]
			f = ai.onnx.ml::Imputer(s)
			input two f32[2,4]
			g = ai.onnx.ml::FeatureVectorizer(two, v) inputdimensions=[4,4]
			h = ai.onnx.ml::FeatureVectorizer(v, two) inputdimensions=[4,4]
		`, want: map[string]string{"d": "f32 batch×?", "c": "f32 ?"}, problems: []string{"at least rank 1", "rank 1 or 2", "at least rank 1", "1 numbers for 2 inputs", "1 or 2 axes", "at least rank 1", "should be 1 (input", "should be 1 (input"}},
	})
}

func TestModels(t *testing.T) {
	const inputs = `
		opset ai.onnx.ml 3
		input x f32[batch,4]
		input v f32[4]
	`
	check(t, []example{
		{name: "classifiers", model: inputs + `
			a, as = ai.onnx.ml::LinearClassifier(x) classlabels_ints=[1,2,3] coefficients=[1.0] intercepts=[1.0,2.0,3.0]
			b, bs = ai.onnx.ml::LinearClassifier(v) classlabels_strings=['n','y'] coefficients=[1.0] intercepts=[1.0]
			c, cs = ai.onnx.ml::TreeEnsembleClassifier(x) classlabels_int64s=[0,1]
			d, ds = ai.onnx.ml::SVMClassifier(x) classlabels_ints=[0,1,2,3] vectors_per_class=[1,1,1,1]
			e, es = ai.onnx.ml::SVMClassifier(x) classlabels_ints=[0,1,2,3] vectors_per_class=[1,1,1,1] prob_a=[1.0]
			f, fs = ai.onnx.ml::SVMClassifier(x) classlabels_ints=[0,1] vectors_per_class=[1,1]
			g, gs = ai.onnx.ml::SVMClassifier(x) classlabels_strings=['a','b','c']
		`, want: map[string]string{
			"a": "i64 batch", "as": "f32 batch×3", "b": "str 1", "bs": "f32 1×2", "c": "i64 batch", "cs": "f32 batch×2",
			"d": "i64 batch", "ds": "f32 batch×6", "es": "f32 batch×4", "fs": "f32 batch×2", "g": "str batch", "gs": "f32 batch×3",
		}},
		{name: "regressors", model: inputs + `
			a = ai.onnx.ml::LinearRegressor(x)
			b = ai.onnx.ml::LinearRegressor(v) targets=3
			c = ai.onnx.ml::SVMRegressor(x)
			d = ai.onnx.ml::TreeEnsembleRegressor(x) n_targets=2
			e = ai.onnx.ml::TreeEnsembleRegressor(x)
		`, want: map[string]string{"a": "f32 batch×1", "b": "f32 1×3", "c": "f32 batch×1", "d": "f32 batch×2", "e": "f32 batch×?"}},
		{name: "version 5 has one operator of trees", model: `
			opset ai.onnx.ml 5
			input x f64[batch,4]
			a = ai.onnx.ml::TreeEnsemble(x) n_targets=2
		`, want: map[string]string{"a": "f64 batch×2"}},
		{name: "what does not fit", model: inputs + `
			input cube f32[2,3,4]
			a, s = ai.onnx.ml::LinearClassifier(cube) classlabels_ints=[0,1]
			b, u = ai.onnx.ml::TreeEnsembleClassifier(v) classlabels_int64s=[0,1]
			c, w = ai.onnx.ml::SVMClassifier(x)
			d = ai.onnx.ml::LinearRegressor(x) targets=-1
			e = ai.onnx.ml::SVMRegressor(cube)
			f = ai.onnx.ml::TreeEnsembleRegressor(v) n_targets=1
		`, want: map[string]string{"a": "i64 ?", "s": "f32 ?×2", "d": "f32 batch×?"}, problems: []string{
			"rank 1 or 2", "rank 2", "no labels", "targets is -1", "rank 1 or 2", "rank 2",
		}},
		{name: "maps", model: inputs + `
			a = ai.onnx.ml::ZipMap(x) classlabels_int64s=[1,2,3,4]
			b = ai.onnx.ml::ZipMap(v) classlabels_strings=['a','b','c','d']
			c = ai.onnx.ml::ZipMap(x) classlabels_strings=['a']
			d = ai.onnx.ml::ZipMap(v) classlabels_strings=['a']
		`, want: map[string]string{"a": "seq(map(i64,f32))", "b": "seq(map(str,f32))"}, problems: []string{"which is [batch 1]: axis 1 is 4", "which is [1]: axis 0 is 4"}},
	})
}

// TestMaps is for operators that take a map, which the text of a model has no word
// for.
func TestMaps(t *testing.T) {
	p := graphtest.Proto(t, `
		opset ai.onnx.ml 1
		input m
		a = ai.onnx.ml::DictVectorizer(m) string_vocabulary=['a','b','c']
		b = ai.onnx.ml::CastMap(m) cast_to='TO_INT64'
		c = ai.onnx.ml::CastMap(m) map_form='SPARSE' max_map=7
	`)
	key, elem := int32(onnxpb.TensorProto_STRING), int32(onnxpb.TensorProto_DOUBLE)
	p.Graph.Input[0].Type = &onnxpb.TypeProto{Value: &onnxpb.TypeProto_MapType{MapType: &onnxpb.TypeProto_Map{
		KeyType: &key, ValueType: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: &elem}}},
	}}}
	m := graphtest.Decode(t, p)
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"m": "map(str,f64)", "a": "f64 1×3", "b": "i64 1×?", "c": "f32 1×7"} {
		if got := typeOf(m, r, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func typeOf(m *graphops.Model, r *shape.Result, name string) string {
	v, _ := valueOf(m, r, name)
	return v.Type.String()
}
