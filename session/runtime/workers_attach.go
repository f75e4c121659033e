package runtime

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops/opschema"
	"lathe/session/ort"
)

// Attach implements ort.Attacher. It starts a worker with the library and tries every execution
// provider that the library was built with. If a provider crashes the worker, it counts as refused,
// and the next provider is tried in a new worker.
func (w *Workers) Attach(ctx context.Context, lib ort.Library) (ort.Attachment, error) {
	client, err := w.bare(ctx, lib)
	if err != nil {
		return ort.Attachment{}, err
	}
	a := ort.Attachment{Version: client.Info().LibraryVersion, Providers: []string{}}
	for _, full := range client.Info().CompiledProviders {
		name := opschema.ShortProvider(full)
		o := ort.SessionOptions{Providers: []ort.Provider{{Name: name}}}
		_, err := client.Load(ctx, ort.Model{Bytes: ort.IdentityModel(), Name: "a model to try providers with", Own: true}, o)
		var refused *ort.ProviderError
		switch {
		case err == nil:
			a.Providers = append(a.Providers, name)
		case errors.As(err, &refused):
			a.Refused = append(a.Refused, refused.Refused...)
		case errors.Is(err, ort.ErrGone) && ctx.Err() == nil:
			a.Refused = append(a.Refused, ort.Refusal{Provider: name, Reason: err.Error()})
			discard(client)
			if client, err = w.bare(ctx, lib); err != nil {
				return ort.Attachment{}, err
			}
		default:
			return ort.Attachment{}, errors.Join(fmt.Errorf("provider %s: %w", name, err), client.Close())
		}
	}
	return a, client.Close()
}

// bare starts a worker without the libraries of execution providers that the user named, so that a
// fault of one of these is not taken for one of ONNX Runtime.
func (w *Workers) bare(ctx context.Context, lib ort.Library) (*ort.Client, error) {
	return ort.Start(ctx, ort.Options{Command: w.Command, Library: lib.Path, Env: w.Environ(lib), Sandbox: w.Sandbox, Note: w.note})
}
