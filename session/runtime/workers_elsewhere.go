package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/ort"
)

// elsewhereGrace is how long a worker behind a launcher may take to stop a request or to end. It is
// long because the connection may be slow.
const elsewhereGrace = 10 * time.Second

// place is a machine that a launcher reaches. One worker stays there as long as this process runs,
// because starting a worker needs a login. It opens model files, keeps the models that were sent,
// and runs one session. If another session is needed at the same time, it gets a worker of its own,
// which ends with it.
type place struct {
	name  string
	start func(context.Context, Execution) (*ort.Client, error)

	mu     sync.Mutex
	client *ort.Client // the worker that stays; nil until it is needed
	busy   bool        // it has a session
	sent   map[*graphops.Model]string
	opened map[*graphops.Model]ort.Opened
}

// placeKey identifies a place. The limits are part of it, because a worker gets them when it
// starts.
type placeKey struct {
	on      string
	timeout time.Duration
	memory  int64
}

// place returns the place that o.On reaches.
func (w *Workers) place(o Execution) (*place, error) {
	launcher, err := ort.ParseLauncher(o.On)
	if err != nil {
		return nil, UsageError(err.Error())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := placeKey{o.On, o.Timeout, o.MemoryLimit}
	if p := w.places[key]; p != nil {
		return p, nil
	}
	p := &place{name: o.On, opened: map[*graphops.Model]ort.Opened{}, start: func(ctx context.Context, o Execution) (*ort.Client, error) {
		o.phase("waiting for " + o.On)
		return ort.Start(ctx, ort.Options{
			Sandbox: w.Sandbox, Note: w.note, Beside: o.beside(),
			Launcher: launcher, Library: w.There.Runtime, Python: w.There.Python, Plugins: w.There.Plugins, Env: w.Env,
			Limit: o.Timeout, MemoryLimit: o.MemoryLimit, StartTimeout: o.StartTimeout, Grace: elsewhereGrace,
		})
	}}
	if w.places == nil {
		w.places = map[placeKey]*place{}
	}
	w.places[key] = p
	return p, nil
}

// phase reports what is done besides loading and running.
func (o Execution) phase(phase string) { o.sent(phase, 0, 0) }

// sent reports how many of all bytes are sent.
func (o Execution) sent(phase string, bytes, total int64) {
	if o.Progress != nil {
		o.Progress(phase, bytes, total)
	}
}

// Close ends the workers that stay on other machines, and the spare.
func (w *Workers) Close() error {
	w.mu.Lock()
	left := w.spare
	w.spare = nil
	w.mu.Unlock()
	left.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, p := range w.places {
		errs = append(errs, p.close())
	}
	w.places = nil
	return errors.Join(errs...)
}

func (p *place) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client == nil {
		return nil
	}
	if err := p.client.Close(); err != nil {
		return fmt.Errorf("--on %q: %w", p.name, err)
	}
	return nil
}

// Open opens a model file on the machine that o.On reaches.
func (w *Workers) Open(ctx context.Context, path string, allowExternal []string, o Execution) (*graphops.Model, error) {
	p, err := w.place(o)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.staying(ctx, o); err != nil {
		return nil, err
	}
	client := p.client
	if client.IsLimited() { // it can read only the models that it has loaded
		if client, err = p.start(ctx, o); err != nil {
			return nil, err
		}
		defer discard(client)
	}
	o.phase("opening " + path + " on " + p.name)
	opened, err := client.Open(ctx, path, allowExternal)
	var launch *ort.LaunchError // names the launcher itself
	if errors.As(err, &launch) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("--on %q: %w", p.name, err)
	}
	m, err := opened.Structure.Elsewhere(p.name)
	if err != nil {
		return nil, fmt.Errorf("--on %q: %s: %w", p.name, path, err)
	}
	p.opened[m] = opened
	return m, nil
}

