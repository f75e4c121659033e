package graphops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops/flock"
)

// pair is a model with its data files while they are written. Renaming the model replaces the
// old content by the new one in a single step. A data file has a name that was not in use before,
// so the old model keeps its own data until then.
//
// The process may be killed between the steps. Therefore every data file whose fate depends on the
// rename, the new ones and those of the replaced model, has a second, temporary name until then. By
// these names the next write finds the files that are no longer needed (removeStale).
type pair struct {
	model *output
	data  []*output // empty for a model in one file
	name  tempName
	held  []*temporary
}

// createPair opens the files of a model. Progress reports their total.
func createPair(ctx context.Context, t target, l *dataLayout, o WriteOptions) (p *pair, err error) {
	room := roomIn(t.folder(), l.modelBytes+l.dataBytes())
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
	if p.model, err = createOutput(ctx, t, p.name, r.of(l.modelBytes), o.partOf(&done)); err != nil {
		return err
	}
	o.Overwrite = false
	for _, f := range l.files {
		path := filepath.Join(t.folder(), f.location)
		data := target{asked: path, path: path, old: t.old} // with the same permissions as the model
		if err := data.look(false); err != nil {
			return err
		}
		out, err := createOutput(ctx, data, p.name.of(f.location, tempNew), r.of(f.size), o.partOf(&done))
		if err != nil {
			return err
		}
		p.data = append(p.data, out)
	}
	return nil
}

// discard removes the files that are not in place, and all temporary names.
func (p *pair) discard() {
	for _, o := range append([]*output{p.model}, p.data...) {
		if o != nil {
			o.discard()
		}
	}
	for _, t := range p.held {
		t.remove()
	}
}

// write writes the content of the files and prepares them for renaming.
func (p *pair) write(l *dataLayout) error {
	for i, f := range l.files {
		if err := f.write(p.data[i]); err != nil {
			return p.data[i].blame(err)
		}
		if err := p.data[i].finish(); err != nil {
			return err
		}
	}
	e := encoder{w: p.model}
	if e.model(l.model); e.err != nil {
		return p.model.blame(e.err)
	}
	return p.model.finish()
}

// place renames the finished files and removes the data files of the replaced model.
func (p *pair) place(m *Model) (removed []string, kept []KeptData, err error) {
	p.model.temp.forget()
	for _, d := range p.data {
		d.temp.forget()
	}
	for i, d := range p.data {
		if err := placeData(d); err != nil {
			p.displace(i)
			return nil, nil, err
		}
	}
	if len(p.data) > 0 {
		syncFolder(p.model.target.folder())
	}
	replaced, kept := replacedData(p.model.target, p.dataPaths(), m)
	replaced = p.hold(replaced)
	if err := p.model.place(); err != nil {
		p.displace(len(p.data))
		return nil, nil, err
	}
	return removeReplaced(replaced), kept, p.close()
}

// removeReplaced removes data files that are no longer used, and returns those that were
// removed. It is harmless if one cannot be removed.
func removeReplaced(files []string) (removed []string) {
	for _, path := range files {
		if os.Remove(path) == nil {
			removed = append(removed, path)
		}
	}
	return removed
}

// displace removes the first n data files, which are in place but belong to no model.
func (p *pair) displace(n int) {
	for _, d := range p.data[:n] {
		_ = os.Remove(d.target.path) // the caller reports the original error
	}
}

// placeData gives a data file its name in addition to the temporary one, not yet durably. On a
// file system without links it only has the new name.
func placeData(d *output) error {
	err := os.Link(d.temp.path, d.target.path)
	switch {
	case err == nil:
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
	// Lock first, because a second name without a lock counts as stale.
	if flock.Lock(f) != nil || os.Link(path, second) != nil {
		f.Close()
		return nil
	}
	return &temporary{file: f, path: second}
}

func (p *pair) dataPaths() (paths []string) {
	for _, d := range p.data {
		paths = append(paths, d.target.path)
	}
	return paths
}

func (p *pair) close() error {
	err := p.model.temp.close()
	for _, d := range p.data {
		err = errors.Join(err, d.temp.close())
	}
	return err
}
