package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

const shaped = `
	input x f32[1,seq,8]
	input mask i64[1,seq]
	input other f32[batch]
	output y f32[1,seq,8]
	output z f32[batch]
	output lone f32[1,3]
	value h f32[1,seq,8]
	value k i64[1,seq]
	value c f32[3,3]
	init w f32[8,8] 1
	init v f32[1,3] 1
	a: h = MatMul(x, w)
	b: k = Neg(mask)
	c: y = Foo(h, k)
	d: z = Relu(other)
	e: lone = Relu(v)
	f: c = Bar(v)`

// shapes are the shapes of inputs, outputs and value_info.
func shapes(m *graphops.Model) map[string]string {
	out := map[string]string{}
	g := m.Graph()
	for _, list := range [][]*graphops.ValueInfo{g.Inputs(), g.Outputs(), g.ValueInfo()} {
		for _, v := range list {
			out[v.Name()] = v.Type().Shape.String()
		}
	}
	return out
}

func axis(value string, i int, symbol string) graphops.Axis {
	return graphops.Axis{Value: value, Axis: i, Symbol: symbol}
}

func TestChangeAxes(t *testing.T) {
	original := map[string]string{
		"x": "1×seq×8", "mask": "1×seq", "other": "batch", "y": "1×seq×8", "z": "batch", "lone": "1×3",
		"h": "1×seq×8", "k": "1×seq", "c": "3×3",
	}
	sym := graphops.SymbolDim
	typer := scripted{
		"h": f32(sym("n"), sym("seq"), graphops.FixedDim(8)),
		"y": f32(sym("n"), sym("seq"), graphops.FixedDim(8)),
		"k": {Kind: graphops.TypeTensor, Elem: 7, Shape: graphops.Shape{sym("n"), sym("seq")}},
	}
	tests := []struct {
		name     string
		o        graphops.AxesOptions
		typer    graphops.Typer
		change   map[string]string // of the original shapes
		symbols  []string
		warnings []string // parts
	}{
		{
			name: "a symbol is renamed everywhere", o: graphops.AxesOptions{Free: []graphops.Axis{axis("x", 1, "tokens")}}, typer: typer,
			change:  map[string]string{"x": "1×tokens×8", "mask": "1×tokens", "y": "1×tokens×8", "h": "1×tokens×8", "k": "1×tokens"},
			symbols: []string{"tokens"},
		},
		{
			name: "a symbol is renamed from an output, counted from the end", o: graphops.AxesOptions{Free: []graphops.Axis{axis("z", -1, "rows")}},
			change: map[string]string{"other": "rows", "z": "rows"}, symbols: []string{"rows"},
		},
		{
			name: "a symbol keeps its name", o: graphops.AxesOptions{Free: []graphops.Axis{axis("other", 0, "batch")}},
			change: nil, symbols: []string{"batch"},
		},
		{
			name: "a number is freed, the runtime knows the rest", o: graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n"), axis("mask", 0, "n")}}, typer: typer,
			change:  map[string]string{"x": "n×seq×8", "mask": "n×seq", "h": "n×seq×8", "y": "n×seq×8", "k": "n×seq"},
			symbols: []string{"n", "n"},
		},
		{
			name: "a number is freed, nobody knows the rest", o: graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n")}},
			change:  map[string]string{"x": "n×seq×8", "h": "?", "y": "?"},
			symbols: []string{"n"}, warnings: []string{"not known without a runtime", `output "y": its shape is left open`},
		},
		{
			name: "a number is freed, the runtime refuses", o: graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n")}}, typer: refusing{},
			change:  map[string]string{"x": "n×seq×8", "h": "?", "y": "?"},
			symbols: []string{"n"}, warnings: []string{"are left open: no such operator", `output "y"`},
		},
		{
			name: "an output is freed beside its input", o: graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n"), axis("y", 0, "n")}},
			change:  map[string]string{"x": "n×seq×8", "h": "?", "y": "n×seq×8"},
			symbols: []string{"n", "n"}, warnings: []string{"without a runtime"},
		},
		{
			name: "a name is made up", o: graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, ""), axis("x", 2, "")}},
			change:  map[string]string{"x": "x_axis0×seq×x_axis2", "h": "?", "y": "?"},
			symbols: []string{"x_axis0", "x_axis2"}, warnings: []string{"without a runtime", `output "y"`},
		},
		{
			name: "a symbol becomes a number", o: graphops.AxesOptions{Fix: []graphops.SymbolSize{{Symbol: "seq", Size: 16}}},
			change: map[string]string{"x": "1×16×8", "mask": "1×16", "y": "1×16×8", "h": "1×16×8", "k": "1×16"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, shaped)
			before := digest(t, m)
			changed, report, err := graphops.ChangeAxes(t.Context(), m, tt.o, tt.typer)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			var names []string
			for name, s := range original {
				want[name] = s
				if c, ok := tt.change[name]; ok {
					want[name] = c
					names = append(names, name)
				}
			}
			if diff := cmp.Diff(want, shapes(changed)); diff != "" {
				t.Errorf("shapes (-want +got):\n%s", diff)
			}
			slices.Sort(names)
			if got := slices.Sorted(slices.Values(report.Changed)); !slices.Equal(got, names) {
				t.Errorf("changed %q, want %q", got, names)
			}
			if diff := cmp.Diff(tt.symbols, report.Symbols); diff != "" {
				t.Errorf("symbols (-want +got):\n%s", diff)
			}
			if len(report.Warnings) != len(tt.warnings) {
				t.Errorf("warnings %q, want %q", report.Warnings, tt.warnings)
			}
			for i, part := range tt.warnings {
				if i < len(report.Warnings) && !strings.Contains(report.Warnings[i], part) {
					t.Errorf("warning %q lacks %q", report.Warnings[i], part)
				}
			}
			if digest(t, m) != before {
				t.Error("the original changed")
			}
		})
	}
}

