package timing

import (
	"context"

	"lathe/bench/machine"
)

// watcher reads the state of the machines while targets on them are measured.
type watcher struct {
	targets []*Subject
	looks   map[string][]machine.Look // by launcher
}

// devices returns the devices that the machine of the first target last reported.
func (w *watcher) devices() []machine.GPU {
	if looks := w.looks[w.targets[0].launcher]; len(looks) > 0 {
		return looks[len(looks)-1].GPUs
	}
	return nil
}

// look reads the state of each machine once. The processor time of Lathe itself is the sum of what
// its workers report. On this machine, the time of this process is added.
func (w *watcher) look(ctx context.Context) error {
	looks := map[string]*machine.Look{}
	for _, t := range w.targets {
		state, err := t.Session.Machine(ctx)
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
