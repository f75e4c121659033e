package cost_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
)

// TestMemory covers what is alive while each node runs. Tensors of one byte an
// element make the sums readable.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		name, model string
		sizes       map[string]int64
		bytes       []int64
		at, alive   string
		unknown     int
	}{
		{
			name: "a chain", model: "input x i8[10]\na = Neg(x)\nb = Neg(a)\nc = Neg(b)\noutput c i8[10]",
			bytes: []int64{20, 30, 30}, at: "1", alive: "x 10 a 10 b 10",
		},
		{
			name: "a value that is read late", model: "input x i8[1]\ninit z i8[100]\na = Add(x, z)\nb = Neg(x)\nc = Neg(b)\nd = Add(a, c)\noutput d i8[100]",
			bytes: []int64{101, 102, 103, 202}, at: "3", alive: "a 100 d 100 x 1 c 1",
		},
		{
			name: "an output that is made early", model: "input x i8[2]\na = Neg(x)\nb = Neg(x)\nc = Neg(b)\noutput a i8[2]\noutput c i8[2]",
			bytes: []int64{4, 6, 8}, at: "2", alive: "x 2 a 2 b 2 c 2",
		},
		{
			name: "what nobody reads", model: "input x i8[4]\na, b = Split(x) axis=0\nc = Neg(a)\noutput c i8[2]",
			bytes: []int64{8, 8}, at: "0", alive: "x 4 a 2 b 2",
		},
		{
			name: "an input that nobody reads", model: "input x i8[4]\ninput u i8[50]\nc = Neg(x)\noutput c i8[4]",
			bytes: []int64{58}, at: "0", alive: "u 50 x 4 c 4",
		},
		{
			name: "constants", model: "init w f32[1000]\nk = Constant() value={f32[1000] 1}\na = Add(w, k)\noutput a f32[1000]",
			bytes: []int64{0, 4000}, at: "1", alive: "a 4000",
		},
		{
			name: "sizes of symbols", model: "input x i8[n]\na = Neg(x)\nb = Concat(a, x) axis=0\noutput b i8[2*n]", sizes: map[string]int64{"n": 5},
			bytes: []int64{10, 20}, at: "1", alive: "b 10 x 5 a 5",
		},
		{
			name: "a body on top", model: "graph body\ninput i i64[]\ninput c bool[]\ninput s i8[10]\np = Neg(s)\nq = Neg(p)\noutput c bool[]\noutput q i8[10]\nend\n" +
				"init k i64[] 2\ninput x i8[10]\na = Neg(x)\ny = Loop(k, , a) body=@body\nz = Add(y, x)\noutput z i8[10]",
			// 30 around the loop with its output; in the body the state, then p, then q instead
			// of the state.
			bytes: []int64{20, 50, 30}, at: "1 0", alive: "x 10 a 10 y 10 s 10 p 10",
		},
		{
			name: "the larger branch, whose output is the node's", model: "graph yes\np = Neg(x)\nt = Neg(p)\noutput t i8[10]\nend\ngraph no\nu = Neg(x)\noutput u i8[10]\nend\n" +
				"input c bool[]\ninput x i8[10]\ny = If(c) then_branch=@yes else_branch=@no\noutput y i8[10]",
			bytes: []int64{31}, at: "0 1", alive: "x 10 p 10 t 10 c 1",
		},
		{
			name: "a function, whose input is the caller's", model: "function f Two(v) -> (r)\nq = Neg(v)\nr = Neg(q)\nend\ninput x i8[10]\ny = f::Two(x)\noutput y i8[10]",
			bytes: []int64{30}, at: "0 1", alive: "x 10 q 10 r 10",
		},
		{
			name: "a branch that is not taken", model: "graph yes\np = Neg(x)\nt = Neg(p)\noutput t i8[10]\nend\ngraph no\nu = Neg(x)\noutput u i8[10]\nend\n" +
				"input x i8[10]\nk = Constant() value={bool[] 0}\ny = If(k) then_branch=@yes else_branch=@no\noutput y i8[10]",
			bytes: []int64{10, 20}, at: "1", alive: "x 10 y 10",
		},
		{
			name: "nodes out of order", model: "input x i8[10]\noutput c i8[10]\nc = Neg(b)\nb = Neg(a)\na = Neg(x)",
			bytes: []int64{20, 30, 30}, at: "1", alive: "x 10 b 10 a 10",
		},
		{
			name: "unknown sizes", model: "input x i8[10]\na = nobody::Op(x)\nb = Neg(x)\noutput a i8\noutput b i8[10]",
			bytes: []int64{10, 20}, at: "1", alive: "x 10 b 10", unknown: 1,
		},
		{name: "no nodes", model: "input x i8[10]\noutput x i8[10]", alive: "x 10"},
	} {
		r := analyze(t, graphtest.Model(t, c.model))
		got, err := cost.Memory(r, c.sizes)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !reflect.DeepEqual(got.Bytes, c.bytes) {
			t.Errorf("%s: bytes %v, want %v", c.name, got.Bytes, c.bytes)
		}
		if at := nodesAt(got); at != c.at {
			t.Errorf("%s: the peak is at %q, want %q", c.name, at, c.at)
		}
		if alive := valuesAlive(got); alive != c.alive {
			t.Errorf("%s: alive %s, want %s", c.name, alive, c.alive)
		}
		var sum int64
		for _, a := range got.Alive {
			sum += a.Bytes
		}
		if sum != got.Peak {
			t.Errorf("%s: what is alive has %d bytes, the peak %d", c.name, sum, got.Peak)
		}
		if got.Unknown != c.unknown {
			t.Errorf("%s: %d values unknown, want %d", c.name, got.Unknown, c.unknown)
		}
	}
}

func nodesAt(l cost.Timeline) string {
	var s []string
	for _, a := range l.At {
		s = append(s, fmt.Sprint(a.Node))
	}
	return strings.Join(s, " ")
}

func valuesAlive(l cost.Timeline) string {
	var s []string
	for _, a := range l.Alive {
		s = append(s, fmt.Sprint(a.Place.Graph.Index().Name(a.Value), " ", a.Bytes))
	}
	return strings.Join(s, " ")
}

// TestMemoryFaults covers sizes that there is no memory for.
func TestMemoryFaults(t *testing.T) {
	const model = "input x i8[n]\ninput y i8[m,k]\na = Neg(x)\nb = Neg(y)\nc = nobody::Op(x)\noutput a i8[n]\noutput b i8[m,k]\noutput c i8[n-2]"
	r := analyze(t, graphtest.Model(t, model))
	var missing *cost.MissingError
	if _, err := cost.Memory(r, map[string]int64{"m": 2}); !errors.As(err, &missing) || err.Error() != `symbols "k", "n" have no size` {
		t.Errorf("missing sizes: %v", err)
	}
	if _, err := cost.Memory(r, map[string]int64{"m": 2, "k": 3}); err == nil || err.Error() != `symbol "n" has no size` {
		t.Errorf("a missing size: %v", err)
	}
	for want, sizes := range map[string]map[string]int64{
		`value "b": k*m: a size does not fit into 64 bits`:                 {"m": math.MaxInt64, "k": 3, "n": 1},
		"the total size of the values in memory does not fit into 64 bits": {"m": math.MaxInt64, "k": 1, "n": 3},
		`value "c" would have a negative size, -1 bytes`:                   {"m": 1, "k": 1, "n": 1},
	} {
		if _, err := cost.Memory(r, sizes); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", sizes, err, want)
		}
	}
}
