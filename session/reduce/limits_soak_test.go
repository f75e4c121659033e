//go:build cgo && soak

package reduce_test

import (
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/session/reduce"
	"lathe/session/runtime"
)

// What takes too long, and more memory than there may be.
func TestLimits(t *testing.T) {
	const endless = `
		init m i64[] 4000000000000
		init go bool[] 1
		graph body
		input i i64[]
		input again bool[]
		input s f32[2,4]
		on = Identity(again)
		s2 = Relu(s)
		output on bool[]
		output s2 f32[2,4]
		end
		h = Exp(x)
		y = Loop(m, go, h) body=@body`
	const huge = `
		init many f32[1] 68719476736
		h = ReduceMax(x) keepdims=0
		n = Max(h, many)
		c = Cast(n) to=7
		z = ConstantOfShape(c)
		y = ReduceMax(z)`
	for name, c := range map[string]struct {
		lines, want string
		how         runtime.Execution
	}{
		"time":   {endless, "Loop | h", runtime.Execution{Opt: "disable", Timeout: 700 * time.Millisecond}},
		"memory": {huge, "ConstantOfShape | c", runtime.Execution{Opt: "disable", MemoryLimit: 4 << 30}},
	} {
		t.Run(name, func(t *testing.T) {
			p := reduce.Part{B: graphtest.Model(t, chained(2, c.lines)), Feeds: feeds()}
			if got, _ := found(t, p, sidesOf(t, c.how)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
