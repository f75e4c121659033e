package simplify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// fusions are all optional passes of the family, and none of the others, so that the
// cases state what the fusions do.
func fusions() Options {
	return onlyPasses(append([]*pass{deadCode}, normPasses...)...)
}

// fused simplifies with all fusions, and gives the nodes and why something was
// refused.
func fused(t *testing.T, text string) (nodes, why []string) {
	t.Helper()
	out, r := simplified(t, graphtest.Model(t, text), fusions())
	for _, p := range r.Passes {
		for _, f := range p.Refused {
			why = append(why, p.Name+": "+f.Why)
		}
	}
	return graphtest.Nodes(out.Graph()), why
}

type fusionCase struct {
	text string
	want []string // nodes; nil where nothing changes
	why  string   // of a refusal
}

func fusionCases(t *testing.T, cases map[string]fusionCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, why := fused(t, c.text)
			want := c.want
			if want == nil {
				want = graphtest.Nodes(graphtest.Model(t, c.text).Graph())
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if c.why == "" && len(why) > 0 || c.why != "" && !slices.ContainsFunc(why, func(w string) bool { return strings.Contains(w, c.why) }) {
				t.Errorf("refused: %q, want %q", why, c.why)
			}
		})
	}
}

// centred is a layer normalization as exporters write it; what is to differ is
// replaced in it.
const centred = `opset 17
input x f32[b,s,4]
init two f32[] 2
init eps f32[] 0.00001
init w f32[4] 1 2 3 4
init b f32[4] 4 3 2 1
m = ReduceMean(x) axes=[-1]
d = Sub(x, m)
q = Pow(d, two)
v = ReduceMean(q) axes=[-1]
a = Add(v, eps)
r = Sqrt(a)
n = Div(d, r)
p = Mul(n, w)
y = Add(p, b)
output y f32[b,s,4]`

