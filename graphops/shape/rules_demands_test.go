package shape_test

import "testing"

// TestDemands gives operators what they do not take, beside what nearly is that.
func TestDemands(t *testing.T) {
	const inputs = `
		input s f32[]
		input v f32[3]
		input m f32[2,3]
		input n i64[3]
		input rows i64[1,2]
		init one i64[1] 1
		init two i64[2] 1 1
		init scalar i64[] 1
		init square i64[1,1] 1
		init three f32[3] 1
		init bit bool[1] 1
		init pads i64[4] 0
	`
	for _, x := range []struct {
		nodes   string
		problem string // "" for none
	}{
		{"y = DepthToSpace(m) blocksize=1", "should have rank 4"},
		{"y = SpaceToDepth(m) blocksize=1", "should have rank 4"},
		{"y = Slice(m, one, two)", "2 ends, but 1 starts"},
		{"y = Slice(m, one, one, two)", "2 axes, but 1 starts"},
		{"y = Slice(m, one, one, one, two)", "2 steps, but 1 starts"},
		{"y = Slice(m, two, two, two)", "the axes [1 1] contain an axis twice"},
		{"y = Slice(m, scalar, one)", "should have rank 1"},
		{"y = Slice(m, one, one, one, one)", ""},
		{"y = Expand(m, rows)", "should have rank 1"},
		{"y = Expand(v, square)", ""}, // a constant
		{"y = ConstantOfShape(rows)", "should have rank 1"},
		{"y = ConstantOfShape(square)", ""},
		{"y = ConstantOfShape(one) value={f32[2] 1}", "expected a list of one element"},
		{"y = ConstantOfShape(one) value={f32[] 1}", "value is of shape []"},
		{"y = Reshape(e, square)\ninput e f32[1]", "should have rank 1"},
		{"y = Tile(v, scalar)", "should have rank 1"},
		{"y = Pad(m, rows)", "should have rank 1"},
		{"y = Pad(m, pads, three)", "should have one element"},
		{"y = CenterCropPad(m, one)", "there are 1 sizes, but 2 axes"},
		{"y = CenterCropPad(m, one) axes=[1]", ""},
		{"y = Range(one, scalar, scalar)", "should have rank 0"},
		{"y = Range(n1, n1, n1)\ninput n1 i64[1]", ""}, // of which nothing is known before it runs
		{"y = EyeLike(v)", "should have rank 2"},
		{"y = Multinomial(v)", "should have rank 2"},
		{"y = OneHot(n, two, v2)\ninput v2 f32[2]", "should have one element"},
		{"y = OneHot(n, scalar, three)", "axis 0 is 3"},
		{"y = OneHot(scalar, scalar, v2)\ninput v2 f32[2]", "at least rank 1"},
		{"y, i = TopK(v, scalar)", "should have rank 1"},
		{"y, i = TopK(v, two)", "should have one element"},
		{"y, i = TopK(v, five)\ninit five i64[1] 5", "k is 5, but axis 0"},
		{"y = Compress(s, bit)", "at least rank 1"},
		{"y = GatherElements(m, one)", "should have rank 2"},
		{"y = GatherElements(m, rows) axis=2", "no axis 2"},
		{"y = GatherND(m, scalar)", "at least rank 1"},
		{"y = ScatterElements(m, one, m)", "should have rank 2"},
		{"y = ScatterElements(m, rows, u)\ninput u f32[1,3]", "one for each index"},
		{"y = ScatterND(m, scalar, v)", "at least rank 1"},
		{"y = ScatterND(m, n, v)", "indexes 3 axes"},
		{"y = ScatterND(m, square, v)", "a part of the data for each index"},
		{"y = ScatterND(m, one, v)", ""},
		{"y, z = Split(v, scalar)", "should have rank 1"},
		{"y = ReverseSequence(v, n)", "at least rank 2"},
		{"y = ReverseSequence(m, rows)", "should have rank 1"},
		{"y = Trilu(m, two)", "should have one element"},
		{"y = Softmax(s)", "at least rank 1"},
		{"y = Hardmax(v) axis=1", "no axis 1"},
		{"opset 11\ny = LogSoftmax(v)", "no axis 1"},
		{"y = LogSoftmax(v)", ""},
		{"y = PRelu(m, n2)\ninput n2 f32[2]", "do not broadcast"},
		{"y = Clip(m, three)", "should have one element"},
		{"y = CumSum(m, two)", "should have one element"},
		{"y = CumSum(m, five)\ninit five i64[] 5", "no axis 5"},
		{"y = Dropout(m, half)\ninit half f32[1] 0.5", "should have rank 0"},
		{"y = BatchNormalization(m, m, v, v, v)", "one number for each channel"},
		{"y = BatchNormalization(v, v, one1, one1, one1)\ninput one1 f32[1]", "which is [1]"},
		{"y = BatchNormalization(r, m, v, v, v)\ninput r f32", "should have rank 1"},
		{"y = Gemm(m, t, three)\ninput t f32[3,2]", "cannot be broadcast to the product"},
		{"y = Gemm(m, t, c)\ninput t f32[3,2]\ninput c f32[2,1]", ""},
		{"y = Conv(x, w) group=2\ninput x f32[1,4,4]\ninput w f32[3,2,1]", "3 is not a multiple of 2"},
		{"y = Squeeze(e, square)\ninput e f32[2,1]", "should have rank 1"},
		{"y = Unsqueeze(m, square)", "should have rank 0 or 1"},
		{"y = ReduceSum(m, scalar)", "should have rank 1"},
		{"opset com.microsoft 1\nopset 17\ny = com.microsoft::Inverse(m)", "should be equal"},
	} {
		want := []string{x.problem}
		if x.problem == "" {
			want = nil
		}
		text := inputs + x.nodes
		if x.nodes[0] == 'y' {
			text = "opset 18\n" + text
		}
		check(t, []example{{name: x.nodes, model: text, problems: want}})
	}
}

