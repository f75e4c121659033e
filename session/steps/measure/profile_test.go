package measure

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/runtime"
)

// uncompiled is a runtime that cannot write the graph that it runs, like providers that compile
// parts of it.
type uncompiled struct {
	runtime.Runtime
	refuses bool // rejects a load with Dump
	loads   []runtime.Execution
}

type uncompiledSession struct{ runtime.Loaded }

func (u *uncompiled) Load(_ context.Context, _ *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	u.loads = append(u.loads, o)
	if u.refuses && o.Dump {
		return nil, errors.New("the graph has compiled nodes")
	}
	return uncompiledSession{}, nil
}

func (uncompiledSession) Optimized(context.Context) (*graphops.Model, error) {
	return nil, errors.New("no graph was kept")
}

// TestProfileWithoutGraph checks that the profile continues without the optimized graph, and says
// so.
func TestProfileWithoutGraph(t *testing.T) {
	for _, refuses := range []bool{true, false} {
		u := &uncompiled{refuses: refuses}
		env := session.Env{Runtime: u, Progress: func(session.Progress) {}}
		var s Profile
		var r profileReport
		l, optimized, err := s.timed(t.Context(), env, nil, runtime.Execution{}, &r)
		if err != nil || l == nil || optimized != nil {
			t.Fatalf("%v, %v, %v", l, optimized, err)
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "nodes are matched by name only") {
			t.Errorf("%q", r.Notes)
		}
		if last := u.loads[len(u.loads)-1]; !last.Profile || last.Dump == refuses {
			t.Errorf("loaded with %+v", last)
		}
	}
}
