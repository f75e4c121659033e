package apply_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/apply"
	"lathe/graphops/graphtest"
	"lathe/graphops/parameters"
	"lathe/graphops/parameters/parameterstest"
	"lathe/graphops/tensor"
)

// eval is an eval model: a layer, another, a loss with a parameter of its own.
const eval = `
input x f32[N,4]
input labels f32[N,2]
input fc1.weight f32[3,4]
input fc1.bias f32[3]
input fc2.weight f32[2,3]
input scale f32[1]
one: h = Gemm(x, fc1.weight, fc1.bias) transB=1
two: y = Gemm(h, fc2.weight) transB=1
away: d = Sub(y, labels)
loss: l = Mul(d, scale)
output l f32[N,2]
output y f32[N,2]`

// floats are n numbers from some value on.
func floats(from, n int) []byte {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(from + i)
	}
	t, err := tensor.FromFloat64s(tensor.F32, x, int64(n))
	if err != nil {
		panic(err)
	}
	return t.Data
}

func entry(name string, from int, dims ...int64) parameterstest.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return parameterstest.Tensor{Name: name, DType: tensor.F32, Dims: dims, Data: floats(from, int(n))}
}

func checkpoint(t *testing.T, c parameterstest.Checkpoint) *parameters.Set {
	t.Helper()
	file, _ := c.Write()
	return opened(t, "checkpoint", file)
}

// safetensors is a file with these tensors of f32.
func safetensors(t *testing.T, list ...parameterstest.Tensor) *parameters.Set {
	t.Helper()
	var header []string
	var data []byte
	for _, e := range list {
		header = append(header, fmt.Sprintf(`%q:{"dtype":"F32","shape":%s,"data_offsets":[%d,%d]}`,
			e.Name, strings.ReplaceAll(fmt.Sprint(e.Dims), " ", ","), len(data), len(data)+len(e.Data)))
		data = append(data, e.Data...)
	}
	return opened(t, "model.safetensors", parameterstest.Safetensors("{"+strings.Join(header, ",")+"}", data))
}