// TestKeepdims holds a number other than 1 for no, as runtimes do.
func TestKeepdims(t *testing.T) {
	check(t, []example{{name: "7", model: `
		opset 18
		input x f32[2,3]
		init axes i64[1] 1
		y = ReduceMax(x, axes) keepdims=7
		z = ArgMax(x) keepdims=7
	`, want: map[string]string{"y": "f32 2", "z": "i64 3"}}})
}

// TestBodiesFit hands bodies what they declare otherwise, and lists of a Scan that are
// not as long as they should be.
func TestBodiesFit(t *testing.T) {
	const loop = `
		graph body
		input round i64[]
		input going bool[]
		on = Identity(going)
		output on bool[]
		output round i64[]
		end
		init n i64[] 3
		y = Loop(n, go) body=@body
	`
	const scan = `
		graph body
		input s f32[2]
		input e f32[2]
		t = Add(s, e)
		u = Identity(t)
		output t f32
		output u f32
		end
		input x f32[2]
		input q f32[5,2]
		input r f32[4,2]
		input rank f32[3,2]
		input size f32[3]
	`
	for _, x := range []struct{ model, problem string }{
		{loop + "init go bool[] 1", ""},
		{loop + "init go bool[1] 1", `input "going" of the body is bool scalar`},
		{scan + "y, z = Scan(x, q) body=@body num_scan_inputs=1 scan_output_axes=[0] scan_input_directions=[1]", ""},
		{scan + "y, z = Scan(rank, q) body=@body num_scan_inputs=1", `input "s" of the body is f32 2`},
		{scan + "y, z = Scan(size, q) body=@body num_scan_inputs=1", `input "s" of the body is f32 2`},
		{scan + "y, z = Scan(x, x) body=@body num_scan_inputs=1", `input "e" of the body is f32 2`},
		{scan + "y, z = Scan(x, q) body=@body num_scan_inputs=1 scan_input_axes=[0,0]", "scan_input_axes has 2 numbers for 1 tensors"},
		{scan + "y, z = Scan(x, q) body=@body num_scan_inputs=1 scan_output_axes=[0,0]", "scan_output_axes has 2 numbers for 1 tensors"},
		{scan + "y, z = Scan(x, q) body=@body num_scan_inputs=1 scan_output_directions=[3]", "expected 0 for forward or 1 for backward"},
		{scan + "z = Scan(q, r) body=@body num_scan_inputs=2", "5, and axis 0, which is 4"},
	} {
		want := []string{x.problem}
		if x.problem == "" {
			want = nil
		}
		check(t, []example{{name: x.problem, model: x.model, problems: want}})
	}
}