// refusing is a Typer that can load nothing.
type refusing struct{}

func (refusing) Types(context.Context, *graphops.Model, []string) (map[string]graphops.Type, error) {
	return nil, errors.New("no such operator")
}

// TestChangeAxesAsks hands the runtime a model with the axes freed, and asks
// for what lies behind them.
func TestChangeAxesAsks(t *testing.T) {
	asked := &asking{}
	m := graphtest.Model(t, shaped)
	if _, _, err := graphops.ChangeAxes(t.Context(), m, graphops.AxesOptions{Free: []graphops.Axis{axis("mask", 0, "n")}}, asked); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"k", "y"}, asked.names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	want := map[string]string{"mask": "n×seq", "x": "1×seq×8", "k": "?", "y": "?", "h": "1×seq×8"}
	for name, s := range want {
		if asked.shapes[name] != s {
			t.Errorf("%s is %s in the model that is asked about, want %s", name, asked.shapes[name], s)
		}
	}
}

type asking struct {
	names  []string
	shapes map[string]string
}

func (a *asking) Types(_ context.Context, m *graphops.Model, names []string) (map[string]graphops.Type, error) {
	a.names, a.shapes = slices.Clone(names), shapes(m)
	return nil, nil
}

func TestChangeAxesRefuses(t *testing.T) {
	text := shaped + "\ninput shapeless f32\ninput scalar f32[]\ninput untyped"
	tests := []struct {
		name string
		o    graphops.AxesOptions
		want []string
	}{
		{"unknown value", graphops.AxesOptions{Free: []graphops.Axis{axis("maks", 0, "n")}}, []string{`axis "maks"`, `nearest names: "mask"`}},
		{"an inner value", graphops.AxesOptions{Free: []graphops.Axis{axis("h", 0, "n")}}, []string{`value "h" is neither an input nor an output`}},
		{"an axis beyond the rank", graphops.AxesOptions{Free: []graphops.Axis{axis("x", 3, "n")}}, []string{`"x" has no axis 3`, "1×seq×8", "rank 3"}},
		{"an axis before the first", graphops.AxesOptions{Free: []graphops.Axis{axis("x", -4, "n")}}, []string{`"x" has no axis -4`}},
		{"a scalar", graphops.AxesOptions{Free: []graphops.Axis{axis("scalar", 0, "n")}}, []string{`"scalar" has no axis 0`}},
		{"no shape", graphops.AxesOptions{Free: []graphops.Axis{axis("shapeless", 0, "n")}}, []string{`"shapeless" has no shape`}},
		{"no type", graphops.AxesOptions{Free: []graphops.Axis{axis("untyped", 0, "n")}}, []string{`"untyped" has no shape`}},
		{"two names for one symbol", graphops.AxesOptions{Free: []graphops.Axis{axis("x", 1, "a"), axis("mask", 1, "b")}}, []string{`symbol "seq" cannot become both`, `"a"`, `"b"`}},
		{"one name for two sizes", graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n"), axis("x", 2, "n")}}, []string{`symbol "n" cannot stand for axes of size 1 and 8`}},
		{"unknown symbol", graphops.AxesOptions{Fix: []graphops.SymbolSize{{Symbol: "sqe", Size: 3}}}, []string{`symbol "sqe"`, `nearest names: "seq"`}},
		{"fixed and renamed", graphops.AxesOptions{Fix: []graphops.SymbolSize{{Symbol: "seq", Size: 3}}, Free: []graphops.Axis{axis("x", 1, "n")}}, []string{`symbol "seq" cannot become both`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, report, err := graphops.ChangeAxes(t.Context(), graphtest.Model(t, text), tt.o, nil)
			for _, part := range tt.want {
				if err == nil || m != nil || report != nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v lacks %q", err, part)
				}
			}
		})
	}
}

