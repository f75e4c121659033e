//go:build cgo

package trial

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/graphops/perturb"
	"lathe/graphops/tensor"
	"lathe/session/sessiontest"
)

// TestPerturbedRuns checks for every opset, type and body that the copy of a model that rounds
// differently runs, that no two of its runs are equal, and that its differences are small.
func TestPerturbedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	const plain = "input x TYPE[2,n]\na = Mul(x, x)\ny = Sqrt(a)\noutput y TYPE[2,n]"
	const loop = `
		graph body
		input i i64[]
		input c bool[]
		input s TYPE[2,n]
		k = Identity(c)
		e = Mul(s, w)
		output k bool[]
		output e TYPE[2,n]
		end
		input x TYPE[2,n]
		init w TYPE[] 0.7
		init m i64[] 3
		init t bool[] 1
		y = Loop(m, t, x) body=@body
		output y TYPE[2,n]`
	for _, elem := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16} {
		for _, opset := range []int{7, 10, 17, 21, 22, 25} {
			for kind, text := range map[string]string{"plain": plain, "loop": loop} {
				if kind == "loop" && opset < 13 || elem == tensor.F16 && opset < 13 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", kind, elem, opset), func(t *testing.T) {
					m := graphtest.Model(t, fmt.Sprintf("ir 10\nopset %d\n", opset)+strings.ReplaceAll(text, "TYPE", elem.String()))
					p, err := perturb.New(t.Context(), m)
					if err != nil || p == nil {
						t.Fatal(err)
					}
					s := NewProver(env, Inputs{})
					defer s.Close()
					in, err := s.Feeds(m, map[string]int64{"n": 9000}, 1)
					if err != nil {
						t.Fatal(err)
					}
					run := func(m *graphops.Model, in graphops.Feeds) (y tensor.Tensor) {
						err := s.Runner.Run(t.Context(), m, in, execution.Whole("y"), func(g execution.Got) error {
							y = g.Value.Tensor
							return nil
						})
						if err != nil {
							t.Fatal(err)
						}
						return y
					}
					want, one, two := run(m, in), run(p.Model, p.Feeds(in, 1)), run(p.Model, p.Feeds(in, 2))
					for _, pair := range [][2]tensor.Tensor{{want, one}, {want, two}, {one, two}} {
						d, err := tensor.Compare(pair[0], pair[1], tensor.Tolerance{RTol: 8 * perturb.Unit(elem), ATol: perturb.Unit(elem) / 100})
						if err != nil || d.Mismatched > 0 || d.MaxAbs == 0 {
							t.Errorf("%d of %d are farther than 8 units, the largest difference is %g, %v", d.Mismatched, d.Total, d.MaxAbs, err)
						}
					}
				})
			}
		}
	}
}