func opened(t *testing.T, name string, content []byte) *parameters.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := parameters.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// held are the elements of the initializers of a model, by name.
func held(t *testing.T, m *graphops.Model) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, i := range m.Graph().Initializers() {
		v, err := i.Read()
		if err != nil {
			t.Fatal(err)
		}
		if out[i.Name()], err = v.Float64s(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func full() parameterstest.Checkpoint {
	return parameterstest.Checkpoint{
		Trainable: []parameterstest.Tensor{entry("fc1.weight", 100, 3, 4), entry("fc1.bias", 200, 3)},
		Frozen:    []parameterstest.Tensor{entry("fc2.weight", 300, 2, 3), entry("scale", 400, 1)},
	}
}

// TestParameters: those of a checkpoint become initializers with its values, and what the cut
// left out needs none.
func TestParameters(t *testing.T) {
	whole := graphtest.Model(t, eval)
	part, _, err := graphops.Prune(whole, graphops.PruneOptions{Outputs: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	c := full()
	c.Trainable = append(c.Trainable, entry("gone", 1, 7))
	m, f, err := apply.To(part, checkpoint(t, c), apply.Options{Parameters: true, Whole: whole})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Graph().Inputs()) != 1 || len(f.Fits) != 3 || f.Bytes() != 4*(12+3+6) {
		t.Errorf("%d inputs, %+v", len(m.Graph().Inputs()), f)
	}
	if !slices.Equal(f.Unneeded, []string{"scale"}) || !slices.Equal(f.Superfluous, []string{"gone"}) || len(f.Kept) != 0 {
		t.Errorf("%+v", f)
	}
	got := held(t, m)
	if got["fc1.weight"][11] != 111 || got["fc1.bias"][0] != 200 || got["fc2.weight"][5] != 305 {
		t.Errorf("%v", got)
	}
	path := filepath.Join(t.TempDir(), "out.onnx")
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, held(t, again)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatDoesNotFit: one error names all of it.
func TestWhatDoesNotFit(t *testing.T) {
	odd := full()
	odd.Trainable[0].Dims = []int64{4, 3}
	odd.Frozen = odd.Frozen[1:]
	odd.Trainable[1] = parameterstest.Tensor{Name: "fc1.bias", DType: tensor.F64, Dims: []int64{3}, Data: make([]byte, 24)}
	nominal := parameterstest.Checkpoint{Nominal: true, Trainable: []parameterstest.Tensor{{Name: "fc1.weight", DType: tensor.F32}}}
	clash := graphtest.Model(t, strings.Replace(eval, "input fc1.bias f32[3]", "init fc1.bias f32[3] 1", 1))
	for name, c := range map[string]struct {
		m    *graphops.Model
		set  *parameters.Set
		o    apply.Options
		want []string
	}{
		"shapes, types, a missing one": {graphtest.Model(t, eval), checkpoint(t, odd), apply.Options{Parameters: true}, []string{
			`"fc1.weight" holds f32 3×4, the file has f32 4×3 for it`, `"fc1.bias" holds f32 3, the file has f64 3 for it`,
			`"fc2.weight" is a parameter and the checkpoint has none of this name`,
		}},
		"nominal":       {graphtest.Model(t, eval), checkpoint(t, nominal), apply.Options{Parameters: true}, []string{"(it is nominal)"}},
		"its own value": {clash, checkpoint(t, full()), apply.Options{Parameters: true}, []string{`"fc1.bias": the model stores a value for this parameter`}},
		"another's":     {graphtest.Model(t, eval), checkpoint(t, parameterstest.Checkpoint{Trainable: []parameterstest.Tensor{entry("a", 1, 2)}}), apply.Options{Parameters: true}, []string{"none of the 1 parameters of the checkpoint is an input", `"fc1.weight" is a parameter`}},
		"strict":        {graphtest.Model(t, eval), checkpoint(t, parameterstest.Checkpoint{Trainable: append(full().Trainable, entry("more", 1, 2)), Frozen: full().Frozen}), apply.Options{Parameters: true, Strict: true}, []string{`"more" is in the file and nothing takes it`}},
		"of weights":    {graphtest.Model(t, "input x f32[2]\ninit w f32[2] 1\ny = Add(x, w)\nz = Mul(y, lost)\noutput z f32[2]"), safetensors(t, entry("w", 1, 3)), apply.Options{}, []string{`"w" holds f32 2, the file has f32 3 for it`, `"lost" has no value in the model and none in the file`}},
		"two prefixes":  {graphtest.Model(t, "input x f32[2]\ninit w f32[2] 1\ny = Add(x, w)\noutput y f32[2]"), safetensors(t, entry("a.w", 1, 2), entry("b.w", 1, 2)), apply.Options{}, []string{"several prefixes"}},
	} {
		_, _, err := apply.To(c.m, c.set, c.o)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nexpected %s", name, err, want)
			}
		}
	}
}

// TestRules: what is called otherwise goes where a rule says, and by no other reason.
func TestRules(t *testing.T) {
	m := graphtest.Text(t, `<ir_version: 10, opset_import: ["" : 18]>
g (float[1,3] x) => (float[1,2] y)
<float[3,2] val_5, float[2] renamed, float[2] other>
{
  a = MatMul(x, val_5)
  b = Add(a, renamed)
  y = Mul(b, other)
}`)
	e := graphops.Edit(m)
	for i, v := range e.ValueInfo {
		switch v.Name() {
		case "val_5":
			e.ValueInfo[i] = v.WithMetadata([]graphops.Entry{{Key: "pkg.onnxscript.optimizer.folded_from", Value: "['fc.weight']"}})
		case "renamed":
			e.ValueInfo[i] = v.WithMetadata([]graphops.Entry{{Key: "pkg.torch.onnx.original_node_name", Value: "p_fc_bias"}})
		}
	}
	m = e.Model()
	got, f, err := apply.To(m, safetensors(t, entry("fc.weight", 0, 2, 3), entry("fc.bias", 10, 2), entry("model.other", 20, 2), entry("model.nobody", 30, 2)), apply.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]float64{"val_5": {0, 3, 1, 4, 2, 5}, "renamed": {10, 11}, "other": {20, 21}}, held(t, got)); diff != "" {
		t.Error(diff)
	}
	rules := map[string]string{}
	for _, fit := range f.Fits {
		rules[fit.Value] = string(fit.Slot) + " " + string(fit.Rule) + " " + fit.Prefix
	}
	want := map[string]string{"val_5": "missing folded from ", "renamed": "missing original name ", "other": "missing prefix +model."}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(f.Superfluous, []string{"model.nobody"}) {
		t.Errorf("superfluous %q", f.Superfluous)
	}
	// A shape that fits is no reason.
	if _, _, err := apply.To(m, safetensors(t, entry("x1", 0, 3, 2), entry("x2", 0, 2), entry("x3", 0, 2)), apply.Options{}); err == nil {
		t.Error("tensors of other names were taken by their shapes")
	}
}

// TestShorterNames: the model's names may be the longer ones.
func TestShorterNames(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\ninit model.w f32[2] 1\ninit model.b f32[2] 1\ninit k f32[2] 1\na = Add(x, model.w)\nb = Mul(a, model.b)\ny = Sub(b, k)\noutput y f32[2]")
	got, f, err := apply.To(m, safetensors(t, entry("w", 5, 2), entry("b", 7, 2)), apply.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if h := held(t, got); h["model.w"][0] != 5 || h["model.b"][1] != 8 || h["k"][0] != 1 || !slices.Equal(f.Kept, []string{"k"}) {
		t.Errorf("%v, kept %q", h, f.Kept)
	}
	if h := held(t, m); h["model.w"][0] != 1 {
		t.Error("the model that was given has changed")
	}
}

// TestModulesOfProducts: a factor that the exporter of TorchScript has folded is the weight of
// the module whose product alone reads it, also behind a prefix; one that two read is nobody's,
// and a mixture of two models is told.
func TestModulesOfProducts(t *testing.T) {
	m := graphtest.Model(t, `
input x f32[2,3]
init onnx::MatMul_1 f32[3,4] 1
init onnx::MatMul_2 f32[4,4] 1
init fc.bias f32[4] 1
/enc/layer.0/fc/MatMul: a = MatMul(x, onnx::MatMul_1)
/fc/Add: b = Add(a, fc.bias)
/enc/one/MatMul: c = MatMul(b, onnx::MatMul_2)
/enc/two/MatMul: d = MatMul(c, onnx::MatMul_2)
output d f32[2,4]`)
	for _, prefix := range []string{"", "model."} {
		got, f, err := apply.To(m, safetensors(t, entry(prefix+"enc.layer.0.fc.weight", 0, 4, 3), entry(prefix+"fc.bias", 50, 4), entry(prefix+"enc.one.weight", 70, 4, 4)), apply.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := held(t, got)
		if diff := cmp.Diff([]float64{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}, h["onnx::MatMul_1"]); diff != "" || h["fc.bias"][0] != 50 || h["onnx::MatMul_2"][0] == 70 {
			t.Errorf("prefix %q: %v", prefix, h)
		}
		if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "no value from 1 tensors of the file, and 1 weights of the model are unchanged") {
			t.Errorf("prefix %q: %q", prefix, f.Warnings)
		}
	}
}

// TestFoldedNormalization: where the file tells of a normalization that the model does not have,
// its neighbour may hold something else than the file says, and that is told; how many batches
// it saw nobody misses.
func TestFoldedNormalization(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\ninit c.weight f32[2] 1\ny = Mul(x, c.weight)\noutput y f32[2]")
	set := safetensors(t, entry("c.weight", 5, 2), entry("b.running_mean", 1, 2), entry("b.num_batches_tracked", 1))
	_, f, err := apply.To(m, set, apply.Options{})
	if err != nil || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], `"b.running_mean"`) {
		t.Errorf("%v, %+v", err, f)
	}
	if !slices.Equal(f.Unneeded, []string{"b.num_batches_tracked"}) || !slices.Equal(f.Superfluous, []string{"b.running_mean"}) {
		t.Errorf("%+v", f)
	}
}

// TestTransposedInBands: a matrix is the same however much of it is in memory at once.
func TestTransposedInBands(t *testing.T) {
	const rows, columns = 7, 11
	data := floats(0, rows*columns)
	var want []byte
	for c := range columns {
		for r := range rows {
			at := 4 * (r*columns + c)
			want = append(want, data[at:at+4]...)
		}
	}
	for band := int64(1); band < 400; band += 13 {
		var out bytes.Buffer
		if err := apply.WriteTransposed(&out, graphops.BytesPayload(data), rows, columns, 4, band); err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("in bands of %d bytes: %v", band, err)
		}
	}
}
