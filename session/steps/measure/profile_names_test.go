//go:build cgo

package measure

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/sessiontest"
)

// originsOf profiles a model. It lists each node that ran with the node of the main graph that it
// was traced back to.
func originsOf(t *testing.T, env session.Env, m *graphops.Model) (list []string, r *profileReport) {
	t.Helper()
	s := Profile{Runs: 1, Peaks: peaksNone}
	result, err := s.Run(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	r = result.Report.(*profileReport)
	for _, n := range r.Nodes {
		where := "nowhere"
		if n.Index != nil {
			where = fmt.Sprintf("at %d, in a body %t: %d %v", *n.Main, n.Place != "", *n.Index, n.Members)
		}
		list = append(list, n.Op+" "+where)
	}
	slices.Sort(list)
	return list, r
}

// TestProfileWithoutNames removes the names of all nodes. The names of values alone must lead to
// the same nodes.
func TestProfileWithoutNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	for _, name := range []string{"digits", "vit_batch1", "lm_batch1", "if_loop", "function"} {
		t.Run(name, func(t *testing.T) {
			m, err := graphops.Open("../../../testdata/"+name+".onnx", graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			bare := m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
				for i, n := range e.Nodes {
					e.Nodes[i] = n.WithName("")
				}
				return true
			})
			named, r := originsOf(t, env, m)
			if r.UnjoinedShare != 0 || len(named) == 0 || r.JoinedBy[profile.ByName] == 0 {
				t.Errorf("%d nodes ran, joined by %v", len(named), r.JoinedBy)
			}
			unnamed, _ := originsOf(t, env, bare)
			if d := cmp.Diff(named, unnamed); d != "" {
				t.Error(d)
			}
		})
	}
}
