package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Group is a main file and the files that belong to it while they are written, such as a model and
// its data files. Renaming the main file replaces the old one by the new one in a single step. The
// other files have names that were not in use before, so the old main file keeps its own ones until
// then.
//
// The process may be killed before or after the rename. Depending on that, either the new files or
// those of the old main file are superfluous. Until the write is complete, each of these files
// therefore has a second, temporary name. By these names the next write finds the superfluous files
// and removes them (RemoveStale).
type Group struct {
	main   *output
	others []*output
	parts  []Part // the main file, then the others
	name   tempName
	held   []*temporary
	forced bool // the main file may replace one
}

// Part is a file of a Group.
type Part struct {
	// Name is the file's name in the folder of the main file, which itself needs none.
	Name string
	// Bytes is the size. It is used only in messages.
	Bytes int64
	// Write writes the content to a writer that is also a Copier.
	Write func(w io.Writer) error
}

// NewGroup opens the temporary files of a main file, which replaces the target, and of others.
// Progress is reported for all of them together.
func NewGroup(ctx context.Context, t Target, main Part, others []Part, o Options) (g *Group, err error) {
	if err := t.Permitted(ctx); err != nil {
		return nil, err
	}
	wanted := main.Bytes
	for _, p := range others {
		wanted += p.Bytes
	}
	room := roomIn(t.Folder(), wanted)
	if err := room.short(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Asked, err)
	}
	err = withNewName(t, func(n tempName) error {
		g = &Group{parts: append([]Part{main}, others...), name: n}
		err := g.create(ctx, t, room, o)
		if err != nil {
			g.Discard()
		}
		return err
	})
	return g, err
}

func (g *Group) create(ctx context.Context, t Target, r room, o Options) (err error) {
	done := int64(0)
	main, others := g.parts[0], g.parts[1:]
	if g.main, err = createOutput(ctx, t, g.name, r.of(main.Bytes), o.partOf(&done)); err != nil {
		return err
	}
	g.forced, o.Overwrite = o.Overwrite, false
	for _, p := range others {
		path := filepath.Join(t.Folder(), p.Name)
		other := Target{Asked: path, Path: path, old: t.old} // with the same permissions as the main file
		if err := other.Look(false); errors.Is(err, errExists) {
			return fmt.Errorf("%s: %w", path, g.taken())
		} else if err != nil {
			return err
		}
		out, err := createOutput(ctx, other, g.name.of(p.Name, tempNew), r.of(p.Bytes), o.partOf(&done))
		if err != nil {
			return err
		}
		g.others = append(g.others, out)
	}
	return nil
}

// Discard removes the files that did not get their final names yet, and all temporary names.
func (g *Group) Discard() {
	for _, o := range append([]*output{g.main}, g.others...) {
		if o != nil {
			o.discard()
		}
	}
	for _, t := range g.held {
		t.remove()
	}
}

// Write writes the content of all files, the main file last, and prepares them for renaming.
func (g *Group) Write() error {
	for i, o := range g.others {
		if err := g.parts[i+1].writeTo(o); err != nil {
			return err
		}
	}
	return g.parts[0].writeTo(g.main)
}

func (p Part) writeTo(o *output) error {
	if err := p.Write(o); err != nil {
		return o.blame(err)
	}
	return o.finish()
}

// Place gives the finished files their final names. replaced returns the files that only the old
// main file needs. It is called just before that file is replaced. Place removes these files
// afterwards and returns those that it could remove.
func (g *Group) Place(replaced func() []string) (removed []string, err error) {
	g.main.temp.forget()
	for _, o := range g.others {
		o.temp.forget()
	}
	for i, o := range g.others {
		if err := g.placeOther(o); err != nil {
			g.displace(i)
			return nil, err
		}
	}
	if len(g.others) > 0 {
		syncFolder(g.main.target.Folder())
	}
	gone := replaced()
	g.hold(gone)
	if err := g.main.place(); err != nil {
		g.displace(len(g.others))
		return nil, err
	}
	return removeReplaced(gone), g.close()
}

// removeReplaced removes files that are no longer used. It returns those that it could remove.
func removeReplaced(files []string) (removed []string) {
	for _, path := range files {
		if os.Remove(path) == nil {
			removed = append(removed, path)
		}
	}
	return removed
}

// displace removes the first n of the other files after an error. They have their final names
// already, but the main file that needs them was not written.
func (g *Group) displace(n int) {
	for _, o := range g.others[:n] {
		_ = os.Remove(o.target.Path) // the caller reports the original error
	}
}

// taken is the error for a name of the other files that is in use.
func (g *Group) taken() error {
	if g.forced {
		return errTaken
	}
	return errExists
}

// placeOther gives a file its final name in addition to the temporary one. It does not sync the
// folder. On a file system without hard links the file is renamed, so it loses the temporary name.
func (g *Group) placeOther(o *output) error {
	err := os.Link(o.temp.path, o.target.Path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrExist):
		return fmt.Errorf("%s: %w", o.target.Asked, g.taken())
	}
	if err := o.place(); !errors.Is(err, errExists) {
		return err
	}
	return fmt.Errorf("%s: %w", o.target.Asked, g.taken())
}

// hold gives the files of the replaced main file a second, temporary name.
func (g *Group) hold(files []string) {
	for _, path := range files {
		second := g.name.of(filepath.Base(path), tempOld).String()
		if t := holdFile(path, filepath.Join(filepath.Dir(path), second)); t != nil {
			g.held = append(g.held, t)
		}
	}
}

func holdFile(path, second string) *temporary {
	f, err := openForLock(path)
	if err != nil {
		return nil
	}
	// The lock comes first, because a temporary name without a lock counts as stale.
	if Lock(f) != nil || os.Link(path, second) != nil {
		f.Close()
		return nil
	}
	return &temporary{file: f, path: second}
}

func (g *Group) close() error {
	err := g.main.temp.close()
	for _, o := range g.others {
		err = errors.Join(err, o.temp.close())
	}
	return err
}
