package graphops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops/flock"
)

// pair is a model and the data file that it names, on their way into place. The
// model's rename is the one moment in which the old content becomes the new: a
// data file has a name that no file had before, so that the old model keeps
// its own until then.
//
// A process may be killed between the steps of that. Therefore every data file
// whose fate hangs on the rename, the new one and those of the model that is
// replaced, bears a second, temporary name until it is decided; by that the
// next write finds the ones that lost (removeStale).
type pair struct {
	model *output
	data  *output // nil for a model in one file
	name  tempName
	held  []*temporary
}

// createPair opens the files of a model. Progress hears of both as one.
func createPair(ctx context.Context, t target, l *dataLayout, o WriteOptions) (p *pair, err error) {
	room := roomIn(t.folder(), l.modelBytes+l.size)
	err = withNewName(t, func(n tempName) error {
		p = &pair{name: n}
		err := p.create(ctx, t, l, room, o)
		if err != nil {
			p.discard()
		}
		return err
	})
	return p, err
}

func (p *pair) create(ctx context.Context, t target, l *dataLayout, r room, o WriteOptions) (err error) {
	done := int64(0)
	if p.model, err = createOutput(ctx, t, p.name, r, o.partOf(&done)); err != nil || len(l.tensors) == 0 {
		return err
	}
	path := filepath.Join(t.folder(), l.location)
	data := target{asked: path, path: path, old: t.old} // who may read the one may read the other
	if err := data.look(false); err != nil {
		return err
	}
	o.Overwrite = false
	p.data, err = createOutput(ctx, data, p.name.of(l.location, tempNew), r, o.partOf(&done))
	return err
}

// discard removes what is not in place and every temporary name.
func (p *pair) discard() {
	for _, o := range []*output{p.model, p.data} {
		if o != nil {
			o.discard()
		}
	}
	for _, t := range p.held {
		t.remove()
	}
}

// write writes what both files hold, and makes them ready to take their places.
func (p *pair) write(l *dataLayout) error {
	if p.data != nil {
		if err := l.write(p.data); err != nil {
			return p.data.blame(err)
		}
		if err := p.data.finish(); err != nil {
			return err
		}
	}
	e := encoder{w: p.model}
	if e.model(l.model); e.err != nil {
		return p.model.blame(e.err)
	}
	return p.model.finish()
}

// place puts finished files in place and removes the data files that went with
// the model that m replaces.
func (p *pair) place(m *Model) (removed []string, err error) {
	p.model.temp.forget()
	if p.data != nil {
		p.data.temp.forget()
	}
	if err := p.placeData(); err != nil {
		return nil, err
	}
	replaced := p.hold(replacedData(p.model.target, p.dataPath(), m))
	if err := p.model.place(); err != nil {
		if p.data != nil {
			_ = os.Remove(p.dataPath()) // the error of the model is the one to tell
		}
		return nil, err
	}
	return removeReplaced(replaced), p.close()
}

// removeReplaced removes data files that no model names and tells which are
// gone. One that cannot be removed is in nobody's way.
func removeReplaced(files []string) (removed []string) {
	for _, path := range files {
		if os.Remove(path) == nil {
			removed = append(removed, path)
		}
	}
	return removed
}

// placeData gives the data file its name beside the temporary one. A file
// system without links has it under one name only.
func (p *pair) placeData() error {
	d := p.data
	if d == nil {
		return nil
	}
	err := os.Link(d.temp.path, d.target.path)
	switch {
	case err == nil:
		syncFolder(d.target.folder())
		return nil
	case errors.Is(err, os.ErrExist):
		return fmt.Errorf("%s: %w", d.target.asked, errExists)
	default:
		return d.place()
	}
}

// hold gives data files their second name.
func (p *pair) hold(files []string) []string {
	for _, path := range files {
		second := p.name.of(filepath.Base(path), tempOld).String()
		if t := holdFile(path, filepath.Join(filepath.Dir(path), second)); t != nil {
			p.held = append(p.held, t)
		}
	}
	return files
}

func holdFile(path, second string) *temporary {
	f, err := openForLock(path)
	if err != nil {
		return nil
	}
	// The lock comes first: a second name that nobody holds is stale.
	if flock.Lock(f) != nil || os.Link(path, second) != nil {
		f.Close()
		return nil
	}
	return &temporary{file: f, path: second}
}

// dataPath is "" for a model in one file.
func (p *pair) dataPath() string {
	if p.data == nil {
		return ""
	}
	return p.data.target.path
}

func (p *pair) close() error {
	err := p.model.temp.close()
	if p.data != nil {
		err = errors.Join(err, p.data.temp.close())
	}
	return err
}
