package shell

import (
	"context"
	"errors"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/paths"
	"lathe/tui/task"
)

// PathOffer completes a path: it reads the folder in the background and offers what it found.
type PathOffer struct {
	Offer
	question task.Task[paths.Found]
	common   string
	partial  bool
	// isDue is set if the person pressed the key that completes before the folder was read.
	isDue bool
}

// Close hides the list and stops reading.
func (o *PathOffer) Close() {
	o.question.Stop()
	o.Offer, o.common, o.partial, o.isDue = Offer{}, "", false, false
}

// Ask reads the folder of a path that is being typed. asked says that the person wants a list whatever
// is typed; otherwise nothing is offered for an empty path, or for one that is complete. write
// replaces what is typed.
func (o *PathOffer) Ask(r *task.Runner, typed string, extensions []string, asked bool, write func(path string) tea.Cmd) tea.Cmd {
	o.Close()
	if typed == "" && !asked {
		return nil
	}
	return o.question.Ask(r, task.Question[paths.Found]{
		Doing: "looking for files",
		Work: func(ctx context.Context, _ task.Report) (paths.Found, error) {
			return look(ctx, typed, extensions, asked)
		},
		Take: func(f paths.Found, err error) tea.Cmd {
			isDue := o.isDue
			o.isDue = false
			if err == nil && f.Total == 0 && asked {
				err = errors.New("no file or folder is there")
			}
			if err != nil {
				if asked {
					o.Note = err.Error()
				}
				return nil
			}
			o.common, o.partial, o.Total = f.Common, f.Partial, f.Total
			for _, e := range f.Entries {
				o.List = append(o.List, Offered{Text: e.Path, Name: e.Name(), About: about(e, extensions)})
			}
			o.Picked = asked // Enter takes what a person has asked for
			if isDue {
				return o.Complete(typed, write)
			}
			return nil
		},
	})
}

// look finds the completions of a path. A path that is complete has none, unless a person asks: then
// all of its folder is offered.
func look(ctx context.Context, typed string, extensions []string, asked bool) (paths.Found, error) {
	f, err := paths.Complete(ctx, typed, extensions)
	isWhole := f.Total == 1 && f.Entries[0].Path == typed
	switch {
	case err != nil || f.Total > 0 && !isWhole:
		return f, err
	case !asked:
		return paths.Found{}, nil
	}
	return paths.Complete(ctx, typed[:len(typed)-len(filepath.Base(typed))], extensions)
}

// about says what is special about an entry.
func about(e paths.Entry, extensions []string) string {
	if !e.Fits && len(extensions) > 0 {
		return "other kind"
	}
	return ""
}

// Complete takes what all completions have in common or, if that adds nothing, the selected one. If
// the folder has not been read yet, it does so afterwards.
func (o *PathOffer) Complete(typed string, write func(path string) tea.Cmd) tea.Cmd {
	if o.question.IsOpen() {
		o.isDue = true
		return nil
	}
	if !o.Picked && len(o.common) > len(typed) {
		return write(o.common)
	}
	return o.Take(write)
}

// Take takes the selected completion.
func (o *PathOffer) Take(write func(path string) tea.Cmd) tea.Cmd {
	e, ok := o.Selected()
	o.Close()
	if !ok {
		return nil
	}
	return write(e.Text)
}

// Awaits reports whether the folder of what is typed is being read.
func (o *PathOffer) Awaits() bool { return o.question.IsOpen() }

// Summary says how many files there are.
func (o *PathOffer) Summary() string {
	s := text.Plural(o.Total, "file")
	if o.partial {
		s += " and more"
	}
	return s
}
