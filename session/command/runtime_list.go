package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/ort/plugin"
	"lathe/session/runtime"
	"lathe/session/text"
)

// runtimeReport is the answer of "lathe runtime list" and "install".
type runtimeReport struct {
	Schema    string         `json:"schema"`
	Libraries []ort.Library  `json:"libraries"`
	Plugins   []pluginReport `json:"plugins"`
}

// pluginReport is a library of execution providers beside ONNX Runtime.
type pluginReport struct {
	Path    string         `json:"path"`
	Source  ort.Source     `json:"source"`
	Package string         `json:"package"` // the Python package that includes it, or ""
	Version string         `json:"version"` // of the package, or ""
	Usable  bool           `json:"usable"`
	Reason  string         `json:"reason"` // why it is not usable; empty if it is
	Devices []deviceReport `json:"devices"`
}

// deviceReport is a device that a plug-in offers. Its number in the list is a value of --device.
type deviceReport struct {
	Provider string            `json:"provider"`
	Version  string            `json:"version"`
	Type     string            `json:"type"`
	Vendor   string            `json:"vendor"`
	VendorID uint32            `json:"vendor_id"`
	ID       uint32            `json:"id"`
	Details  map[string]string `json:"details"`
}

// pluginsAtOnce is how many plug-ins are tried at the same time, each in a process of its own.
const pluginsAtOnce = 4

// tryPlugins tries every plug-in with the ONNX Runtime that commands use by default.
func (a *app) tryPlugins(ctx context.Context, libs []ort.Library) ([]pluginReport, error) {
	named, err := a.namedPlugins()
	if err != nil {
		return nil, err
	}
	reports := []pluginReport{}
	at := slices.IndexFunc(libs, func(l ort.Library) bool { return l.Usable })
	if at < 0 {
		return reports, nil
	}
	found := plugin.Find(ctx, a.discovery(), named)
	reports = make([]pluginReport, len(found))
	var group errgroup.Group
	group.SetLimit(pluginsAtOnce)
	for i, l := range found {
		group.Go(func() error {
			reports[i] = reportOf(a.workers().Try(ctx, libs[at], l))
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	return reports, ctx.Err()
}

// installPlugin installs the library of a provider and tries it.
func (a *app) installPlugin(ctx context.Context, provider string, o ort.InstallOptions) error {
	if o.CUDA || o.From != "" || o.SHA256 != "" {
		return session.UsageError("--ep installs a Python package; --cuda, --from and --sha256 are for ONNX Runtime itself")
	}
	progress := newProgressLine(ctx, a.errOut)
	defer progress.stop()
	l, err := plugin.Install(ctx, plugin.InstallOptions{
		Provider: provider, Version: o.Version, Env: a.discovery(),
		Progress: func(what string) { progress.update(session.Progress{Phase: what}) },
	})
	if err != nil {
		return err
	}
	lib, err := a.workers().Library(ctx)
	if err != nil {
		return err
	}
	progress.update(session.Progress{Phase: "trying " + l.Path})
	report := reportOf(a.workers().Try(ctx, lib, l))
	progress.stop()
	return a.answer(runtimeReport{"lathe.runtime-install/1", []ort.Library{lib}, []pluginReport{report}})
}

func reportOf(p runtime.Plugin) pluginReport {
	out := pluginReport{
		Path: p.Path, Source: p.Source, Package: p.Package, Version: p.Version,
		Usable: p.Reason == "", Reason: p.Reason, Devices: []deviceReport{},
	}
	for _, d := range p.Devices {
		out.Devices = append(out.Devices, deviceReport(d))
	}
	return out
}

// WriteText implements session.Report.
func (r runtimeReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	r.writeLibraries(p)
	r.writePlugins(p)
	return p.Err()
}

func (r runtimeReport) writeLibraries(p *text.Printer) {
	if len(r.Libraries) == 0 {
		p.Line("no ONNX Runtime found; get one with: lathe runtime install")
		return
	}
	t := text.Table{Titles: []string{"", "version", "from", "providers", "path"}}
	for _, l := range r.Libraries {
		what := strings.Join(l.Providers, ", ")
		if !l.Usable {
			what = text.CleanLine(l.Reason)
		}
		t.Add(mark(l.Usable), l.Version, l.Source, what, text.Clean(l.Path))
	}
	p.Table(t)
	for _, l := range r.Libraries {
		for _, d := range l.Refused {
			printRefused(p, l, d)
		}
	}
}

// writePlugins prints the plug-ins, one line for each device.
func (r runtimeReport) writePlugins(p *text.Printer) {
	if len(r.Plugins) == 0 {
		return
	}
	p.Line("")
	p.Line("libraries of execution providers beside ONNX Runtime")
	t := text.Table{Titles: []string{"", "provider", "version", "from", "device", "path"}}
	for _, l := range r.Plugins {
		path := text.Clean(l.Path)
		if len(l.Devices) == 0 {
			t.Add(mark(false), "", l.Version, l.Source, "", path)
			continue
		}
		numbers := map[string]int{}
		for _, d := range l.Devices {
			t.Add(mark(l.Usable), text.CleanLine(d.Provider), text.CleanLine(d.Version), l.Source, fmt.Sprintf("%d: %s", numbers[d.Provider], text.CleanLine(ep.Device(d).String())), path)
			numbers[d.Provider]++
			path = ""
		}
	}
	p.Table(t)
	for _, l := range r.Plugins {
		if !l.Usable {
			p.Line("%s cannot be used", text.Clean(l.Path))
			p.Line("  why   %s", text.CleanLine(l.Reason))
		}
	}
}

func mark(usable bool) string {
	if usable {
		return "✓"
	}
	return "✗"
}
