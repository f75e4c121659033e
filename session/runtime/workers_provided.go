package runtime

import (
	"cmp"
	"context"
	"slices"

	"lathe/graphops/opschema"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/plugin"
)

// HasProvider reports whether ONNX Runtime on this machine contains an execution provider, or a
// library beside it has it. Whether the provider works is a question for Load. known is false if
// nothing is known about this machine, for example because it has no ONNX Runtime.
//
// Names of files are compared first. If they do not suffice, a worker loads ONNX Runtime, and the
// libraries whose names state no provider.
func (w *Workers) HasProvider(ctx context.Context, name string) (has, known bool) {
	lib, err := w.Library(ctx)
	if err != nil {
		return false, false
	}
	if row, ok := ep.Find(name); ok {
		name = row.Name
	}
	var beside []plugin.Library
	for _, l := range plugin.Find(ctx, w.Discovery, w.namedPlugins()) {
		switch l.Name {
		case name:
			return true, true
		case "":
			beside = append(beside, l)
		}
	}
	if slices.Contains(lib.Providers, name) {
		return true, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.provided == nil || w.providedBy != lib.Path {
		if w.provided, known = w.askProviders(ctx, lib, beside); !known {
			w.provided = nil
			return false, false
		}
		w.providedBy = lib.Path
	}
	return slices.Contains(w.provided, name), true
}

// namedPlugins returns the libraries that the user named. A value that cannot be parsed is an error
// of the command, which reports it.
func (w *Workers) namedPlugins() []plugin.Library {
	var out []plugin.Library
	for _, value := range w.There.Plugins {
		if l, err := plugin.ParseNamed(value); err == nil {
			out = append(out, l)
		}
	}
	return out
}

// askProviders returns the providers that a library contains, and those of libraries beside it.
func (w *Workers) askProviders(ctx context.Context, lib ort.Library, beside []plugin.Library) (names []string, ok bool) {
	client, err := w.start(ctx, lib, Execution{Timeout: tryLimit})
	if err != nil {
		return nil, false
	}
	for _, full := range client.Info().CompiledProviders {
		names = append(names, opschema.ShortProvider(full))
	}
	for _, l := range beside {
		devices, err := client.Devices(ctx, l.Path)
		if err != nil {
			continue // a library that does not load has no provider
		}
		for _, d := range devices {
			names = append(names, d.Provider)
		}
	}
	err = cmp.Or(ctx.Err(), ignoreGone(client.Close()))
	return names, err == nil
}
