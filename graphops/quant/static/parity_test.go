//go:build parity

package static

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/check"
	"lathe/graphops/durable"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

type referenceOptions struct {
	ActivationType, WeightType string
	PerChannel, ReduceRange    bool
	Operators                  bool
	OpTypes, Include, Exclude  []string
	Extra                      map[string]any
	Overrides                  json.RawMessage `json:",omitempty"`
}

type request struct {
	Model   string            `json:"model"`
	Out     string            `json:"out,omitempty"`
	Cache   string            `json:"cache,omitempty"`
	Options *referenceOptions `json:"options,omitempty"`
	Others  []string          `json:"others,omitempty"`
	Plain   bool              `json:"plain,omitempty"`
}

type answer struct {
	Error      *string    `json:"error"`
	Difference []*float64 `json:"difference"`
}

func forReference(o Options) *referenceOptions {
	r := &referenceOptions{
		ActivationType: o.ActivationType.String(), WeightType: o.WeightType.String(), PerChannel: o.PerChannel, ReduceRange: o.ReduceRange,
		Operators: o.Format == FormatOperators, Include: o.Include, Exclude: o.Exclude, OpTypes: o.OpTypes, Extra: map[string]any{},
	}
	for name, on := range map[string]bool{
		"ActivationSymmetric": o.ActivationSymmetric, "ActivationRestrictedAsymmetric": o.RestrictedAsymmetric,
		"QDQDisableWeightAdjustForInt32Bias": o.KeepWeightScales, "AddQDQPairToWeight": o.PairAtWeights,
		"DedicatedQDQPair": o.DedicatedPairs, "QDQKeepRemovableActivations": o.KeepRemovable,
		"MatMulConstBOnly":          o.ConstantFactors,
		"ForceQuantizeNoInputCheck": o.Force, "UseQDQContribOps": o.ContribOps,
	} {
		if on {
			r.Extra[name] = true
		}
	}
	if !o.QuantizeBias {
		r.Extra["QuantizeBias"] = false
	}
	if o.MinimumRealRange > 0 {
		r.Extra["MinimumRealRange"] = o.MinimumRealRange
	}
	if len(o.FloatOutputs) > 0 {
		r.Extra["OpTypesToExcludeOutputQuantization"] = o.FloatOutputs
	}
	if o.ChannelAxes != nil {
		r.Extra["QDQOpTypePerChannelSupportToAxis"] = o.ChannelAxes
	}
	if len(o.Overrides) > 0 {
		r.Overrides, _ = json.Marshal(o.Overrides) // of numbers and names
	}
	if o.WeightSymmetric != quant.SymmetryByType {
		r.Extra["WeightSymmetric"] = o.WeightSymmetric == quant.Symmetric
	}
	return r
}

// everyOption are all pairs of types, and each other option by itself.
func everyOption() []Options {
	var out []Options
	add := func(f func(*Options)) {
		o := DefaultOptions()
		f(&o)
		out = append(out, o)
	}
	for _, a := range activationTypes {
		for _, w := range weightTypes {
			if a == tensor.I8 && w == tensor.U8 || (a == tensor.F8E4M3FN) != (w == tensor.F8E4M3FN) {
				continue
			}
			for bits := range 4 {
				if a == tensor.F8E4M3FN && bits&2 > 0 {
					continue
				}
				add(func(o *Options) {
					o.ActivationType, o.WeightType, o.PerChannel, o.ReduceRange = a, w, bits&1 > 0, bits&2 > 0
				})
			}
		}
	}
	for _, f := range []func(*Options){
		func(o *Options) { o.ActivationSymmetric = true },
		func(o *Options) { o.RestrictedAsymmetric = true },
		func(o *Options) { o.WeightSymmetric = quant.Asymmetric },
		func(o *Options) { o.MinimumRealRange = 0.5 },
		func(o *Options) { o.QuantizeBias = false },
		func(o *Options) { o.KeepWeightScales = true },
		func(o *Options) { o.PairAtWeights = true },
		func(o *Options) { o.DedicatedPairs = true },
		func(o *Options) { o.KeepRemovable = true },
		func(o *Options) { o.Force = true },
		func(o *Options) { o.ContribOps = true },
		func(o *Options) { o.FloatOutputs = []string{"MatMul", "Conv", "Reshape", "Split", "Pad"} },
		func(o *Options) { o.ChannelAxes = map[string]int{"MatMul": 0, "LayerNormalization": 0} },
	} {
		for _, perChannel := range []bool{false, true} {
			add(func(o *Options) { o.ActivationType, o.PerChannel = tensor.U8, perChannel; f(o) })
			add(func(o *Options) { o.PerChannel = perChannel; f(o) })
		}
	}
	for _, f := range []func(*Options){
		func(o *Options) { o.ActivationSymmetric = true },
		func(o *Options) { o.QuantizeBias = false },
		func(o *Options) { o.DedicatedPairs = true },
		func(o *Options) { o.KeepRemovable = true },
		func(o *Options) { o.Force = true },
		func(o *Options) { o.ChannelAxes = map[string]int{"MatMul": 0} },
	} {
		for _, perChannel := range []bool{false, true} {
			add(func(o *Options) {
				o.ActivationType, o.WeightType, o.PerChannel = tensor.F8E4M3FN, tensor.F8E4M3FN, perChannel
				f(o)
			})
		}
	}
	return append(out, operatorOptions()...)
}

