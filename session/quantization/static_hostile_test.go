//go:build cgo

package quantization

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/graphops/quant"
	"lathe/graphops/quant/static"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// rangesLike gives the same range to every value that has one.
func rangesLike(t *testing.T, m *graphops.Model, o static.Options, r calibration.Range) *calibration.Table {
	t.Helper()
	_, wanted, err := static.Wanted(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	table := &calibration.Table{Method: calibration.MethodMinMax, Tensors: map[string]calibration.Calibrated{}}
	for _, name := range wanted {
		table.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: r}
	}
	return table
}

// hostileStatic is a model that can hardly be quantized, or a table of ranges that does not fit it.
type hostileStatic struct {
	name, text string
	// to is the range of all values; nil is from -1 to 2. alter changes the table.
	to    *calibration.Range
	alter func(*calibration.Table)
	// refused is part of the expected error, or "" if the model is accepted.
	refused      string
	mayBeNothing bool
}

func widthOf(low, high float64) *calibration.Range { return &calibration.Range{Low: low, High: high} }

func without(name string) func(*calibration.Table) {
	return func(t *calibration.Table) { delete(t.Tensors, name) }
}

func leftOut(name string) func(*calibration.Table) {
	return func(t *calibration.Table) { t.LeaveOut(name, "it goes to infinity") }
}

func ranged(name string, low, high float64) func(*calibration.Table) {
	return func(t *calibration.Table) {
		t.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: calibration.Range{Low: low, High: high}}
	}
}

const (
	nothingLeft = "nothing to quantize"
	twoProducts = `
		input x f32[2,3]
		output y f32[2,3]
		init w f32[3,3] 0.5 -1 0.25
		init v f32[3,3] 0.5 1 -0.25
		one: h = MatMul(x, w)
		two: y = MatMul(h, v)`
	scored = `
		input x f32[2,3]
		output y f32[2,3]
		init w f32[3,3] 0.5 -1 0.25
		one: h = MatMul(x, w)
		two: y = Softmax(h)`
	embedding = "opset com.microsoft 1\nopset 17\ninput i i32[2,3]\ninput s i32[2,3]\noutput y f32[2,3,4]\ninit w f32[8,4] 0.5 -1 0.25 2\ninit p f32[3,4] 0.3 0.1\ninit seg f32[2,4] 0.1 -0.2 0.3\n" +
		"init g f32[4] 1 0.5 2 1.5\ninit b f32[4] 0.1 -0.1\ninit v f32[4,4] 0.5 1 -1\n" +
		"em: h, _ = com.microsoft::EmbedLayerNormalization(i, s, w, p, seg, g, b)\nfc: y = MatMul(h, v)"
	convolved = "input x f32[1,2,4,4]\noutput y f32[?,?,?,?]\n"
)

