package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// weighted reads its constants in the graph and in a body.
const weighted = `
	ir 10
	opset 21
	input c bool[]
	input x f32[n,2]
	input scale f32[1]
	init scale f32[1] 2
	init w f32[2] 1 2
	init shape i64[2] -1 2
	sparse s f32[2] 3 at 1
	value w f32[2]
	graph body
	r = Add(x, w)
	output r f32[n,2]
	end
	i: h = If(c) then_branch=@body else_branch=@body
	r: g = Reshape(h, shape)
	m: k = Mul(g, scale)
	a: y = Add(k, s)
	output y f32[n,2]
	output w f32[2]
`

func toInputs(t *testing.T, m *graphops.Model, o edit.InputOptions) (*graphops.Model, *edit.Report, []*graphops.Tensor) {
	t.Helper()
	var gone []*graphops.Tensor
	next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		next, report, list, err := edit.InitializersToInputs(m, at(t, m), o)
		gone = list
		return next, report, err
	})
	return next, report, gone
}

func fromInputs(t *testing.T, m *graphops.Model, o edit.FixOptions) (*graphops.Model, *edit.Report) {
	t.Helper()
	return apply(t, m, func() (*graphops.Model, *edit.Report, error) {
		return edit.InputsToInitializers(m, at(t, m), o)
	})
}

// types writes the inputs of a model with their types.
func types(list []*graphops.ValueInfo) string {
	var out []string
	for _, v := range list {
		out = append(out, fmt.Sprintf("%s %s %s", v.Name(), v.Type(), v.Type().Shape))
	}
	return strings.Join(out, ", ")
}

