package graphops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops/flock"
)

// pair is a model and its data files while they are written. Renaming the model file replaces the
// old model by the new one in a single step. New data files have names that were not in use before,
// so the old model keeps its own data until then.
//
// The process may be killed before or after the rename. Depending on that, either the new data
// files or those of the old model are superfluous. Until the write is complete, each of these files
// therefore has a second, temporary name. By these names the next write finds the superfluous files
// and removes them (removeStale).
type pair struct {
	model *output
	data  []*output // empty for a model without data files
	name  tempName
	held  []*temporary
}

// createPair opens the temporary files of a model and its data. Progress is reported for all of
// them together.
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

// discard removes the files that did not get their final names yet, and all temporary names.
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

// write writes the content of all files and prepares them for renaming.
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

// place gives the finished files their final names and removes the data files of the replaced
// model.
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

// removeReplaced removes data files that are no longer used. It returns those that it could remove.
func removeReplaced(files []string) (removed []string) {
	for _, path := range files {
		if os.Remove(path) == nil {
			removed = append(removed, path)
		}
	}
	return removed
}

// displace removes the first n data files after an error. They have their final names already, but
// the model that needs them was not written.
func (p *pair) displace(n int) {
	for _, d := range p.data[:n] {
		_ = os.Remove(d.target.path) // the caller reports the original error
	}
}

// placeData gives a data file its final name in addition to the temporary one. It does not sync the
// folder. On a file system without hard links the file is renamed, so it loses the temporary name.
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

// hold gives the data files of the replaced model a second, temporary name.
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
	// The lock comes first, because a temporary name without a lock counts as stale.
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
