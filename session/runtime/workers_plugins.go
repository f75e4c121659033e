package runtime

import (
	"context"
	"errors"
	"time"

	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/plugin"
)

// Plugin is a library of execution providers and what it offers on this machine.
type Plugin struct {
	plugin.Library
	Devices []ep.Device
	Reason  string // why it cannot be used; empty if it can
}

// Try loads a plug-in in a worker of its own with an ONNX Runtime, and runs a minimal model on each
// of its providers. A plug-in that crashes ends only that worker.
func (w *Workers) Try(ctx context.Context, lib ort.Library, l plugin.Library) Plugin {
	out := Plugin{Library: l, Devices: []ep.Device{}}
	if err := l.Check(); err != nil {
		out.Reason = err.Error()
		return out
	}
	client, err := ort.Start(ctx, ort.Options{
		Command: w.Command, Library: lib.Path, Env: w.Environ(lib), Plugins: []string{l.String()}, Limit: tryLimit,
		Sandbox: w.Sandbox, Note: w.note,
	})
	if err != nil {
		out.Reason = err.Error()
		return out
	}
	devices, err := client.Devices(ctx, l.Path)
	if err == nil {
		out.Devices = append(out.Devices, devices...)
		err = tryDevices(ctx, client, devices)
	}
	if err = errors.Join(err, ignoreGone(client.Close())); err != nil {
		out.Reason = ort.DiagnoseProvider(ctx, lib, ort.Refusal{Provider: l.Name, Reason: err.Error(), Plugin: l.Path}, w.Discovery).String()
	}
	return out
}

// tryLimit is how long a plug-in may take to load, and its provider to load the minimal model.
const tryLimit = 30 * time.Second

// errNoDevice is the reason for a plug-in that works, but for no device of this machine.
var errNoDevice = errors.New("it offers no device on this machine")

// tryDevices loads a minimal model on each provider that has one of the devices.
func tryDevices(ctx context.Context, client *ort.Client, devices []ep.Device) error {
	if len(devices) == 0 {
		return errNoDevice
	}
	tried := map[string]bool{}
	for _, d := range devices {
		if tried[d.Provider] {
			continue
		}
		tried[d.Provider] = true
		model := ort.Model{Bytes: ort.IdentityModel(), Name: "a model to try providers with", Own: true}
		_, err := client.Load(ctx, model, ort.SessionOptions{Providers: []ort.Provider{{Name: d.Provider}}})
		var refused *ort.ProviderError
		if errors.As(err, &refused) && len(refused.Refused) > 0 {
			return errors.New(refused.Refused[0].Reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ignoreGone returns nil for the error of a worker that has ended already. The request before reported
// why.
func ignoreGone(err error) error {
	if errors.Is(err, ort.ErrGone) {
		return nil
	}
	return err
}
