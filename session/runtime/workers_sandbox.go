package runtime

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/plugin"
	"lathe/session/ort/sandbox"
)

// note passes a line about the sandbox on to the user, unless it did so before.
func (w *Workers) note(line string) {
	if w.Note == nil {
		return
	}
	if _, said := w.noted.LoadOrStore(line, true); !said {
		w.Note(line)
	}
}

// noteWider says what the libraries that the user named add to the sandbox.
func (w *Workers) noteWider(o Execution) {
	if w.Sandbox == sandbox.Off {
		return
	}
	for _, library := range o.CustomOps {
		w.note(fmt.Sprintf("--custom-ops %s: the sandbox lets its worker also read %s, and the folder of the model", library, folderOf(library)))
	}
	if !o.beside() {
		return
	}
	for _, l := range w.namedPlugins() {
		w.note(fmt.Sprintf("--ep-library %s: the sandbox lets its worker also read %s, and use devices", l, filepath.Dir(l.Path)))
	}
}

func folderOf(library string) string {
	if filepath.Base(library) == library {
		return "the system's libraries"
	}
	return filepath.Dir(library)
}

// beside reports whether a provider other than the CPU is requested.
func (o Execution) beside() bool {
	return slices.ContainsFunc(o.Providers, func(p ort.Provider) bool { return p.Name != ep.CPU })
}

// plugins returns the libraries of execution providers that a worker with these options may need,
// beside those that the user named. The worker cannot look for them, because it starts no Python.
func (w *Workers) plugins(ctx context.Context, lib ort.Library, o Execution) []string {
	has := func(p ort.Provider) bool {
		row, _ := ep.Find(p.Name)
		return row.Name == ep.CPU || slices.Contains(lib.Providers, row.Name)
	}
	if !slices.ContainsFunc(o.Providers, func(p ort.Provider) bool { return !has(p) }) {
		return nil
	}
	var out []string
	for _, l := range plugin.Find(ctx, w.Discovery, nil) {
		out = append(out, l.String())
	}
	return out
}
