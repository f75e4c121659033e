//go:build cgo

package reduce_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/reduce"
)

// sides run B optimized at a level and A not at all.
func sides(t *testing.T, levelB string) reduce.Sides {
	t.Helper()
	w := workers(t)
	side := func(level string) *session.Staying {
		s, err := w.Stay(session.Execution{Opt: level, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	plain := side("disable")
	return reduce.Sides{A: plain, B: side(levelB), Plain: plain}
}

// found reduces and tells what is left: the operators, and the inputs.
func found(t *testing.T, p reduce.Part, s reduce.Sides) (string, *reduce.Result) {
	t.Helper()
	r, err := reduce.Reduce(t.Context(), p, s, reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var words, ins []string
	for _, n := range r.B.Graph().Nodes() {
		words = append(words, n.OpType())
	}
	for _, v := range r.B.Graph().FeedInputs() {
		ins = append(ins, v.Name())
	}
	slices.Sort(ins)
	t.Logf("%s: %d → %d nodes, %d tries, %v: %s", r.Symptom, r.From, r.Nodes, r.Tried, r.Took.Round(1e6), r.Symptom.Text)
	if !r.Minimal || r.Stopped != reduce.Finished {
		t.Errorf("not minimal, stopped %q", r.Stopped)
	}
	if problems := graphtest.Problems(r.B); len(problems) > 0 && r.Symptom.Kind != reduce.Refused {
		t.Error(problems)
	}
	return strings.Join(words, " ") + " | " + strings.Join(ins, " "), r
}

// chained is a model with a chain of Relus before and behind some lines that make y of x.
func chained(n int, lines string) string {
	var b strings.Builder
	b.WriteString("opset 17\nopset com.microsoft 1\ninput in f32[2,4]\noutput out f32\n")
	at := "in"
	for i := range n {
		fmt.Fprintf(&b, "a%d: v%d = Relu(%s)\n", i, i, at)
		at = fmt.Sprint("v", i)
	}
	fmt.Fprintf(&b, "x = Abs(%s)\n%s\n", at, lines)
	at = "y"
	for i := range n {
		fmt.Fprintf(&b, "b%d: w%d = Relu(%s)\n", i, i, at)
		at = fmt.Sprint("w", i)
	}
	fmt.Fprintf(&b, "out = Neg(%s)\n", at)
	return b.String()
}

func feeds() graphops.Feeds {
	return graphops.Feeds{"in": graphops.TensorValue(tensor.FromSlice([]float32{1, 2, 3, 0.5, 4, 0.25, 2, 7}, 2, 4))}
}

// What a model cannot be loaded for is in the part alone.
func TestLoadErrors(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"an unknown operator":       {"bad: y = Nothing(x)", "Nothing | x"},
		"of an unknown domain":      {"bad: y = com.microsoft::Nothing(x)", "Nothing | x"},
		"two types":                 {"c = Cast(x) to=7\nbad: y = Add(x, c)", "Add | c x"},
		"an attribute":              {"bad: y = Softmax(x) axis=9", "Softmax | x"},
		"an attribute of no kind":   {"bad: y = Softmax(x) axes=9", "Softmax | x"},
		"a missing input":           {"bad: y = Add(x)", "Add | x"},
		"shapes":                    {"init w f32[3,3] 1\nbad: y = MatMul(x, w)", "MatMul | x"},
		"a value that is not there": {"bad: y = Add(x, nowhere)", "Add | x"},
		"one of two":                {"bad: p = Softmax(x) axis=9\nbad2: y = Softmax(p) axis=8", "Softmax | x"},
		"in a branch": {`
			init c bool[] 1
			graph then
			t0 = Relu(x)
			bad: t = Softmax(t0) axis=9
			output t f32
			end
			graph else
			e = Neg(x)
			output e f32
			end
			y = If(c) then_branch=@then else_branch=@else`, "Softmax | t0"},
		"in a loop": {`
			init m i64[] 3
			graph body
			input i i64[]
			input go bool[]
			input s f32[2,4]
			again = Identity(go)
			s1 = Relu(s)
			bad: s2 = Softmax(s1) axis=9
			output again bool[]
			output s2 f32[2,4]
			end
			y = Loop(m, , x) body=@body`, "Softmax | s1"},
		"in a function": {`
			function local F(p) -> (q)
			opset 17
			r = Relu(p)
			bad: q = Softmax(r) axis=9
			end
			opset local 1
			y = local::F(x)`, "Softmax | r"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := found(t, reduce.Part{B: graphtest.Model(t, chained(40, c.lines))}, sides(t, "all"))
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// What breaks a run off, and what ends the process.
func TestRunErrors(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"a gather beyond its table": {"init i i64[1] 77\nk = Add(i, i)\nbad: y = Gather(x, k) axis=0", "Gather | k x"},
		"shapes that do not meet":   {"n = NonZero(x)\nf = Cast(n) to=1\nbad: y = Add(f, x)", "Add | f x"},
		"a crash":                   {"k = Cast(x) to=6\nv = ReduceMax(k) keepdims=0\ninit least i32[2] -2147483648 5\ninit m i32[2] -1\nz = Sub(v, v)\nw = Add(z, least)\nbad: q = Div(w, m)\ny = Cast(q) to=1", "Div | w"},
		"NaN":                       {"z = Sub(x, x)\nn = Neg(z)\nbad: y = Div(z, n)", "Div | n z"},
	} {
		t.Run(name, func(t *testing.T) {
			p := reduce.Part{B: graphtest.Model(t, chained(40, c.lines)), Feeds: feeds()}
			if got, _ := found(t, p, sides(t, "disable")); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Where two models part is in the part of each, and both are fed the same.
func TestDifferences(t *testing.T) {
	const loop = `
		init m i64[] 3
		graph body
		input i i64[]
		input go bool[]
		input s f32[2,4]
		again = Identity(go)
		s1 = Relu(s)
		s2 = %s
		output again bool[]
		output s2 f32[2,4]
		end
		y = Loop(m, , x) body=@body`
	const function = `
		function local F(p) -> (q)
		opset 17
		r = Relu(p)
		q = %s
		end
		opset local 1
		y = local::F(x)`
	for name, c := range map[string]struct{ a, b, want string }{
		"an attribute":      {"y = Softmax(x) axis=1", "y = Softmax(x) axis=0", "Softmax | x"},
		"of two inputs":     {"h = Exp(x)\ny = Sub(x, h)", "h = Exp(x)\ny = Sub(h, x)", "Sub | h x"},
		"two faults":        {"h = Exp(x)\ny = Sub(x, h)", "h = Cos(x)\ny = Add(x, h)", "Cos | x"},
		"in a loop":         {fmt.Sprintf(loop, "Exp(s1)"), fmt.Sprintf(loop, "Cos(s1)"), "Cos | s1"},
		"in a function":     {fmt.Sprintf(function, "Exp(r)"), fmt.Sprintf(function, "Cos(r)"), "Cos | r"},
		"fused differently": {"h = Exp(x)\ny = Neg(h)", "y = Cos(x)", "Cos | x"},
	} {
		t.Run(name, func(t *testing.T) {
			p := reduce.Part{A: graphtest.Model(t, chained(20, c.a)), B: graphtest.Model(t, chained(20, c.b)), Feeds: feeds()}
			got, r := found(t, p, sides(t, "disable"))
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if r.A == nil || len(r.A.Graph().Inputs()) != len(r.B.Graph().Inputs()) {
				t.Errorf("no part of a beside it")
			}
		})
	}
}

func TestNothingWrong(t *testing.T) {
	m := graphtest.Model(t, chained(2, "y = Exp(x)"))
	if _, err := reduce.Reduce(t.Context(), reduce.Part{A: m, B: m, Feeds: feeds()}, sides(t, "all"), reduce.Options{}); !errors.Is(err, reduce.ErrSound) {
		t.Errorf("got %v", err)
	}
}
