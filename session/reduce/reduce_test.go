//go:build cgo

package reduce_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/reduce"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// sides run B optimized at a level and A not at all.
func sides(t *testing.T, levelB string) reduce.Sides {
	return sidesOf(t, runtime.Execution{Opt: levelB})
}

// sidesOf run B in a way and A likewise, unoptimized.
func sidesOf(t *testing.T, how runtime.Execution) reduce.Sides {
	t.Helper()
	w := sessiontest.Workers(t)
	how.Threads = 1
	side := func(level string) *runtime.Staying {
		how := how
		how.Opt = level
		s, err := w.Stay(how)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	plain := side("disable")
	return reduce.Sides{A: plain, B: side(how.Opt), Plain: plain}
}

// found reduces and tells what is left: the operators, and the inputs.
func found(t *testing.T, p reduce.Part, s reduce.Sides) (string, *reduce.Result) {
	t.Helper()
	r, err := reduce.Reduce(t.Context(), p, s, reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ins []string
	for _, v := range r.B.Graph().FeedInputs() {
		ins = append(ins, v.Name())
	}
	slices.Sort(ins)
	t.Logf("%s: %d → %d nodes, %d tries, %v: %s", r.Symptom.Kind, r.From, r.Nodes, r.Tried, r.Took.Round(1e6), r.Symptom.Text)
	if !r.Minimal || r.Stopped != reduce.Finished {
		t.Errorf("not minimal, stopped %q", r.Stopped)
	}
	if problems := graphtest.Problems(r.B); len(problems) > 0 && r.Symptom.Kind != reduce.Refused {
		t.Error(problems)
	}
	return operators(r.B) + " | " + strings.Join(ins, " "), r
}

func operators(m *graphops.Model) string {
	var words []string
	for _, n := range m.Graph().Nodes() {
		words = append(words, n.OpType())
	}
	return strings.Join(words, " ")
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
	if testing.Short() {
		t.Skip("takes seconds")
	}
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
		"an attribute":  {"y = Softmax(x) axis=1", "y = Softmax(x) axis=0", "Softmax | x"},
		"of two inputs": {"h = Exp(x)\ny = Sub(x, h)", "h = Exp(x)\ny = Sub(h, x)", "Sub | h x"},
		"two faults":    {"h = Exp(x)\ny = Sub(x, h)", "h = Cos(x)\ny = Add(x, h)", "Cos | x"},
		"in a loop":     {fmt.Sprintf(loop, "Exp(s1)"), fmt.Sprintf(loop, "Cos(s1)"), "Cos | s1"},
		"in a function": {fmt.Sprintf(function, "Exp(r)"), fmt.Sprintf(function, "Cos(r)"), "Cos | y/r"},
		"what breaks another": {
			"s = Shape(x)\ninit one i64[1] 1\nl = Mul(s, one)\nr = Neg(l)\nq = Neg(r)\ny = Reshape(x, q)",
			"s = Shape(x)\ninit one i64[1] 1\nl = Add(s, one)\nr = Neg(l)\nq = Neg(r)\ny = Reshape(x, q)",
			"Add Neg Neg Reshape | s x",
		},
		"what breaks off": {
			"init i i64[1] 1\nk = Add(i, i)\nn = Neg(k)\ny = Gather(x, n) axis=0",
			"init i i64[1] 1\nk = Add(i, i)\nn = Neg(k)\ny = Gather(x, n) axis=0\nz = Squeeze(x, k)\noutput z f32",
			"Squeeze | k x",
		},
		"fused differently": {"h = Exp(x)\ny = Neg(h)", "y = Cos(x)", "Cos | x"},
	} {
		t.Run(name, func(t *testing.T) {
			p := reduce.Part{A: graphtest.Model(t, chained(20, c.a)), B: graphtest.Model(t, chained(20, c.b)), Feeds: feeds()}
			got, r := found(t, p, sides(t, "disable"))
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if name != "what breaks off" && (r.A == nil || len(r.A.Graph().Inputs()) != len(r.B.Graph().Inputs())) {
				t.Errorf("no part of a beside it")
			}
		})
	}
}

// A Loop whose first turn is right stays, and it is told why.
func TestLaterTurn(t *testing.T) {
	const loop = `
		init m i64[] 3
		init one i64[] 1
		init zero f32[] 0
		graph body
		input i i64[]
		input go bool[]
		input s f32[2,4]
		again = Identity(go)
		first = Cast(i) to=1
		far = %s
		s1 = Add(s, far)
		output again bool[]
		output s1 f32[2,4]
		end
		l: y = Loop(m, , x) body=@body`
	p := reduce.Part{A: graphtest.Model(t, chained(5, fmt.Sprintf(loop, "Mul(first, zero)"))), B: graphtest.Model(t, chained(5, fmt.Sprintf(loop, "Mul(first, first)"))), Feeds: feeds()}
	got, r := found(t, p, sides(t, "disable"))
	if got != "Loop | x" || !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, `Loop "l" is kept whole: its first iteration`) }) {
		t.Errorf("%s, notes %q", got, r.Notes)
	}
}