// operatorOptions are those of operators of integers.
func operatorOptions() []Options {
	var out []Options
	for _, f := range []func(*Options){
		func(*Options) {},
		func(o *Options) { o.ReduceRange = true },
		func(o *Options) { o.ActivationSymmetric = true },
		func(o *Options) { o.RestrictedAsymmetric = true },
		func(o *Options) { o.WeightSymmetric = quant.Asymmetric },
		func(o *Options) { o.MinimumRealRange = 0.5 },
		func(o *Options) { o.Force = true },
		func(o *Options) { o.ConstantFactors = true },
	} {
		for _, types := range [][2]tensor.DType{{tensor.I8, tensor.I8}, {tensor.U8, tensor.I8}, {tensor.U8, tensor.U8}} {
			for _, perChannel := range []bool{false, true} {
				o := DefaultOptions()
				o.Format, o.ActivationType, o.WeightType, o.PerChannel = FormatOperators, types[0], types[1], perChannel
				f(&o)
				out = append(out, o)
			}
		}
	}
	return out
}

// TestParity quantizes every model with every option and compares nodes up to
// order, and initializers bit for bit, with the reference, which chooses the
// ranges. Where a departure is reported the result must still load and come close
// to the original.
func TestParity(t *testing.T) {
	python := reference.Start(t, "testdata/reference.py")
	var hello answer
	python.Read(t, &hello)
	dir := t.TempDir()
	paths := map[string]string{}
	for _, m := range models {
		for _, opset := range []int{17, 21} {
			name := fmt.Sprintf("%s %d", m.name, opset)
			p := filepath.Join(dir, strings.ReplaceAll(name, " ", "_")+".onnx")
			if err := os.WriteFile(p, graphtest.Bytes(t, fmt.Sprintf("opset %d\n", opset)+m.text), 0o600); err != nil {
				t.Fatal(err)
			}
			paths[name] = p
		}
	}
	for _, name := range []string{"gather_mlp", "digits"} {
		paths[name] = filepath.Join("..", "..", "..", "testdata", name+".onnx")
	}
	compared, departed := 0, map[Departure]int{}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			for i, o := range everyOption() {
				c := comparison{python, path, filepath.Join(dir, "ours.onnx"), filepath.Join(dir, "theirs.onnx"), filepath.Join(dir, fmt.Sprint(filepath.Base(path), o.isFloat8(), ".json"))}
				for _, d := range c.run(t, o) {
					departed[d]++
				}
				if compared++; t.Failed() {
					t.Logf("option %d", i)
					return
				}
			}
		})
	}
	t.Logf("%d comparisons, departures %v", compared, departed)
}

type comparison struct {
	python                    *reference.Python
	path, ours, theirs, cache string
}

