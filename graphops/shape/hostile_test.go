package shape_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// hostileModels are what a file may hold and no tool writes.
var hostileModels = map[string]string{
	"a division by a size of 0":          "input x f32[0,4]\ns = Shape(x)\ninit i i64[] 0\nn = Gather(s, i)\ny = Div(i, n)\nz = Mod(i, n)",
	"sizes of 2^63":                      "input x f32[9223372036854775807,9223372036854775807,batch]\ns = Size(x)\ny = Flatten(x) axis=2\nz = Concat(x, x, x) axis=0\nq = DepthToSpace(x) blocksize=4611686018427387904",
	"sizes below 0":                      "input x f32[-5,-9223372036854775808]\ny = Flatten(x)\nz = Concat(x, x) axis=0\ns = Size(x)\np = Pad(x, s)",
	"a range without steps":              "init a f32[] 0\ny = Range(a, a, a)",
	"a huge range":                       "init a i64[] 0\ninit b i64[] 9223372036854775807\ninit c i64[] 1\ny = Range(a, b, c)\nz = Range(b, a, c)",
	"a huge fill":                        "init s i64[1] 1099511627776\ny = ConstantOfShape(s)\nz = Neg(y)\nn = NonZero(y)",
	"a huge tile":                        "init v i64[4] 1\ninit r i64[1] 1099511627776\ny = Tile(v, r)\nz = Tile(y, r)\nq = Tile(z, r)",
	"a huge expand":                      "init v i64[1] 1\ninit r i64[3] 2147483648\ny = Expand(v, r)\nz = Reshape(y, r)",
	"no elements, taken backwards":       "init v i64[0]\ninit a i64[1] -1\ninit z i64[1] 0\ny = Slice(v, a, z, z, a)\nx = Slice(v, z, a, z, a)",
	"no elements, by symbols":            "input v i64[n]\ninit a i64[1] -1\ninit m i64[1] -9223372036854775808\ninit z i64[1] 0\ny = Slice(v, a, m, z, m)",
	"indices of a huge axis":             "input x f32[4,4]\ninput i i64[4,9223372036854775807]\ny = GatherND(x, i) batch_dims=1",
	"the smallest number as a flag":      "input x f32[4,4]\ny = Gemm(x, x) transA=-9223372036854775808 transB=-9223372036854775808",
	"the smallest number as an axis":     "input x f32[4,4]\na = Softmax(x) axis=-9223372036854775808\nb = Concat(x, x) axis=-9223372036854775808\nc = Gather(x, x) axis=9223372036854775807\nd = Flatten(x) axis=-9223372036854775808\ne = Shape(x) start=-9223372036854775808 end=9223372036854775807",
	"the smallest number of scan inputs": "input x f32[4]\ngraph b\ninput i f32[]\no = Neg(i)\noutput o\nend\ny = Scan(x) body=@b num_scan_inputs=-9223372036854775808\nz = Scan(x) body=@b num_scan_inputs=9223372036854775807",
	"no outputs":                         "opset 18\ninput x f32[4]\nn:  = Split(x)\nn:  = Slice(x, x, x)\nn:  = Shape(x)\nn:  = NonZero(x)\nn:  = Range(x, x, x)\nn:  = If(x)\nn:  = Loop(x)\nn:  = TopK(x)\nn:  = Unique(x)\nn:  = Concat(x, x)\nn:  = Where(x, x, x)\nn:  = Neg(x)\nn:  = Constant() value_int=1\nn:  = Identity(x)\nn:  = Clip(x)\nn:  = Expand(x, x)",
	"no inputs":                          "a = Split()\nb = Slice()\nc = Shape()\nd = NonZero()\ne = Range()\nf = If()\ng = Loop()\nh = Scan()\ni = TopK()\nj = Unique()\nk = Concat()\nl = Where()\nm = Neg()\nn = Identity()\no = Clip()\np = Expand()\nq = MatMul()\nr = Gemm()\ns = Reshape()\nt = Pad()\nu = Tile()\nv = OneHot()\nw = Squeeze()\nx = GatherND()\ny = Add()\nz = Sum()",
	"a cycle":                            "input x f32[batch]\na = Add(x, b)\nb = Concat(a, x) axis=0\ny = Neg(b)",
	"a cycle of itself":                  "a = Concat(a, a) axis=0\nb = Add(b, a)",
	"symbols that mean themselves":       "input x f32[a+1]\ninput y f32[b-1]\nvalue s f32[a]\nvalue t f32[a-1]\ns = Add(x, y)\nt = Concat(s, x) axis=0\nu = Add(s, t)",
	"symbols that divide by zero":        "input x f32[floor(a/0)]\ninput y f32[floor(a/(b-b))]\nz = Add(x, y)\ns = Shape(z)",
	"a body that is not there":           "input x f32[4]\na = If(x)\nb = Loop(x, x, x)\nc = Scan(x) num_scan_inputs=1",
	"a body with too few results":        "graph b\nend\ninput c bool[]\nx, y = If(c) then_branch=@b else_branch=@b\nz, w = Loop(c, c, c) body=@b\nq = Scan(c) body=@b num_scan_inputs=1",
	"a function that calls itself":       "opset f 1\nfunction f F(a) -> (b)\nb = f::F(a)\nend\ninput x f32[4]\ny = f::F(x)",
	"functions that call each other":     "opset f 1\nfunction f F(a) -> (b)\nb = f::G(a)\nend\nfunction f G(a) -> (b)\nb = f::F(a)\nend\ninput x f32[4]\ny = f::F(x)",
	"axes that name one twice":           "input x f32[4,1]\ninit a i64[2] 1 1\ny = Unsqueeze(x, a)\nz = Squeeze(x, a)\ns = ReduceSum(x, a)",
	"types that are none":                "input x f32[4]\na = Cast(x) to=9999\nb = Cast(x) to=-1\nc = EyeLike(x) dtype=77\nd = RandomNormal() dtype=-5 shape=[-1,9223372036854775807]\ne = BitCast(x) to=4000\nf = Neg(a)\ng = Add(b, c)",
	"a constant without a value":         "a = Constant()\nb = ConstantOfShape(a)\nc = Reshape(b, a)",
	"a constant as its own shape":        "init s i64[1] 1\na = Reshape(s, s)\nb = Expand(a, a)\nc = Tile(b, b)\nd = Slice(c, c, c, c, c)\ne = Pad(d, d)\nf = OneHot(e, e, e)\ng = TopK(f, s)",
}