// A function that calls itself is not gone into for ever.
func TestRecursion(t *testing.T) {
	m := graphtest.Model(t, "function local F(a) -> (b)\nopset 17\nopset local 1\nh = Relu(a)\nb = local::F(h)\nend\nopset 17\nopset local 1\ninput x f32[2]\noutput y f32[2]\ny = local::F(x)")
	r, err := reduce.Reduce(t.Context(), reduce.Part{B: m}, sides(t, "all"), reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Tried > 1000 || len(r.Notes) == 0 {
		t.Errorf("%d tries, notes %q", r.Tried, r.Notes)
	}
}

func TestNothingWrong(t *testing.T) {
	m := graphtest.Model(t, chained(2, "y = Exp(x)"))
	if _, err := reduce.Reduce(t.Context(), reduce.Part{A: m, B: m, Feeds: feeds()}, sides(t, "all"), reduce.Options{}); !errors.Is(err, reduce.ErrSound) {
		t.Errorf("got %v", err)
	}
}

// What only shows where several nodes are fused keeps these nodes, of one model and of two.
func TestFusion(t *testing.T) {
	lines := chained(10, `
		init root f32[] 1.41421354
		init one f32[] 1
		init half f32[] 0.5
		d = Div(x, root)
		e = Erf(d)
		o = Add(e, one)
		p = Mul(x, o)
		y = Mul(p, half)`)
	zero := 0.0
	s := sides(t, "extended")
	s.Judge.RTol, s.Judge.ATol = &zero, &zero
	one, other := graphtest.Model(t, lines), graphtest.Model(t, lines)
	for name, a := range map[string]*graphops.Model{"one model": one, "two models": other} {
		t.Run(name, func(t *testing.T) {
			var r *reduce.Result
			err := reduce.ErrSound
			for i := 1; i < 20 && errors.Is(err, reduce.ErrSound); i++ {
				r, err = reduce.Reduce(t.Context(), reduce.Part{A: a, B: one, Feeds: drawn(i)}, s, reduce.Options{})
			}
			if errors.Is(err, reduce.ErrSound) {
				t.Skip("this runtime rounds the same, fused or not")
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d tries, %v: %s", r.Tried, r.Took, r.Symptom.Text)
			if got := operators(r.B); got != "Div Erf Add Mul Mul" || !r.Minimal || r.Tried > 30 {
				t.Errorf("got %s, minimal %v, %d tries", got, r.Minimal, r.Tried)
			}
		})
	}
}

// drawn are inputs of between 0 and 3.
func drawn(i int) graphops.Feeds {
	list := make([]float32, 8)
	for k := range list {
		list[k] = float32(math.Mod(float64(i*(k+7))*0.6180339, 3))
	}
	return graphops.Feeds{"in": graphops.TensorValue(tensor.FromSlice(list, 2, 4))}
}

// A search that is cut short gives the smallest part that it came to, and says so.
func TestStops(t *testing.T) {
	m := graphtest.Model(t, chained(200, "z = Sub(x, x)\nn = Neg(z)\nbad: y = Div(z, n)"))
	for _, stop := range []int{1, 4, 9} {
		ctx, cancel := context.WithCancel(t.Context())
		o := reduce.Options{Progress: func(p reduce.Progress) {
			if p.Tried == stop {
				cancel()
			}
		}}
		r, err := reduce.Reduce(ctx, reduce.Part{B: m, Feeds: feeds()}, sides(t, "disable"), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped != reduce.Interrupted || r.Minimal || r.Tried != stop || r.Nodes > r.From {
			t.Errorf("after %d: stopped %q, minimal %v, %d tried, %d nodes", stop, r.Stopped, r.Minimal, r.Tried, r.Nodes)
		}
		cancel()
	}
	r, err := reduce.Reduce(t.Context(), reduce.Part{B: m, Feeds: feeds()}, sides(t, "disable"), reduce.Options{Budget: 120 * time.Millisecond})
	if err == nil && (r.Stopped != reduce.OutOfTime || r.Minimal) && r.Nodes > 1 {
		t.Errorf("stopped %q, minimal %v", r.Stopped, r.Minimal)
	}
}