func (c comparison) run(t *testing.T, o Options) []Departure {
	t.Helper()
	var a answer
	c.python.Ask(t, request{Model: c.path, Out: c.theirs, Cache: c.cache, Options: forReference(o)}, &a)
	f, err := os.Open(c.cache)
	if err != nil {
		t.Fatalf("%+v: the reference calibrated nothing: %v", o, *a.Error)
	}
	table, err := calibration.ReadTable(f)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(c.path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, wanted, err := Wanted(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range wanted {
		if _, ok := table.Tensors[name]; !ok {
			t.Errorf("%q is wanted, the reference does not calibrate it", name)
		}
	}
	if len(wanted) != len(table.Tensors) {
		t.Errorf("%d values are wanted, the reference calibrates %d", len(wanted), len(table.Tensors))
	}
	q, report, err := Quantize(context.Background(), m, table, o)
	if errors.Is(err, quant.ErrNothing) && o.Format == FormatOperators {
		return nil
	}
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if _, err := graphops.Save(context.Background(), q, c.ours, graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err != nil {
		t.Fatal(err)
	}
	switch {
	case len(report.Departures) > 0:
	case a.Error != nil:
		t.Errorf("%+v: the reference refuses: %s", o, *a.Error)
	default:
		if diff := cmp.Diff(contents(t, c.theirs), contents(t, c.ours)); diff != "" {
			t.Errorf("%+v: (-reference +ours):\n%s", o, diff)
		}
	}
	c.checkResult(t, o, q, report)
	return report.Departures
}

func (c comparison) checkResult(t *testing.T, o Options, q *graphops.Model, report *Report) {
	t.Helper()
	problems, err := check.Model(context.Background(), q, check.Options{})
	if err != nil || !check.OK(problems) {
		t.Errorf("%+v: %v, %v", o, problems, err)
	}
	var a answer
	// QLinearMatMul does not take scales along the axis that is summed over, nor float8.
	c.python.Ask(t, request{Model: c.path, Others: []string{c.ours}, Plain: len(o.ChannelAxes) > 0 || o.isFloat8()}, &a)
	limit := 0.25
	if o.WeightType.Bits() == 4 || o.isFloat8() { // which cuts all beyond 4.5 deviations
		limit = 1
	}
	if len(o.Overrides) > 0 {
		limit = math.Inf(1) // what is stated need not suit the values
	}
	switch {
	case a.Error != nil:
		t.Errorf("%+v: the original does not run: %s", o, *a.Error)
	case a.Difference[0] == nil:
		t.Errorf("%+v: the result does not run, departures %v:\n%s", o, report.Departures, strings.Join(graphtest.Nodes(q.Graph()), "\n"))
	case *a.Difference[0] > limit && !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.Contains(w, "int32") }):
		t.Errorf("%+v: the outputs differ by %g of the largest, departures %v", o, *a.Difference[0], report.Departures)
	}
}

type content struct {
	Nodes           []string
	Initializers    map[string]constantContent
	Inputs, Outputs []string
}

type constantContent struct {
	Type tensor.DType
	Dims []int64
	Data []byte
}

func contents(t *testing.T, path string) content {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ed := graphops.Edit(m) // attributes come in any order
	for i, n := range ed.Nodes {
		attrs := slices.Clone(n.Attributes())
		slices.SortFunc(attrs, func(a, b *graphops.Attribute) int { return strings.Compare(a.Name(), b.Name()) })
		ed.Nodes[i] = n.WithAttributes(attrs)
	}
	c := content{Nodes: graphtest.Nodes(ed.Model().Graph()), Initializers: map[string]constantContent{}}
	slices.Sort(c.Nodes)
	for _, x := range m.Graph().Initializers() {
		data, err := x.Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		c.Initializers[x.Name()] = constantContent{x.DType(), append([]int64{}, x.Dims()...), bytes.Clone(b)}
	}
	for _, v := range m.Graph().Inputs() {
		c.Inputs = append(c.Inputs, v.Name())
	}
	for _, v := range m.Graph().Outputs() {
		c.Outputs = append(c.Outputs, v.Name())
	}
	return c
}