// TestChangeAxesCancelled tells a cancelled run from one that the runtime
// refuses.
func TestChangeAxesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := graphops.ChangeAxes(ctx, graphtest.Model(t, shaped), graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n")}}, refusing{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestChangeAxesKeepsTypes leaves what is written about a type beside its
// dimensions alone.
func TestChangeAxesKeepsTypes(t *testing.T) {
	p := graphtest.Proto(t, shaped)
	denotation := "DATA_BATCH"
	p.Graph.Input[0].Type.GetTensorType().Shape.Dim[0].Denotation = &denotation
	p.Graph.Input[0].Type.Denotation = &denotation
	m, _, err := graphops.ChangeAxes(t.Context(), graphtest.Decode(t, p), graphops.AxesOptions{Free: []graphops.Axis{axis("x", 0, "n")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var buf strings.Builder
	if err := graphops.Write(&buf, m); err != nil {
		t.Fatal(err)
	}
	x := unmarshal(t, []byte(buf.String())).Graph.Input[0].Type
	dim := x.GetTensorType().Shape.Dim[0]
	if x.GetDenotation() != denotation || dim.GetDenotation() != denotation || dim.GetDimParam() != "n" {
		t.Errorf("%v", x)
	}
}

// TestAxesRenameInBodies renames a symbol wherever a body speaks of it.
func TestAxesRenameInBodies(t *testing.T) {
	m := graphtest.Model(t, `
		graph deep
		value d f32[n,2]
		d = Relu(h)
		output d f32[n,2]
		end
		graph plain
		p = Relu(x)
		output p f32[2,2]
		end
		graph branch
		b = If(c) then_branch=@deep else_branch=@plain
		output b f32[n,m]
		end
		input c bool[]
		input x f32[n,2]
		h = Relu(x)
		y = If(c) then_branch=@branch else_branch=@plain
		output y f32[n,2]`)
	changed, report, err := graphops.ChangeAxes(context.Background(), m, graphops.AxesOptions{Fix: []graphops.SymbolSize{{Symbol: "n", Size: 7}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var shapes []string
	for _, p := range changed.Places() {
		for _, list := range [][]*graphops.ValueInfo{p.Graph.Inputs(), p.Graph.Outputs(), p.Graph.ValueInfo()} {
			for _, v := range list {
				shapes = append(shapes, fmt.Sprintf("%s %s", v.Name(), v.Type().Shape))
			}
		}
	}
	want := []string{"c scalar", "x 7×2", "y 7×2", "b 7×m", "d 7×2", "d 7×2", "p 2×2", "p 2×2"}
	if diff := cmp.Diff(want, shapes); diff != "" {
		t.Errorf("%+v (-want +got):\n%s", report, diff)
	}
	if changed.Places()[4].Graph != m.Places()[4].Graph {
		t.Error("a body that does not speak of the symbol is not shared")
	}
}