func TestInitializersToInputs(t *testing.T) {
	m := graphtest.Model(t, weighted)
	next, report, gone := toInputs(t, m, edit.InputOptions{})
	if got := types(next.Graph().Inputs()); got != "c bool scalar, x f32 n×2, scale f32 1, w f32 2, shape i64 2" {
		t.Errorf("inputs %s", got)
	}
	if got := len(next.Graph().FeedInputs()); got != 5 || len(next.Graph().Initializers()) != 0 {
		t.Errorf("%d inputs to feed, initializers %v", got, graphtest.Initializers(next.Graph()))
	}
	if len(next.Graph().ValueInfo()) != 0 {
		t.Error("value_info of an input is left")
	}
	if got := fmt.Sprint(report.Changes); got != "[{constant scale initializer input} {constant w initializer input} {constant shape initializer input}]" {
		t.Errorf("changes %s", got)
	}
	want := []string{
		`"s" stays as it is: it is a sparse initializer, but inputs are dense`,
		`some of them seem to be shapes, axes or counts ("shape"): without their values less is known before a run, and a runtime may refuse some operators`,
	}
	if diff := cmp.Diff(want, report.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	data := map[string]tensor.Tensor{}
	for _, g := range gone {
		p, err := g.Data()
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		data[g.Name()] = tensor.Tensor{DType: g.DType(), Shape: g.Dims(), Data: b}
	}
	back, _ := fromInputs(t, next, edit.FixOptions{Data: data})
	if diff := cmp.Diff(constants(t, m.Graph()), constants(t, back.Graph())); diff != "" {
		t.Errorf("there and back (-want +got):\n%s", diff)
	}
	if got := types(back.Graph().Inputs()); got != "c bool scalar, x f32 n×2" {
		t.Errorf("inputs back: %s", got)
	}
}

func TestOptionalInputs(t *testing.T) {
	m := graphtest.Model(t, weighted)
	next, report, gone := toInputs(t, m, edit.InputOptions{Values: []string{"w"}, Optional: true})
	if len(gone) > 0 || len(next.Graph().Initializers()) != 3 {
		t.Error("the default is gone")
	}
	if got := fmt.Sprint(valueNames(next.Graph().Inputs()), ";", valueNames(next.Graph().FeedInputs())); got != "c x scale w;c x" {
		t.Errorf("inputs %s", got)
	}
	if got := fmt.Sprint(report.Changes); got != "[{constant w initializer optional input}]" {
		t.Errorf("changes %s", got)
	}
	_, report, _ = toInputs(t, m, edit.InputOptions{Values: []string{"shape"}, Optional: true})
	want := []string{`some of them seem to be shapes, axes or counts ("shape"): as defaults, which a caller may replace, less is known before a run, and a runtime may refuse some operators`}
	if diff := cmp.Diff(want, report.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	fixed, report := fromInputs(t, next, edit.FixOptions{})
	if got := valueNames(fixed.Graph().Inputs()); got != "c x" || len(fixed.Graph().Initializers()) != 3 {
		t.Errorf("inputs %s", got)
	}
	if got := fmt.Sprint(report.Changes); got != "[{constant scale optional input initializer} {constant w optional input initializer}]" {
		t.Errorf("changes %s", got)
	}
	_, report = fromInputs(t, fixed, edit.FixOptions{})
	if got := fmt.Sprint(report.Changes, report.Warnings); got != "[] [no input is optional; give values with --data]" {
		t.Errorf("a second run: %s", got)
	}
}

// TestThereAndBack has everything at its end, so that what comes back is what
// was there in the same order.
func TestOptionalThereAndBack(t *testing.T) {
	m := graphtest.Model(t, `
		ir 10
		opset 21
		input x f32[2]
		init w f32[2] 1 2
		y = Add(x, w)
		output y f32[2]`)
	for _, o := range []edit.InputOptions{{}, {Optional: true}} {
		there, _, _ := toInputs(t, m, o)
		data := map[string]tensor.Tensor(nil)
		if !o.Optional {
			data = map[string]tensor.Tensor{"w": tensor.FromSlice([]float32{1, 2}, 2)}
		}
		back, _ := fromInputs(t, there, edit.FixOptions{Data: data})
		if diff := cmp.Diff(graphtest.Message(t, m), graphtest.Message(t, back), protocmp.Transform()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", o, diff)
		}
	}
}

func TestFixInputs(t *testing.T) {
	m := graphtest.Model(t, weighted)
	data := map[string]tensor.Tensor{
		"x":     tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2),
		"scale": tensor.FromSlice([]float32{7}, 1),
		"extra": tensor.FromSlice([]float32{7}, 1),
	}
	next, report := fromInputs(t, m, edit.FixOptions{Data: data})
	want := []string{"w f32 2 [1 2]", "shape i64 2 [-1 2]", "x f32 3×2 [1 2 3 4 5 6]", "scale f32 1 [7]"}
	if diff := cmp.Diff(want, constants(t, next.Graph())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := valueNames(next.Graph().Inputs()); got != "c" {
		t.Errorf("inputs %s", got)
	}
	if got := strings.Join(report.Warnings, "\n"); got != `symbol "n" is 3 because of the value of "x", but other inputs or outputs still have the symbol; replace it there with lathe axes --fix n=3` {
		t.Errorf("warnings %s", got)
	}
}

// TestFixOldFormat keeps an input listed where the file format wants it.
func TestFixOldFormat(t *testing.T) {
	m := graphtest.Model(t, `
		ir 3
		opset 9
		input x f32[2]
		input z f32[n]
		y = Add(x, z)
		output y f32[2]`)
	next, _ := fromInputs(t, m, edit.FixOptions{Data: map[string]tensor.Tensor{"z": tensor.FromSlice([]float32{1, 2}, 2)}})
	if got := types(next.Graph().Inputs()); got != "x f32 2, z f32 2" || len(next.Graph().FeedInputs()) != 1 {
		t.Errorf("inputs %s", got)
	}
	if _, report := fromInputs(t, next, edit.FixOptions{}); len(report.Changes) > 0 {
		t.Errorf("a constant of the old format is taken for an optional input: %v", report.Changes)
	}
	back, _, gone := toInputs(t, next, edit.InputOptions{})
	if len(gone) != 1 || len(back.Graph().FeedInputs()) != 2 {
		t.Errorf("inputs %s", types(back.Graph().FeedInputs()))
	}
}

func TestInputsRefuse(t *testing.T) {
	m := graphtest.Model(t, weighted)
	old := graphtest.Model(t, "ir 3\nopset 9\ninput x f32[2]\ninput w f32[2]\ninit w f32[2] 1\ny = Add(x, w)\noutput y f32[2]")
	constant := graphtest.Model(t, everyConstant)
	pairs := graphtest.Model(t, `
		input a f32[n,2]
		input b f32[n]
		input l
		init q f32[1] 1
		q = Relu(a)
		input q2 f32[1]
		y = Add(a, b)
		output y f32[n,2]`)
	three, two := tensor.FromSlice(make([]float32, 6), 3, 2), tensor.FromSlice(make([]float32, 2), 2)
	to := func(o edit.InputOptions) func(*graphops.Model, *graphops.Place) error {
		return func(m *graphops.Model, p *graphops.Place) error {
			_, _, _, err := edit.InitializersToInputs(m, p, o)
			return err
		}
	}
	from := func(inputs []string, data map[string]tensor.Tensor) func(*graphops.Model, *graphops.Place) error {
		return func(m *graphops.Model, p *graphops.Place) error {
			_, _, err := edit.InputsToInitializers(m, p, edit.FixOptions{Inputs: inputs, Data: data})
			return err
		}
	}
	for _, tt := range []struct {
		name string
		f    func(*graphops.Model, *graphops.Place) error
		m    *graphops.Model
		hops []string
		want string
	}{
		{"unknown", to(edit.InputOptions{Values: []string{"v"}}), m, nil, `value "v": the graph has none of that name`},
		{"an input", to(edit.InputOptions{Values: []string{"x"}}), m, nil, `value "x": is an input already`},
		{"a result", to(edit.InputOptions{Values: []string{"h"}}), m, nil, `value "h": is made by node "i" (If), expected an initializer`},
		{"a Constant", to(edit.InputOptions{Values: []string{"w"}}), constant, nil, `make it one first with to-initializers`},
		{"sparse", to(edit.InputOptions{Values: []string{"s"}}), m, nil, `is a sparse initializer, but inputs are dense`},
		{"twice", to(edit.InputOptions{Values: []string{"q"}}), pairs, nil, `is defined more than once`},
		{"optional twice", to(edit.InputOptions{Values: []string{"scale"}, Optional: true}), m, nil, `is an optional input already`},
		{"optional in an old format", to(edit.InputOptions{Optional: true}), old, nil, `optional inputs need version 4`},
		{"in a body", to(edit.InputOptions{}), m, []string{"i:then_branch"}, `"i:then_branch": the inputs of a body are determined by node "i" (If)`},
		{"in a function", from(nil, nil), constant, []string{"local:Shift"}, `calls determine the inputs of a function`},
		{"no value", from([]string{"x"}, nil), m, nil, `value "x": needs a value; give one with --data`},
		{"an initializer", from([]string{"w"}, nil), m, nil, `value "w": is an initializer already`},
		{"an old constant", from([]string{"w"}, nil), old, nil, `is an initializer already`},
		{"no input", from([]string{"h"}, nil), m, nil, `is made by node "i" (If), expected an input`},
		{"type", from(nil, map[string]tensor.Tensor{"x": tensor.FromSlice([]int64{1, 2}, 1, 2)}), m, nil, `input "x": is declared as f32, but the value is i64`},
		{"rank", from(nil, map[string]tensor.Tensor{"x": two}), m, nil, `input "x": is declared as n×2, but the value is 2`},
		{"shape", from(nil, map[string]tensor.Tensor{"x": tensor.FromSlice(make([]float32, 6), 2, 3)}), m, nil, `is declared as n×2, but the value is 2×3`},
		{"symbol", from(nil, map[string]tensor.Tensor{"a": three, "b": two}), pairs, nil, `input "b": symbol "n" is 2 here and 3 in "a"`},
		{"broken", from(nil, map[string]tensor.Tensor{"x": {DType: tensor.F32, Shape: []int64{1, 2}}}), m, nil, `needs 8 bytes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.f(tt.m, at(t, tt.m, tt.hops...))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v lacks %q", err, tt.want)
			}
		})
	}
}