// deadline is far above what an inference takes, with a race detector too.
const deadline = 20 * time.Second

// inferInTime infers a model twice, says what differs, and how long it took.
func inferInTime(t *testing.T, m *graphops.Model) {
	t.Helper()
	start := time.Now()
	r, err := shape.Infer(t.Context(), m, shape.Options{})
	if took := time.Since(start); took > deadline {
		t.Errorf("it took %v", took)
	}
	if err != nil {
		t.Log(err)
		return
	}
	for _, p := range r.Problems {
		if text := p.String(); len(text) > 1<<14 {
			t.Errorf("a problem of %d bytes: %.200s", len(text), text)
		}
	}
}

func TestHostile(t *testing.T) {
	for name, text := range hostileModels {
		t.Run(name, func(t *testing.T) { inferInTime(t, graphtest.Model(t, text)) })
	}
}

// lines writes a line n times, with its number for each "#", and that before for
// each "@".
func lines(n int, line string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint(i-1)).Replace(line))
		b.WriteByte('\n')
	}
	return b.String()
}

func TestHostileGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const many = 3_000
	axes := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	for name, text := range map[string]string{
		"maxima":           "input v0 i64[n0]\ns0 = Shape(v0)\n" + lines(500, "input v# i64[n#]\nt# = Shape(v#)") + lines(500, "s# = Max(s@, t#)"),
		"sums":             "input v f32[a]\ns0 = Shape(v)\n" + lines(500, "input v# i64[n#]\nt# = Shape(v#)") + lines(500, "s# = Add(s@, t#)"),
		"products":         "input v f32[a]\ns0 = Shape(v)\n" + lines(many, "s# = Mul(s@, s@)"),
		"squares of sums":  "input v f32[a+b+1]\ns0 = Shape(v)\n" + lines(500, "s# = Mul(s@, s@)"),
		"divisions":        "input v f32[a]\ninit c i64[1] 3\ns0 = Shape(v)\n" + lines(many, "t# = Add(s@, c)\ns# = Div(t#, c)"),
		"concats":          "input x0 f32[a,b]\n" + lines(many, "x# = Concat(x@, x@) axis=0"),
		"concats of more":  "input x0 f32[a,b]\n" + lines(many, "x# = Concat(x@, x0) axis=1"),
		"concats of data":  "init x0 i64[2] 1 2\n" + lines(many, "x# = Concat(x@, x@) axis=0"),
		"broadcasts":       "input x0 f32[a]\n" + lines(2000, "input y# f32[n#]\nx# = Add(x@, y#)"),
		"ranks":            "input x0 f32[a]\ninit z i64[1] 0\n" + lines(2000, "x# = Unsqueeze(x@, z)"),
		"rank 1,000":       "input x f32[" + axes(1000, "a") + "]\ny = Neg(x)\ns = Shape(x)\nz = Reshape(x, s)\nt = Transpose(x)\nf = Flatten(x) axis=500\nn = Size(x)\na = Add(x, x)\nc = Concat(x, x) axis=999\nm = MatMul(x, x)\nr = ReduceSum(x)",
		"rank 1,000,000":   "input x f32[" + axes(1_000_000, "2") + "]\ny = Neg(x)\ns = Shape(x)\nz = Reshape(x, s)\nt = Transpose(x) perm=[1]\nf = Flatten(x) axis=500\nn = Size(x)\na = Add(x, x)\nm = MatMul(x, x)\n" + lines(1000, "t# = Transpose(x) perm=[1]"),
		"many axes":        "opset 11\ninput x f32[2]\ny = Unsqueeze(x) axes=[" + axes(50_000, "1") + "]\nz = Squeeze(x) axes=[" + axes(50_000, "0") + "]\ns = ReduceSum(x) axes=[" + axes(50_000, "0") + "]\nt = Transpose(x) perm=[" + axes(50_000, "0") + "]",
		"a long symbol":    "input x f32[" + strings.Repeat("n", 1<<20) + ",3]\ninput z f32[5,5]\n" + lines(2000, "y# = Concat(x, x) axis=0\nq# = Add(x, z)"),
		"a chain of calls": "opset f 1\nfunction f F0(a) -> (b)\nb = Neg(a)\nend\n" + lines(5000, "function f F#(a) -> (b)\nb = f::F@(a)\nend") + "input x f32[4]\ny = f::F5000(x)",
	} {
		t.Run(name, func(t *testing.T) { inferInTime(t, graphtest.Model(t, text)) })
	}
}
