package steps

import (
	"context"

	"lathe/bench/machine"
)

// watcher looks at the machines that targets run on while these are measured.
type watcher struct {
	targets []*benchTarget
	looks   map[string][]machine.Look // by launcher
}

// devices are those that the machine of the first target was last seen to have.
func (w *watcher) devices() []machine.GPU {
	if looks := w.looks[w.targets[0].launcher]; len(looks) > 0 {
		return looks[len(looks)-1].GPUs
	}
	return nil
}

// look looks at each machine once. What the worker of a target takes of it is told by that
// worker; on this machine this process counts as one of them.
func (w *watcher) look(ctx context.Context) error {
	looks := map[string]*machine.Look{}
	for _, t := range w.targets {
		state, err := t.session.Machine(ctx)
		if err != nil {
			return err
		}
		l := looks[t.launcher]
		if l == nil {
			l = &machine.Look{Counters: state.Counters}
			if t.launcher == "" {
				l.Ours = machine.Here().Counters.Own
			}
			looks[t.launcher] = l
		} else {
			l.Share(state.Counters.GPUs)
		}
		l.Ours += state.Counters.Own
	}
	for launcher, l := range looks {
		w.looks[launcher] = append(w.looks[launcher], *l)
	}
	return nil
}