// Machine returns the present state of the machine that o.On reaches.
func (w *Workers) Machine(ctx context.Context, o Execution) (machine.State, error) {
	p, err := w.place(o)
	if err != nil {
		return machine.State{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.staying(ctx, o); err != nil {
		return machine.State{}, err
	}
	return p.client.Machine(ctx)
}

// staying starts the worker that stays, unless it is running. If an earlier one has ended, the
// models that were sent to it are gone and are sent again.
func (p *place) staying(ctx context.Context, o Execution) error {
	if p.client != nil && !p.client.Gone() {
		return nil
	}
	client, err := p.start(ctx, o)
	if err != nil {
		return err
	}
	p.client, p.busy, p.sent = client, false, map[*graphops.Model]string{}
	return nil
}

// loadElsewhere loads a model on the machine that o.On reaches.
func (w *Workers) loadElsewhere(ctx context.Context, m *graphops.Model, o Execution) (*loaded, error) {
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	p, err := w.place(o)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	model, err := p.model(ctx, m, o)
	if err != nil {
		return nil, err
	}
	l, err := p.take(ctx, o)
	if err != nil {
		return nil, err
	}
	o.phase("loading " + m.Path())
	model.Sources = p.sources()
	l.session, err = l.client.Load(ctx, model, options)
	if errors.Is(err, ort.ErrLimited) {
		p.giveUp(l.client)
		if l, err = p.apart(ctx, o); err != nil {
			return nil, err
		}
		l.session, err = l.client.Load(ctx, model, options)
	}
	if err != nil {
		p.giveUp(l.client)
		return nil, withoutPath(err, model)
	}
	w.noteWider(o)
	l.refused = l.session.Refused()
	l.workers, l.model, l.how = w, m, o
	return l, nil
}

// model returns what the worker is to load: a file on its machine, or the structure of the model.
// The caller holds the lock.
func (p *place) model(ctx context.Context, m *graphops.Model, o Execution) (ort.Model, error) {
	switch {
	case o.Send && m.Machine() == "":
		path, err := p.send(ctx, m, o)
		return ort.Model{Path: path, Name: m.Path(), Sent: true}, err
	case m.Machine() == "":
		return ort.Model{}, UsageError("--on: the model is on this machine; add --send to send it to the other machine")
	case m.Machine() != p.name:
		return ort.Model{}, fmt.Errorf("--on %q: the model is on %q", p.name, m.Machine())
	}
	opened, ok := p.opened[m]
	if ok && !opened.RefusedAsFile {
		return ort.Model{Path: m.Path(), Files: slices.Concat(opened.Structure.Files, []graphops.StoredFile{opened.Structure.Origin})}, nil
	}
	structure, err := graphops.StructureOf(m)
	name := m.Path()
	if m.Edited() {
		name = "the edited model"
	}
	return ort.Model{Structure: &structure, Name: name}, err
}

// send sends a model to the machine, unless it was sent before, and returns the path there. The
// caller holds the lock.
func (p *place) send(ctx context.Context, m *graphops.Model, o Execution) (path string, err error) {
	if err := p.staying(ctx, o); err != nil {
		return "", err
	}
	if path, ok := p.sent[m]; ok {
		return path, nil
	}
	b, err := graphops.BundleOf(m, ort.SentWeights)
	if err != nil {
		return "", err
	}
	path, err = p.client.Send(ctx, m.Path(), b, func(bytes int64) {
		o.sent("sending to "+p.name, bytes, b.ModelBytes()+b.DataBytes())
	})
	if err == nil {
		p.sent[m] = path
	}
	return path, err
}

// take returns a worker for one session: the one that stays if it has no session, or else a new
// one. The caller holds the lock.
func (p *place) take(ctx context.Context, o Execution) (*loaded, error) {
	if err := p.staying(ctx, o); err != nil {
		return nil, err
	}
	if p.busy {
		return p.apart(ctx, o)
	}
	p.busy = true
	l := &loaded{client: p.client}
	l.leave = func() error {
		err := l.session.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy = p.busy && p.client != l.client
		return err
	}
	return l, nil
}

// apart returns a worker that ends with its session. The caller holds the lock.
func (p *place) apart(ctx context.Context, o Execution) (*loaded, error) {
	client, err := p.start(ctx, o)
	return &loaded{client: client}, err
}

// sources returns the files of all models that were opened here, so that the worker that loads one
// of them can load the others later. The caller holds the lock.
func (p *place) sources() []graphops.StoredFile {
	var out []graphops.StoredFile
	for _, o := range p.opened {
		for _, f := range slices.Concat(o.Structure.Files, []graphops.StoredFile{o.Structure.Origin}) {
			if f.Real != "" && !slices.ContainsFunc(out, func(g graphops.StoredFile) bool { return g.Real == f.Real }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// giveUp releases a worker whose session could not be loaded. The caller holds the lock.
func (p *place) giveUp(client *ort.Client) {
	if client == p.client {
		p.busy = false
		return
	}
	discard(client)
}

// withoutPath replaces the temporary path of a model that was sent to another machine by the
// model's name, in the message of err.
func withoutPath(err error, model ort.Model) error {
	var refused *ort.Error
	if model.Path != "" && model.Name != "" && errors.As(err, &refused) {
		refused.Message = strings.ReplaceAll(refused.Message, model.Path, model.Name)
	}
	return err
}