var hostileStatics = []hostileStatic{
	{name: "quantized already, with pairs", text: pairedModel, refused: "already quantized"},
	{name: "quantized already, dynamically", text: dynamicModel, refused: "already quantized"},
	{name: "quantized and more", text: dynamicModel + "\noutput z f32[2,2]\ninit v f32[2,2] 1 2 3 4\nmore: z = MatMul(y, v)", refused: "already quantized"},
	{name: "no candidate", text: "input x f32[2]\noutput y f32[2]\ny = Neg(x)", refused: nothingLeft},
	{name: "no nodes", text: "input x f32[2]\noutput x f32[2]", refused: nothingLeft},
	{name: "integers alone", text: "input x i64[2,2]\noutput y i64[2,2]\ninit w i64[2,2] 1 2 3 4\ny = MatMul(x, w)", refused: nothingLeft},
	{name: "float64", text: "input x f64[2,3]\noutput y f64[2,2]\ninit w f64[3,2] 1\nfc: y = MatMul(x, w)", refused: nothingLeft},
	{name: "float16", text: "input x f16[2,3]\noutput y f16[2,2]\ninit w f16[3,2] 1\nfc: y = MatMul(x, w)", refused: nothingLeft},
	{name: "a single constant", text: "output y f32[2]\ny = Constant() value={f32[2] 1 2}", refused: nothingLeft},
	{name: "constants alone", text: "output y f32[2,2]\ninit v f32[2,2] 1\ninit w f32[2,2] 1 2 3 4\nfc: y = MatMul(v, w)"},
	{name: "constants moved", text: "output y f32[2,2]\ninit w f32[2,2] 1 2 3 4\nfc: y = Transpose(w)", refused: nothingLeft},
	{name: "constant nodes", text: "output y f32[2,2]\nv = Constant() value={f32[2,2] 1 2 3 4}\nw = Constant() value={f32[2,2] 1 2 3 4}\nfc: y = MatMul(v, w)"},
	{name: "a constant output", text: "input x f32[2,3]\noutput y f32[2,2]\noutput w f32[3,2]\ninit w f32[3,2] 1 2 3\nfc: y = MatMul(x, w)"},
	{name: "an input that is an output", text: "input x f32[2,3]\noutput x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1 2 3\nfc: y = MatMul(x, w)"},
	{name: "a weight that is an input", text: "input x f32[2,3]\ninput w f32[3,2]\noutput y f32[2,2]\ninit w f32[3,2] 1 2 3\nfc: y = MatMul(x, w)"},

	{name: "no range of an input", text: twoProducts, alter: without("x"), refused: `value "x" has no calibrated range`},
	{name: "no range between", text: twoProducts, alter: without("h"), refused: `value "h" has no calibrated range`},
	{name: "no range of an output", text: twoProducts, alter: without("y"), refused: `value "y" has no calibrated range`},
	{name: "a range of a stranger", text: twoProducts, alter: ranged("stranger", 0, 1)},
	{name: "left out between", text: twoProducts, alter: leftOut("h"), mayBeNothing: true},
	{name: "left out before a Softmax", text: scored, alter: leftOut("h"), mayBeNothing: true},
	{name: "no range before a Softmax", text: scored, alter: without("h"), refused: `value "h" has no calibrated range`},
	{name: "NaN between", text: twoProducts, alter: ranged("h", math.NaN(), math.NaN()), refused: `value "h": its range is from NaN`},
	{name: "NaN before a Softmax", text: scored, alter: ranged("h", math.NaN(), math.NaN()), refused: `value "h": its range is from NaN`},
	{name: "NaN above", text: twoProducts, alter: ranged("h", 0, math.NaN()), refused: `value "h": its range is from 0 to NaN`},
	{name: "NaN everywhere", text: twoProducts, to: widthOf(math.NaN(), math.NaN()), refused: "its range is from NaN"},
	{name: "infinite", text: twoProducts, alter: ranged("h", 0, math.Inf(1)), refused: `value "h": its range is from 0 to +Inf`},
	{name: "infinite before a Softmax", text: scored, alter: ranged("h", 0, math.Inf(1)), refused: `value "h": its range is from 0 to +Inf`},
	{name: "infinite downwards before a Softmax", text: scored, alter: ranged("h", math.Inf(-1), 0), refused: `value "h": its range is from -Inf`},
	{name: "beyond float32", text: twoProducts, alter: ranged("h", -1e300, 1e300), refused: `value "h": its range is from -1e+300`},
	{name: "turned", text: twoProducts, alter: ranged("h", 2, 1), refused: `value "h": its range is from 2 to 1`},
	{name: "as wide as float32", text: twoProducts, to: widthOf(-math.MaxFloat32, math.MaxFloat32)},
	{name: "narrower than float32 resolves", text: twoProducts, to: widthOf(0, 1e-45)},
	{name: "subnormal", text: twoProducts, to: widthOf(-1e-40, 1e-40)},
	{name: "zero", text: twoProducts, to: widthOf(0, 0)},
	{name: "below zero", text: twoProducts, to: widthOf(-3, -2)},
	{name: "above zero", text: twoProducts, to: widthOf(2, 3)},

	{name: "NaN in a weight", text: oneProduct + "1 NaN 2", refused: `reads "w", whose element 1 is NaN`},
	{name: "infinite weight", text: oneProduct + "1 2 -Inf", refused: `reads "w", whose element 2 is -Inf`},
	{name: "NaN in a bias", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1\ninit b f32[2] 1 NaN\nfc: y = Gemm(x, w, b)", mayBeNothing: true},
	{name: "infinite bias", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1\ninit b f32[2] 1 Inf\nfc: y = Gemm(x, w, b)", mayBeNothing: true},
	{name: "NaN in what is added", text: "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[3] 1 NaN 2\nfc: y = Add(x, w)", refused: `reads "w", whose element 1 is NaN`},
	{name: "weights beyond float32", text: oneProduct + "3.4e38 -3.4e38 1"},
	{name: "subnormal weights", text: oneProduct + "1e-30 1e-44 -1e-40"},
	{name: "channels of zeros", text: oneProduct + "0 1 0 2 0 3"},
	{name: "zeros", text: oneProduct + "0"},
	{name: "a bias of zeros", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 0\ninit b f32[2] 0\nfc: y = Gemm(x, w, b)"},
	{name: "a bias beyond int32", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1e-20\ninit b f32[2] 3e38\nfc: y = Gemm(x, w, b)"},
	{name: "a kernel of zeros with a bias", text: convolved + "init w f32[2,2,1,1] 0 0 1 1\ninit b f32[2] 1 -1\nc: y = Conv(x, w, b)"},

	{name: "one element", text: "input x f32[2,1]\noutput y f32[2,1]\ninit w f32[1,1] -0.5\nfc: y = MatMul(x, w)"},
	{name: "a vector of one element", text: "input x f32[2,1]\noutput y f32[2]\ninit w f32[1] 3\nfc: y = MatMul(x, w)"},
	{name: "a vector", text: "input x f32[2,3]\noutput y f32[2]\ninit w f32[3] 3 1\nfc: y = MatMul(x, w)"},
	{name: "vectors", text: "input x f32[3]\noutput y f32[]\ninit w f32[3] 3 1\nfc: y = MatMul(x, w)"},
	{name: "a scalar", text: "input x f32[2]\noutput y f32[2]\ninit w f32[] 3\nfc: y = Mul(x, w)"},
	{name: "scalars alone", text: "input x f32[]\noutput y f32[]\ninit w f32[] 3\nfc: y = Mul(x, w)"},
	{name: "a kernel of one element", text: "input x f32[1,1,2,2]\noutput y f32[1,1,2,2]\ninit w f32[1,1,1,1] 3\ninit b f32[1] 1\nc: y = Conv(x, w, b)"},
	{name: "a bias of one element", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1 2\ninit b f32[1] 1\nfc: y = Gemm(x, w, b)", mayBeNothing: true},
	{name: "a scalar bias", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1 2\ninit b f32[] 1\nfc: y = Gemm(x, w, b)", mayBeNothing: true},
	{name: "a bias of rows", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1 2\ninit b f32[2,1] 1\nfc: y = Gemm(x, w, b)", mayBeNothing: true},
	{name: "a bias that is a matrix", text: "input x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1 2\ninit b f32[2,2] 1 2 3 4\nfc: y = Gemm(x, w, b)", mayBeNothing: true},
	{name: "a weight that is its own bias", text: "input x f32[3,3]\noutput y f32[3,3]\ninit w f32[3,3] 1 2\nfc: y = Gemm(x, w, w)", mayBeNothing: true},
	{name: "a bias that is added too", text: "input x f32[2,3]\noutput z f32[2,2]\ninit w f32[3,2] 1 2\ninit b f32[2] 1 2\nfc: y = Gemm(x, w, b)\nad: z = Add(y, b)"},
	{name: "a first factor that is constant", text: "input x f32[3,2]\noutput y f32[2,2]\ninit w f32[2,3] 1 2\nfc: y = MatMul(w, x)"},
	{name: "a stack of second factors", text: "input x f32[1,2,3]\noutput y f32[?,?,?]\ninit w f32[1,3,2] 1 2\nfc: y = MatMul(x, w)"},
	{name: "stacks of factors", text: "input x f32[2,2,3]\noutput y f32[?,?,?]\ninit w f32[2,3,2] 1 2\nfc: y = MatMul(x, w)"},
	{name: "a stack of first factors", text: "input x f32[3,2]\noutput y f32[?,?,?]\ninit w f32[2,2,3] 1 2\nfc: y = MatMul(w, x)"},
	{name: "a constant first factor of a Gemm", text: "input x f32[3,2]\noutput y f32[2,2]\ninit w f32[2,3] 1 2\nfc: y = Gemm(w, x)"},
	{name: "a Gemm of both turned", text: "input x f32[3,2]\noutput y f32[2,2]\ninit w f32[2,3] 1 2\ninit b f32[2] 1 2\nfc: y = Gemm(x, w, b) transA=1 transB=1 alpha=0.5 beta=2.0"},
	{name: "a factor that both sides are", text: "output y f32[2,2]\ninit w f32[2,2] 1 2\nfc: y = MatMul(w, w)"},
	{name: "a table that is multiplied too", text: "input x f32[2,3]\ninput i i64[2]\noutput y f32[2,2]\noutput z f32[2,2]\ninit w f32[3,2] 1 2\ng: z = Gather(w, i)\nfc: y = MatMul(x, w)"},
	{name: "a factor that is added too", text: "input x f32[3,3]\noutput y f32[3,3]\ninit w f32[3,3] 1 2\nfc: h = MatMul(x, w)\nad: y = Add(h, w)"},
	{name: "a kernel that is turned too", text: "input x f32[1,2,4,4]\noutput y f32[?,?,?,?]\noutput z f32[?,?,?,?]\ninit w f32[2,2,1,1] 1 2\nc: y = Conv(x, w)\nd: z = ConvTranspose(x, w)"},
	{name: "a norm of two", text: "input x f32[2,3,4]\noutput y f32[2,3,4]\ninit s f32[4] 1 0.5 2\ninit b f32[4] 0.1\nn: h = LayerNormalization(x, s, b)\nm: y = LayerNormalization(h, s)", mayBeNothing: true},
	{name: "an instance norm", text: "input x f32[2,3,4]\noutput y f32[2,3,4]\ninit s f32[3] 1 0.5 2\ninit b f32[3] 0.1\nn: y = InstanceNormalization(x, s, b)", mayBeNothing: true},
	{name: "a batch norm", text: "input x f32[2,3,4]\noutput y f32[2,3,4]\ninit s f32[3] 1 0.5 2\ninit b f32[3] 0.1\ninit m f32[3] 0\ninit v f32[3] 1\nn: y = BatchNormalization(x, s, b, m, v)", mayBeNothing: true},
	{name: "a product with itself", text: "input x f32[3,3]\noutput y f32[3,3]\nfc: y = MatMul(x, x)"},
	{name: "a computed kernel", text: "input x f32[1,1,4,4]\ninput w f32[1,1,2,2]\ninput b f32[1]\noutput y f32[?,?,?,?]\nc: y = Conv(x, w, b)", mayBeNothing: true},
	{name: "a kernel without channels", text: "input x f32[1,1,4,4]\noutput y f32\ninit w f32[0,1,2,2]\nc: y = Conv(x, w)", refused: nothingLeft},

	{name: "a matrix without columns", text: "input x f32[2,3]\noutput y f32[2,0]\ninit w f32[3,0]\nfc: y = MatMul(x, w)", refused: nothingLeft},
	{name: "a matrix without rows", text: "input x f32[2,0]\noutput y f32[2,2]\ninit w f32[0,2]\nfc: y = MatMul(x, w)", refused: nothingLeft},
	{name: "an empty bias", text: "input x f32[2,3]\noutput y f32[2,0]\ninit w f32[3,0]\ninit b f32[0]\nfc: y = Gemm(x, w, b)", refused: nothingLeft},
	{name: "an empty summand", text: "input x f32[0]\noutput y f32[0]\ninit w f32[0]\nad: y = Add(x, w)", refused: nothingLeft},
	{name: "an empty multiplier", text: "input x f32[0]\noutput y f32[0]\ninit w f32[0]\nad: y = Mul(x, w)", refused: nothingLeft},
	{name: "an empty multiplier of one", text: "input x f32[1]\noutput y f32[0]\ninit w f32[0]\nad: y = Mul(x, w)", refused: nothingLeft},
	{name: "an empty summand of one", text: "input x f32[1]\noutput y f32[0]\ninit w f32[0]\nad: y = Add(w, x)", refused: nothingLeft},
	{name: "an empty part", text: "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[0,3]\nca: y = Concat(x, w) axis=0"},
	{name: "an empty choice", text: "input c bool[0]\ninput x f32[0]\noutput y f32[0]\ninit w f32[0]\nfc: h = Add(x, x)\nwh: y = Where(c, w, h)", refused: nothingLeft},
	{name: "empty activations", text: "input x f32[0,3]\noutput y f32[0,3]\ninit w f32[3,3] 1 2\nfc: h = MatMul(x, w)\nr: i = Relu(h)\ns: j = Sigmoid(i)\nt: k = Softmax(j)\nl: y = LeakyRelu(k)", refused: nothingLeft},
	{name: "empty images", text: "input x f32[0,1,4,4]\noutput y f32[?,?,?,?]\ninit w f32[1,1,2,2] 1 2\nc: h = Conv(x, w)\nm: i = MaxPool(h) kernel_shape=[2,2]\na: j = AveragePool(i) kernel_shape=[2,2]\ng: y = GlobalAveragePool(j)", refused: nothingLeft},
	{name: "a resize without a region", text: "input x f32[1,1,4,4]\noutput y f32[?,?,?,?]\ninit w f32[1,1,1,1] 0.5\ninit roi f32[0]\ninit scales f32[4] 1 1 2 2\nc: h = Conv(x, w)\nr: y = Resize(h, roi, scales) mode='nearest'"},
	{name: "an empty table", text: "input i i64[0]\noutput y f32[0,2]\ninit w f32[0,2]\ng: y = Gather(w, i)", refused: nothingLeft},

	{name: "shares in a ring", text: "input x f32[2,3]\noutput y f32[2,3]\noutput w f32[2,3]\nad: h = Add(x, w)\nre: y = Reshape(h, s)\ninit s i64[2] 2 3\ntr: w = Identity(x)"},
	{name: "a cycle", text: twoProducts + "\na = Relu(b)\nb = Relu(a)", refused: "cycle"},
	{name: "made twice", text: twoProducts + "\nh = Relu(x)", refused: "more than one node"},
	{name: "shares of a constant", text: "input x f32[2,3]\ninput i i64[2]\noutput y f32[2,3]\noutput z f32[2,3]\ninit w f32[3,3] 1 2\nfc: y = MatMul(x, w)\ng: z = Gather(w, i)"},
	{name: "moved to and fro", text: "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[3,3] 1 2\nfc: h = MatMul(x, w)\na: i = Transpose(h)\nb: j = Transpose(i)\nc: k = Transpose(j)\nd: y = Transpose(k)"},
	{name: "split of a constant", text: "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[2,3] 1 2\na, b = Split(w) axis=0\nad: y = Add(x, a)"},
	{name: "a Where of constants", text: "input c bool[2,3]\noutput y f32[2,3]\ninit v f32[2,3] 1 2\ninit w f32[] 0\nwh: y = Where(c, v, w)", refused: nothingLeft},
	{name: "padded with a computed value", text: "input x f32[2,3]\ninput c f32[]\noutput y f32[?,?]\ninit w f32[3,3] 1 2\ninit p i64[4] 0 1 0 1\nfc: h = MatMul(x, w)\npd: y = Pad(h, p, c)"},
	{name: "clipped by values", text: "input x f32[2,3]\ninput lo f32[]\ninput hi f32[]\noutput y f32[2,3]\ninit w f32[3,3] 1 2\nfc: h = MatMul(x, w)\ncl: y = Clip(h, lo, hi)"},
	{name: "clipped to nothing", text: "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[3,3] 1 2\ninit lo f32[] 2\ninit hi f32[] -2\nfc: h = MatMul(x, w)\ncl: y = Clip(h, lo, hi)"},
	{name: "clipped at NaN", text: "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[3,3] 1 2\ninit lo f32[] NaN\nfc: h = MatMul(x, w)\ncl: y = Clip(h, lo)"},

	{name: "captured", text: twoProducts + "\ninput c bool[]\noutput z f32[2,3]\ngraph a\ns = Neg(h)\noutput s f32[2,3]\nend\ngraph b\nt = Relu(h)\noutput t f32[2,3]\nend\nz = If(c) then_branch=@a else_branch=@b"},
	{name: "a captured weight", text: twoProducts + "\ninput c bool[]\noutput z f32[3,3]\ngraph a\ns = Neg(w)\noutput s f32[3,3]\nend\ngraph b\nt = Identity(v)\noutput t f32[3,3]\nend\nz = If(c) then_branch=@a else_branch=@b"},
	{name: "a captured bias", text: "input x f32[2,3]\ninput c bool[]\noutput y f32[2,2]\noutput z f32[2]\ninit w f32[3,2] 1 2\ninit b f32[2] 1 2\ngraph a\ns = Neg(b)\noutput s f32[2]\nend\nfc: y = Gemm(x, w, b)\nz = If(c) then_branch=@a else_branch=@a"},
	{name: "a captured Relu", text: "input x f32[2,3]\ninput c bool[]\noutput y f32[2,3]\noutput z f32[2,3]\ninit w f32[3,3] 1 -2\ngraph a\ns = Neg(r)\noutput s f32[2,3]\nend\nfc: h = MatMul(x, w)\nre: r = Relu(h)\nfd: y = MatMul(r, w)\nz = If(c) then_branch=@a else_branch=@a"},
	{name: "products in bodies alone", text: "input x f32[2,3]\ninput c bool[]\noutput z f32[2,2]\ninit w f32[3,2] 1 -2\ngraph a\ns = MatMul(x, w)\noutput s f32[2,2]\nend\nz = If(c) then_branch=@a else_branch=@a", refused: nothingLeft},

	{name: "names that are taken", text: `
		input x f32[2,3]
		input x_quantized f32[2,3]
		input h_QuantizeLinear_Output f32[2,3]
		output y f32[2,3]
		output z f32[2,3]
		output h_quantized f32[2,3]
		init w f32[3,3] 0.5 -1 0.25
		init w_quantized f32[3,3] 0.5 -1 0.25
		init w_scale f32[] 1
		init w_zero_point f32[] 1
		init x_scale f32[] 1
		init x_zero_point f32[] 1
		w_DequantizeLinear: h = MatMul(x, w)
		x_QuantizeLinear: h_quantized = MatMul(x_quantized, w_quantized)
		y_DequantizeLinear: i = Add(h, h_QuantizeLinear_Output)
		one_quant: j = Add(i, x_scale)
		one: k = Add(j, w_scale)
		h_QuantizeLinear: y_QuantizeLinear_Input = Add(x_zero_point, w_zero_point)
		two: y = Add(k, y_QuantizeLinear_Input)
		three: z = Relu(h_quantized)`},
	{name: "nodes of one name", text: strings.ReplaceAll(twoProducts, "two:", "one:")},
	{name: "nodes without names", text: strings.NewReplacer("one:", "", "two:", "").Replace(twoProducts)},
	{name: "a bias under the next name", text: "input x f32[2,3]\noutput y f32[2,2]\noutput z f32[2,2]\ninit w f32[3,2] 1 2\ninit b f32[2] 1 2\ninit b0 f32[2] 1 3\nfc: y = Gemm(x, w, b)\nfd: z = Gemm(x, w, b)\nad: u = Add(y, b0)"},

	{name: "an embedding", text: embedding},
	{name: "an embedding without segments", text: strings.NewReplacer("input s i32[2,3]\n", "", "init seg f32[2,4] 0.1 -0.2 0.3\n", "", "(i, s, w, p, seg, ", "(i, , w, p, , ").Replace(embedding)},
	{name: "an embedding with lengths", text: strings.Replace(embedding, "h, _ =", "h, mask =", 1) + "\noutput mask i32[2]"},
	{name: "an embedding at positions", text: strings.NewReplacer("input s i32[2,3]\n", "input s i32[2,3]\ninput at i32[2,3]\n", "g, b)", "g, b, , at)").Replace(embedding)},
	{name: "an embedding with a mask", text: strings.NewReplacer("input s i32[2,3]\n", "input s i32[2,3]\ninput m i32[2,3]\n", "g, b)", "g, b, m)").Replace(embedding)},
	{name: "an embedding and its sum", text: strings.NewReplacer("h, _ =", "h, _, sum =").Replace(embedding) + "\noutput sum f32[2,3,4]"},
	{name: "inputs left out", text: "input x f32[1,2,4,4]\noutput y f32[?,?,?,?]\ninit w f32[2,2,1,1] 1 2\nc: h = Conv(x, w, )\ncl: y = Clip(h, , )"},
	{name: "a sequence", text: "input x f32[2,4]\noutput y f32[2,4]\ninit w f32[4,4] 1 2\ninit zero i64[] 0\nfc: h = MatMul(x, w)\ns = SequenceConstruct(h, x)\ne = SequenceAt(s, zero)\nfd: y = MatMul(e, w)"},
	{name: "of an unknown operator", text: "opset 17\nopset local 1\ninput x f32[2,3]\noutput y f32[2,2]\ninit w f32[3,2] 1\nu = local::Foo(x)\nfc: y = MatMul(u, w)", mayBeNothing: true},
	{name: "a sparse weight", text: "input x f32[2,3]\noutput y f32[2,3]\nsparse w f32[3] 3 at 1\nad: y = Add(x, w)"},
	{name: "opset 9", text: "opset 9\n" + twoProducts},
	{name: "opset 9 with an Upsample", text: "opset 9\n" + convolved + "init w f32[2,2,1,1] 1 2\ninit s f32[4] 1 1 2 2\nc: h = Conv(x, w)\nr: k = Relu(h)\nl: m = Clip(k) min=0.0 max=1.5\nu: y = Upsample(m, s)"},
	{name: "opset 10", text: "opset 10\n" + twoProducts},
	{name: "opset 11", text: "opset 11\n" + convolved + "init w f32[2,2,1,1] 1 2\ninit b f32[2] 1 2\nc: h = Conv(x, w, b)\nr: y = Relu(h)"},
	{name: "IR version 3", text: "ir 3\nopset 11\ninput w f32[3,2]\n" + oneProduct + "1 2"},
}

// TestQuantizeStaticHostile checks every model with every format and type. A result has no new
// problem, and it loads and runs if the original does. For some models and ways, the answer may be
// that nothing can be quantized.
func TestQuantizeStaticHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	runs, err := sessiontest.Env(t).Runtime.(*runtime.Workers).Stay(runtime.Execution{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = runs.Close() })
	version := sessiontest.Env(t).RuntimeVersion(t.Context())
	for _, tt := range hostileStatics {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			feeds, broken := fedFor(t, runs, m)
			for _, w := range hostileWays() {
				o, way := w.o, w.String()
				table := rangesLike(t, m, o, calibration.Range{Low: -1, High: 2})
				if tt.to != nil {
					table = rangesLike(t, m, o, *tt.to)
				}
				if tt.alter != nil {
					tt.alter(table)
				}
				result, _, err := static.Quantize(t.Context(), m, table, o)
				switch {
				case (tt.mayBeNothing || w.more != "") && errors.Is(err, quant.ErrNothing):
				case tt.refused != "" && (err != nil || w.more == "") && (err == nil || !strings.Contains(err.Error(), tt.refused)):
					t.Errorf("%s: %v, expected %q", way, err, tt.refused)
				case tt.refused == "" && err != nil:
					t.Errorf("%s: %v", way, err)
				case err == nil:
					if err = sounder(t.Context(), session.Env{}, m, result, false); err == nil && !broken {
						err = finite(t.Context(), runs, result, feeds)
					}
					if err != nil && strings.Contains(err.Error(), "zero point of per-channel filter must be same") && opschema.CompareReleases(version, "1.30") < 0 {
						err = nil // ONNX Runtime 1.24 fuses a QLinearConv that it cannot compute
					}
					if err != nil {
						t.Errorf("%s: %v\n%s", way, err, strings.Join(graphtest.Nodes(result.Graph()), "\n"))
					}
				}
			}
		})
	}
}

// fedFor returns inputs of a model. broken is set if the model does not run on them or produces NaN
// or infinities.
func fedFor(t *testing.T, runs graphops.Runner, m *graphops.Model) (feeds graphops.Feeds, broken bool) {
	t.Helper()
	made, err := inputs.Generate(graphops.NamedTypes(m.Graph().FeedInputs()), inputs.Options{MaxBytes: 1 << 16, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	return made.Feeds, finite(t.Context(), runs, m, made.Feeds) != nil
}

// finite returns an error if a model does not run or produces NaN or infinities.
func finite(ctx context.Context, runs graphops.Runner, m *graphops.Model, in graphops.Feeds) error {
	var want []graphops.Want
	for _, v := range m.Graph().Outputs() {
		want = append(want, graphops.Want{Name: v.Name(), Profile: true})
	}
	return runs.Run(ctx, m, in, want, func(g graphops.Got) error {
		for _, p := range g.Parts {
			if p.Profile != nil && p.Profile.NaN+p.Profile.Inf > 0 {
				return fmt.Errorf("%q holds %d NaN and %d infinities", g.Name, p.Profile.NaN, p.Profile.Inf)
			}
		}
		return nil
	})
}