func with(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			panic("the text has no " + pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

const eps = "epsilon=1e-05"

func TestLayerNormalization(t *testing.T) {
	whole := []string{"y = LayerNormalization(x, w, b) axis=-1 " + eps}
	fusionCases(t, map[string]fusionCase{
		"as exported":        {centred, whole, ""},
		"below opset 17":     {with(centred, "opset 17", "opset 13"), whole, ""},
		"axes as input":      {with(centred, "opset 17", "opset 18\ninit ax i64[1] -1", "ReduceMean(x) axes=[-1]", "ReduceMean(x, ax)", "ReduceMean(q) axes=[-1]", "ReduceMean(q, ax)"), whole, ""},
		"axis from the left": {with(centred, "axes=[-1]", "axes=[2]"), whole, ""},
		"square by Mul":      {with(centred, "Pow(d, two)", "Mul(d, d)"), whole, ""},
		"two subtractions":   {with(centred, "Pow(d, two)", "Pow(e, two)", "q = ", "e = Sub(x, m)\nq = "), whole, ""},
		"two means":          {with(centred, "Pow(d, two)", "Pow(e, two)", "q = ", "k = ReduceMean(x) axes=[2]\ne = Sub(k, x)\nq = "), whole, ""},
		"by the inverse":     {with(centred, "n = Div(d, r)", "i = Reciprocal(r)\nn = Mul(i, d)"), whole, ""},
		"one over the root":  {with(centred, "n = Div(d, r)", "init one f32[] 1\ni = Div(one, r)\nn = Mul(d, i)"), whole, ""},
		"power of -0.5":      {with(centred, "r = Sqrt(a)", "init h f32[] -0.5\nr = Pow(a, h)", "Div(d, r)", "Mul(d, r)"), whole, ""},
		"sides swapped":      {with(centred, "Add(v, eps)", "Add(eps, v)", "Mul(n, w)", "Mul(w, n)", "Add(p, b)", "Add(b, p)"), whole, ""},
		"no bias": {with(centred, "y = Add(p, b)", "y = Relu(p)"), []string{
			"p_LayerNormalization = LayerNormalization(x, w) axis=-1 " + eps, "y = Relu(p_LayerNormalization)",
		}, ""},
		"no scale": {with(centred, "p = Mul(n, w)\ny = Add(p, b)", "y = Relu(n)"), []string{
			"n_LayerNormalization = LayerNormalization(x, x_scale) axis=-1 " + eps, "y = Relu(n_LayerNormalization)",
		}, ""},
		"no epsilon":             {with(centred, "Sqrt(a)", "Sqrt(v)", "a = Add(v, eps)\n", ""), []string{"y = LayerNormalization(x, w, b) axis=-1 epsilon=0"}, ""},
		"scale with ones before": {with(centred, "w f32[4]", "w f32[1,1,4]"), []string{"y = LayerNormalization(x, w__1, b) axis=-1 " + eps}, ""},
		"two axes": {
			with(centred, "axes=[-1]", "axes=[1,-1]", "[b,s,4]", "[b,2,4]", "w f32[4]", "w f32[2,4]", "b f32[4]", "b f32[2,4]"),
			[]string{"y = LayerNormalization(x, w, b) axis=-2 " + eps},
			"",
		},
		"as TensorFlow writes": {with(centred, "n = Div(d, r)\np = Mul(n, w)\ny = Add(p, b)", `i = Reciprocal(r)
g = Mul(i, w)
xr = Mul(x, g)
mr = Mul(m, g)
o = Sub(b, mr)
y = Add(xr, o)`), whole, ""},
		"half computed in 32 bits": {`opset 17
input x f16[b,4]
init two f32[] 2
init eps f32[] 0.00001
init w f16[4] 1 2 3 4
c = Cast(x) to=1
m = ReduceMean(c) axes=[-1]
d = Sub(c, m)
q = Pow(d, two)
v = ReduceMean(q) axes=[-1]
a = Add(v, eps)
r = Sqrt(a)
n = Div(d, r)
h = Cast(n) to=10
y = Mul(h, w)
output y f16[b,4]`, []string{"y = LayerNormalization(x, w) axis=-1 " + eps}, ""},

		"another axis":         {text: with(centred, "axes=[-1]", "axes=[1]")},
		"axes that differ":     {text: with(centred, "ReduceMean(q) axes=[-1]", "ReduceMean(q) axes=[1]")},
		"axes not kept":        {text: with(centred, "ReduceMean(q) axes=[-1]", "ReduceMean(q) axes=[-1] keepdims=0")},
		"a cube":               {text: with(centred, "two f32[] 2", "two f32[] 3")},
		"mean of another":      {text: with(centred, "x f32[b,s,4]\n", "x f32[b,s,4]\ninput z f32[b,s,4]\n", "ReduceMean(x)", "ReduceMean(z)"), want: []string{"m = ReduceMean(z) axes=[-1]", "d = Sub(x, m)", "p_SimplifiedLayerNormalization = SimplifiedLayerNormalization(d, w) axis=-1 " + eps, "y = Add(p_SimplifiedLayerNormalization, b)"}},
		"large epsilon":        {text: with(centred, "0.00001", "2")},
		"replaceable epsilon":  {text: with(centred, "init eps f32[] 0.00001", "input eps f32[]\ninit eps f32[] 0.00001")},
		"deviation is needed":  {text: centred + "\noutput d f32", why: `the intermediate value "d" is also needed elsewhere`},
		"variance is read":     {text: with(centred, "output y", "z = Relu(v)\noutput z f32\noutput y"), why: "needed elsewhere"},
		"rank is not known":    {text: with(centred, "input x f32[b,s,4]", "input x f32"), why: "the rank of its input is not known"},
		"64 bits":              {text: with(centred, "f32", "f64"), why: "64 bits"},
		"a constant of rank 4": {text: with(centred, "two f32[]", "two f32[1,1,1,1]"), why: "a constant has 4 axes"},
		"one element":          {text: with(centred, "[b,s,4]", "[b,s,1]", "f32[4] 1 2 3 4", "f32[1] 1", "f32[4] 4 3 2 1", "f32[1] 1"), why: "a single element"},
		"size is not known":    {text: with(centred, "[b,s,4]", "[b,s,c]", "f32[4] 1 2 3 4", "f32[1] 1", "f32[4] 4 3 2 1", "f32[1] 1"), why: "a single element"},
		"old broadcasting":     {text: with(centred, "opset 17", "opset 6")},
		"a function that hides it": {text: centred + `
function ai.onnx LayerNormalization(a, b, c) -> (d)
opset 17
d = Add(a, b)
end`, why: "no suitable operator"},
	})
}

// A near miss keeps what is beside it: a scale of another shape stays a Mul.
func TestLayerNormalizationOtherScale(t *testing.T) {
	for name, w := range map[string]string{"a number": "f32[] 2", "one element": "f32[1] 2", "more axes": "f32[1,1,1,4] 2", "each item": "f32[3,1,4] 2"} {
		got, _ := fused(t, with(centred, "f32[4] 1 2 3 4", w))
		if len(got) != 3 || !strings.HasPrefix(got[0], "n_LayerNormalization = LayerNormalization(x, x_scale)") {
			t.Errorf("%s: %s", name, strings.Join(got, "; "))
		}
	}
}

const meanSquare = `opset 23
input x f32[b,s,4]
init two f32[] 2
init eps f32[] 0.00001
init w f32[4] 1 2 3 4
q = Pow(x, two)
v = ReduceMean(q, ax)
init ax i64[1] -1
a = Add(v, eps)
r = Sqrt(a)
i = Reciprocal(r)
n = Mul(x, i)
y = Mul(w, n)
output y f32[b,s,4]`

func TestRMSNormalization(t *testing.T) {
	whole := []string{"y = RMSNormalization(x, w) axis=-1 " + eps}
	fusionCases(t, map[string]fusionCase{
		"as exported":    {meanSquare, whole, ""},
		"below opset 23": {with(meanSquare, "opset 23", "opset 18"), []string{"y = SimplifiedLayerNormalization(x, w) axis=-1 " + eps}, ""},
		"by Mul":         {with(meanSquare, "Pow(x, two)", "Mul(x, x)"), whole, ""},
		"by Div":         {with(meanSquare, "i = Reciprocal(r)\nn = Mul(x, i)", "n = Div(x, r)"), whole, ""},
		"no scale": {with(meanSquare, "y = Mul(w, n)", "y = Relu(n)"), []string{
			"n_RMSNormalization = RMSNormalization(x, x_scale) axis=-1 " + eps, "y = Relu(n_RMSNormalization)",
		}, ""},
		"the root of one, times another": {text: with(meanSquare, "input x f32[b,s,4]\n", "input x f32[b,s,4]\ninput z f32[b,s,4]\n", "Mul(x, i)", "Mul(z, i)")},
		"a sum in place of a mean":       {text: with(meanSquare, "ReduceMean", "ReduceSum")},
		"the inverse is needed":          {text: meanSquare + "\noutput i f32", why: "needed elsewhere"},
	})
}

const erfGelu = `opset 17
input x f32[b,4]
init c f32[] 1.4142135
init one f32[] 1
init half f32[] 0.5
u = Div(x, c)
e = Erf(u)
s = Add(e, one)
p = Mul(x, s)
y = Mul(p, half)
output y f32[b,4]`

const tanhGelu = `opset 20
input x f32[b,4]
init c f32[] 0.7978846
init k f32[] 0.044715
init one f32[] 1
init half f32[] 0.5
init three f32[] 3
q = Pow(x, three)
kq = Mul(k, q)
i = Add(x, kq)
u = Mul(i, c)
e = Tanh(u)
s = Add(one, e)
h = Mul(x, half)
y = Mul(h, s)
output y f32[b,4]`

func TestGelu(t *testing.T) {
	older, newer := []string{"y = com.microsoft::Gelu(x)"}, []string{"y = Gelu(x) approximate='tanh'"}
	fusionCases(t, map[string]fusionCase{
		"as exported":       {erfGelu, older, ""},
		"of the standard":   {with(erfGelu, "opset 17", "opset 20"), []string{"y = Gelu(x) approximate='none'"}, ""},
		"half first":        {with(erfGelu, "Mul(x, s)", "Mul(half, s)", "Mul(p, half)", "Mul(p, x)"), older, ""},
		"half beside x":     {with(erfGelu, "p = Mul(x, s)\ny = Mul(p, half)", "p = Mul(half, x)\ny = Mul(s, p)"), older, ""},
		"by Mul":            {with(erfGelu, "1.4142135", "0.70710677", "Div(x, c)", "Mul(c, x)"), older, ""},
		"halved by Div":     {with(erfGelu, "half f32[] 0.5", "half f32[] 2", "Mul(p, half)", "Div(p, half)"), older, ""},
		"half precision":    {with(erfGelu, "f32", "f16"), older, ""},
		"tanh":              {tanhGelu, newer, ""},
		"tanh before 20":    {with(tanhGelu, "opset 20", "opset 13"), []string{"y = com.microsoft::FastGelu(x)"}, ""},
		"tanh, x³ by Mul":   {with(tanhGelu, "q = Pow(x, three)", "x2 = Mul(x, x)\nq = Mul(x2, x)"), newer, ""},
		"tanh, factored":    {with(tanhGelu, "q = Pow(x, three)\nkq = Mul(k, q)\ni = Add(x, kq)\nu = Mul(i, c)", "kx = Mul(x, k)\nkxx = Mul(kx, x)\nkq = Add(kxx, one)\ncx = Mul(x, c)\nu = Mul(cx, kq)"), newer, ""},
		"tanh in bf16":      {with(tanhGelu, "f32", "bf16"), newer, ""},
		"bias":              {with(erfGelu, "input x f32[b,4]", "input z f32[b,4]\ninit bias f32[4] 1 2 3 4\nx = Add(z, bias)"), []string{"y = com.microsoft::BiasGelu(z, bias)"}, ""},
		"bias before tanh":  {with(tanhGelu, "input x f32[b,4]", "input z f32[b,4]\ninit bias f32[4] 1 2 3 4\nx = Add(bias, z)"), []string{"y = com.microsoft::FastGelu(z, bias)"}, ""},
		"bias of one":       {with(erfGelu, "input x f32[b,4]", "input z f32[b,4]\ninit bias f32[1] 1\nx = Add(z, bias)"), []string{"x = Add(z, bias)", "y = com.microsoft::Gelu(x)"}, ""},
		"bias needed again": {with(erfGelu, "input x f32[b,4]", "input z f32[b,4]\ninit bias f32[4] 1\nx = Add(z, bias)\nr = Relu(x)\noutput r f32"), []string{"x = Add(z, bias)", "r = Relu(x)", "y = com.microsoft::Gelu(x)"}, ""},

		"without the half": {with(erfGelu, "\ny = Mul(p, half)", "", "p = Mul", "y = Mul"), []string{
			"y_Gelu = com.microsoft::Gelu(x)", "y = Mul(y_Gelu, y_Gelu_factor)",
		}, ""},
		"by a third":      {with(tanhGelu, "half f32[] 0.5", "half f32[] 0.3333333"), []string{"y_Gelu = Gelu(x) approximate='tanh'", "y = Mul(y_Gelu, y_Gelu_factor)"}, ""},
		"by nothing":      {text: with(erfGelu, "half f32[] 0.5", "half f32[] 0"), want: []string{"p_Gelu = com.microsoft::Gelu(x)", "p_Mul = Mul(p_Gelu, p_Gelu_factor)", "y = Mul(p_Mul, half)"}},
		"halved and more": {text: with(erfGelu, "y = Mul(p, half)", "y = Add(p, half)"), want: []string{"p_Gelu = com.microsoft::Gelu(x)", "p_Mul = Mul(p_Gelu, p_Gelu_factor)", "y = Add(p_Mul, half)"}},

		"another constant":  {text: with(erfGelu, "1.4142135", "1.41"), why: "relative difference"},
		"no constant":       {text: with(erfGelu, "1.4142135", "3")},
		"other constant":    {text: with(tanhGelu, "0.044715", "0.0447"), why: "relative difference"},
		"one and a half":    {text: with(erfGelu, "one f32[] 1", "one f32[] 1.5")},
		"times another":     {text: with(erfGelu, "input x f32[b,4]", "input x f32[b,4]\ninput z f32[b,4]", "Mul(x, s)", "Mul(z, s)")},
		"erf is needed":     {text: erfGelu + "\noutput s f32", why: ""},
		"constant too wide": {text: with(erfGelu, "half f32[]", "half f32[1,1,1]"), why: "a constant has 3 axes"},
		"64 bits":           {text: with(erfGelu, "f32", "f64")},
	})
}

func TestOtherActivations(t *testing.T) {
	sigmoid := "opset 17\ninput x f32[b]\ninit c f32[] 1.702\nu = Mul(x, c)\ns = Sigmoid(u)\ny = Mul(s, x)\noutput y f32[b]"
	mish := "opset 18\ninput x f32[b]\nu = Softplus(x)\ns = Tanh(u)\ny = Mul(x, s)\noutput y f32[b]"
	hard := "opset 14\ninput x f32[b]\ninit three f32[] 3\ninit zero f32[] 0\ninit six f32[] 6\nu = Add(x, three)\ns = Clip(u, zero, six)\np = Mul(x, s)\ny = Div(p, six)\noutput y f32[b]"
	fusionCases(t, map[string]fusionCase{
		"quick gelu":      {sigmoid, []string{"y = com.microsoft::QuickGelu(x) alpha=1.702"}, ""},
		"silu":            {with(sigmoid, "Sigmoid(u)", "Sigmoid(x)", "u = Mul(x, c)\n", ""), []string{"y = com.microsoft::QuickGelu(x) alpha=1"}, ""},
		"swish":           {with(sigmoid, "opset 17", "opset 24"), []string{"y = Swish(x) alpha=1.702"}, ""},
		"gate":            {text: with(sigmoid, "input x f32[b]", "input x f32[b]\ninput z f32[b]", "Mul(s, x)", "Mul(s, z)")},
		"sigmoid is read": {text: sigmoid + "\noutput s f32"},
		"mish":            {mish, []string{"y = Mish(x)"}, ""},
		"mish of PyTorch": {with(mish, "u = Softplus(x)", "init k f32[] 20\nl = Softplus(x)\ng = Greater(x, k)\nu = Where(g, x, l)"), []string{"y = Mish(x)"}, ""},
		"mish, early":     {text: with(mish, "u = Softplus(x)", "init k f32[] 2\nl = Softplus(x)\ng = Greater(x, k)\nu = Where(g, x, l)")},
		"mish too old":    {text: with(mish, "opset 18", "opset 17"), why: "no suitable operator"},
		"softplus read":   {text: mish + "\noutput u f32", why: "needed elsewhere"},
		"hard swish":      {hard, []string{"y = HardSwish(x)"}, ""},
		"hard by a layer": {with(hard, "p = Mul(x, s)\ny = Div(p, six)", "y = Mul(s, x)"), []string{"y_HardSwish = HardSwish(x)", "y = Mul(y_HardSwish, y_HardSwish_factor)"}, ""},
		"hard sigmoid":    {"opset 14\ninput x f32[b]\ns = HardSigmoid(x) alpha=0.16666667 beta=0.5\ny = Mul(x, s)\noutput y f32[b]", []string{"y = HardSwish(x)"}, ""},
		"hard default":    {text: "opset 14\ninput x f32[b]\ns = HardSigmoid(x)\ny = Mul(x, s)\noutput y f32[b]"},
		"clip to 5":       {text: with(hard, "Clip(u, zero, six)", "Clip(u, zero, five)", "init six", "init five f32[] 5\ninit six")},
		"hard in bf16":    {text: with(hard, "f32", "bf16"), why: "no suitable operator supports bf16"},
	})
}

const residualSum = `opset 17
input x f32[b,s,4]
input z f32[b,s,4]
init w f32[4] 1 2 3 4
init b f32[4] 4 3 2 1
h = Add(x, z)
y = LayerNormalization(h, w, b) epsilon=0.001
output y f32`

func TestSkipNormalization(t *testing.T) {
	whole := []string{"y = com.microsoft::SkipLayerNormalization(x, z, w, b) epsilon=0.001"}
	fusionCases(t, map[string]fusionCase{
		"sum":            {residualSum, whole, ""},
		"sum needed":     {with(residualSum, "output y", "o = Relu(h)\noutput o f32\noutput y"), []string{"y, _, _, y_SkipLayerNormalization__3 = com.microsoft::SkipLayerNormalization(x, z, w, b) epsilon=0.001", "o = Relu(y_SkipLayerNormalization__3)"}, ""},
		"sum is output":  {with(residualSum, "output y", "output h f32\noutput y"), []string{"y, _, _, h = com.microsoft::SkipLayerNormalization(x, z, w, b) epsilon=0.001"}, ""},
		"read before":    {with(residualSum, "y = ", "o = Relu(h)\noutput o f32\ny = "), []string{"y, _, _, y_SkipLayerNormalization__3 = com.microsoft::SkipLayerNormalization(x, z, w, b) epsilon=0.001", "o = Relu(y_SkipLayerNormalization__3)"}, ""},
		"of the batch":   {with(residualSum, "z f32[b,s,4]", "z f32[s,4]"), whole, ""},
		"of the batch 2": {with(residualSum, "x f32[b,s,4]", "x f32[1,s,4]"), []string{"y = com.microsoft::SkipLayerNormalization(z, x, w, b) epsilon=0.001"}, ""},
		"root of squares": {with(residualSum, "opset 17", "opset 23", "LayerNormalization(h, w, b)", "RMSNormalization(h, w)"), []string{
			"y = com.microsoft::SkipSimplifiedLayerNormalization(x, z, w) epsilon=0.001",
		}, ""},
		"of places":       {with(residualSum, "x f32[b,s,4]", "x f32[b,3,4]", "input z f32[b,s,4]", "init z f32[1,3,4] 1 2 3"), whole, ""},
		"places first":    {with(residualSum, "input x f32[b,s,4]", "init x f32[3,4] 1 2 3", "z f32[b,s,4]", "z f32[b,3,4]"), []string{"y = com.microsoft::SkipLayerNormalization(z, x, w, b) epsilon=0.001"}, ""},
		"default epsilon": {with(residualSum, " epsilon=0.001", ""), []string{"y = com.microsoft::SkipLayerNormalization(x, z, w, b) " + eps}, ""},
		"bias": {with(residualSum, "h = Add(x, z)", "init c f32[4] 1 1 2 2\nxc = Add(c, x)\nh = Add(xc, z)"), []string{
			"y = com.microsoft::SkipLayerNormalization(x, z, w, b, c) epsilon=0.001",
		}, ""},

		"sizes that differ": {text: with(residualSum, "z f32[b,s,4]", "z f32[b,t,4]"), why: "not known to be equal"},
		"one step":          {text: with(residualSum, "z f32[b,s,4]", "z f32[b,1,4]"), why: "not known to be equal"},
		"a constant":        {text: with(residualSum, "input z f32[b,s,4]", "init z f32[4] 1"), why: "the added constant"},
		"steps of unknown":  {text: with(residualSum, "input z f32[b,s,4]", "init z f32[1,5,4] 1", "y f32", "y f32"), why: "the added constant"},
		"constants alone":   {text: with(residualSum, "input x f32[b,s,4]\ninput z f32[b,s,4]", "input u f32[1]\ninit x f32[1,3,4] 1\ninit z f32[1,3,4] 1"), why: "the added constant"},
		"four axes":         {text: with(residualSum, "[b,s,4]", "[b,s,2,4]"), why: "has 4 axes"},
		"two axes at once":  {text: with(residualSum, "epsilon=0.001", "axis=-2"), why: "more than the last axis"},
		"mean is needed":    {text: with(residualSum, "y = ", "y, mean = ") + "\noutput mean f32", why: "mean or deviation"},
		"scale of one":      {text: with(residualSum, "w f32[4]", "w f32[1]"), why: "one number for each element"},
		"scale is computed": {text: with(residualSum, "y = LayerNormalization(h, w", "k = Relu(w)\ny = LayerNormalization(h, k"), why: "is computed"},
		"64 bits":           {text: with(residualSum, "f32", "f64"), why: "no suitable operator supports f64"},
	})
}

const embedded = `opset 17
input ids i64[b,s]
input types i64[b,s]
init words f32[9,4] 1 2 3 4 5 6 7
init places f32[5,4] 1 3 5
init segments f32[2,4] 2 4
init w f32[4] 1 2 3 4
init b f32[4] 4 3 2 1
init count i64[1,5] 0 1 2 3 4
init zero i64[1] 0
init one i64[1] 1
sh = Shape(ids) start=1
at = Slice(count, zero, sh, one)
ew = Gather(words, ids)
et = Gather(segments, types)
ep = Gather(places, at)
h = Add(ew, et)
g = Add(h, ep)
y = LayerNormalization(g, w, b)
output y f32`

func TestEmbedNormalization(t *testing.T) {
	casts := []string{"g_Cast = Cast(ids) to=6", "g_Cast__1 = Cast(types) to=6"}
	whole := append(casts, "y, y_EmbedLayerNormalization__1 = com.microsoft::EmbedLayerNormalization(g_Cast, g_Cast__1, words, places, segments, w, b) "+eps)
	fusionCases(t, map[string]fusionCase{
		"tokens, segments, positions": {embedded, whole, ""},
		"another order":               {with(embedded, "h = Add(ew, et)\ng = Add(h, ep)", "h = Add(ep, et)\ng = Add(ew, h)"), whole, ""},
		"32 bits": {
			with(embedded, "ids i64", "ids i32", "types i64", "types i32"),
			[]string{"y, y_EmbedLayerNormalization__1 = com.microsoft::EmbedLayerNormalization(ids, types, words, places, segments, w, b) " + eps},
			"",
		},
		"the sum is needed": {embedded + "\noutput g f32", append(slices.Clone(casts),
			"y, y_EmbedLayerNormalization__1, g = com.microsoft::EmbedLayerNormalization(g_Cast, g_Cast__1, words, places, segments, w, b) "+eps), ""},
		"positions given": {
			with(embedded, "init count i64[1,5] 0 1 2 3 4", "input at i64[b,s]", "at = Slice(count, zero, sh, one)\n", "", "sh = Shape(ids) start=1\n", ""),
			append(slices.Clone(casts), "g_Cast__2 = Cast(at) to=6", "y, y_EmbedLayerNormalization__1 = com.microsoft::EmbedLayerNormalization(g_Cast, g_Cast__1, words, places, segments, w, b, , g_Cast__2) "+eps), "",
		},
		"other positions":     {with(embedded, "0 1 2 3 4\n", "1 2 3 4 0\n"), nil, "it is not certain that there are as many positions as tokens"},
		"one position":        {with(embedded, "i64[1,5] 0 1 2 3 4", "i64[1,1] 0"), nil, "as many positions as tokens"},
		"narrow table":        {with(embedded, "segments f32[2,4]", "segments f32[2,1]"), nil, "rows of a table"},
		"another lookup":      {with(embedded, "Gather(segments, types)", "Gather(segments, types) axis=1", "segments f32[2,4]", "segments f32[4,4]"), nil, "the added values"},
		"tokens read too":     {embedded + "\noutput ew f32", nil, "the added values"},
		"their shape is read": {embedded + "\nsw = Shape(ew)\noutput sw i64", append([]string{"ew = Gather(words, ids)"}, append(slices.Clone(whole), "sw = Shape(ew)")...), ""},
		"no bias":             {with(embedded, "LayerNormalization(g, w, b)", "LayerNormalization(g, w)"), nil, "no bias"},
	})
}

// Patterns in bodies and functions are found where they stand; a function that does
// not import the runtime's domain keeps what needs it.
func TestFusionPlaces(t *testing.T) {
	body := strings.ReplaceAll(erfGelu[strings.Index(erfGelu, "u = "):], "output y f32[b,4]", "output y f32")
	inits := "init c f32[] 1.4142135\ninit one f32[] 1\ninit half f32[] 0.5\n"
	for _, opset := range []int{17, 20} {
		m := graphtest.Model(t, fmt.Sprintf("opset %d\ninput x f32[b,4]\ninput k bool[]\n%sgraph then\n%s\nend\ngraph else\nz = Relu(x)\noutput z f32\nend\no = If(k) then_branch=@then else_branch=@else\noutput o f32", opset, inits, body))
		out, _ := simplified(t, m, fusions())
		if g := out.Places()[1].Graph; len(g.Nodes()) != 1 || g.Nodes()[0].OpType() != "Gelu" {
			t.Errorf("opset %d: %q", opset, graphtest.Nodes(g))
		}
		constants := "c = Constant() value={f32[] 1.4142135}\none = Constant() value={f32[] 1}\nhalf = Constant() value={f32[] 0.5}\n"
		f := graphtest.Proto(t, fmt.Sprintf("opset %d\nopset local 1\ninput x f32[b,4]\ny = local::F(x)\noutput y f32\nfunction local F(x) -> (y)\n%s%s\nend", opset, constants, strings.ReplaceAll(body, "\noutput y f32", "")))
		f.Functions[0].OpsetImport[0].Version = proto.Int64(int64(opset))
		out, _ = simplified(t, graphtest.Decode(t, f), fusions())
		g := out.Places()[1].Graph
		left := slices.ContainsFunc(g.Nodes(), func(n *graphops.Node) bool { return n.OpType() == "Erf" })
		if left != (opset == 17) {
			t.Errorf("opset %d, in a function: %q", opset, graphtest.Nodes(g))
		}
	}
}

// telling are operators that most patterns have one of.
var telling = []string{"Sqrt", "Erf", "Tanh", "Sigmoid", "HardSigmoid", "LayerNormalization", "Gelu"}

// TestOthersModelsFused runs the fusions over models that others made, with the
// invariants checked after every pass. None makes a model larger in nodes.
func TestOthersModelsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	found := map[string]int{}
	eachModel(t, func(t *testing.T, path string, m *graphops.Model) {
		if !slices.ContainsFunc(slices.Collect(m.AllNodes()), func(n *graphops.Node) bool { return slices.Contains(telling, n.OpType()) }) {
			return
		}
		_, r := simplified(t, m, fusions())
		if r.After.Nodes > r.Before.Nodes {
			t.Errorf("%s: %d nodes became %d", path, r.Before.Nodes, r.After.Nodes)
		}
		for _, p := range r.Passes {
			found[p.Name] += len(p.Changes)
		}
	})
	t.Log(found)
}

// A mean that very many nodes read is looked at once for each of them.
func TestFusionTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var b strings.Builder
	b.WriteString(with(centred, "\noutput y f32[b,s,4]", ""))
	const count = 20_000
	b.WriteString("\nz0 = Identity(x)")
	for i := range count {
		fmt.Fprintf(&b, "\nn%d = Div(d, r)\nz%d = Add(z%d, n%d)", i, i+1, i, i)
	}
	fmt.Fprintf(&b, "\noutput z%d f32", count)
	m := graphtest.Model(t, b.String())
	start := time.Now()
	o := fusions()
	if _, _, err := Simplify(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}
