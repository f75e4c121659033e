package command

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/text"
)

func (a *app) runtimeCommand() *cobra.Command {
	cmd := groupCommand("runtime", "find and install ONNX Runtime libraries", "lathe runtime list", "expected lathe runtime list or lathe runtime install")
	cmd.AddCommand(a.runtimeListCommand(), a.runtimeInstallCommand())
	return cmd
}

func (a *app) runtimeListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "list the ONNX Runtime libraries found, their execution providers, and why one is rejected",
		Example: "lathe runtime list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			env := a.discovery()
			libs := ort.Attach(ctx, env, ort.Discover(ctx, env), a.workers().Attach)
			if err := ctx.Err(); err != nil {
				return err
			}
			plugins, err := a.tryPlugins(ctx, libs)
			if err != nil {
				return err
			}
			return a.answer(runtimeReport{"lathe.runtime-list/1", libs, plugins})
		},
	}
}

func (a *app) runtimeInstallCommand() *cobra.Command {
	o, provider := ort.InstallOptions{}, ""
	cmd := &cobra.Command{
		Use:     "install",
		Short:   "install an official ONNX Runtime into Lathe's cache with pip or npm",
		Example: "lathe runtime install",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if provider != "" {
				return a.installPlugin(cmd.Context(), provider, o)
			}
			p := newProgressLine(cmd.Context(), a.errOut)
			r, err := a.install(cmd.Context(), o, p.update)
			p.stop()
			if err != nil {
				return err
			}
			return a.answer(r)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Version, "version", "", "install this `VERSION` (default: the one that Lathe is tested with)")
	flags.BoolVar(&o.CUDA, "cuda", false, "install the build with the CUDA provider")
	flags.StringVar(&provider, "ep", "", "install the library of execution provider `NAME`, such as webgpu, for use with the ONNX Runtime that is there")
	flags.StringVar(&o.From, "from", "", "install from this `PATH`, a wheel, archive or folder, instead of downloading")
	flags.StringVar(&o.SHA256, "sha256", "", "expect this `CHECKSUM`, required for a version that Lathe does not know")
	return cmd
}

// installed installs the default ONNX Runtime.
func (a *app) installed(ctx context.Context, progress func(session.Progress)) (session.Report, error) {
	r, err := a.install(ctx, ort.InstallOptions{}, progress)
	return r, err
}

func (a *app) install(ctx context.Context, o ort.InstallOptions, progress func(session.Progress)) (runtimeReport, error) {
	env := a.discovery()
	o.CacheDir, o.Path, o.Python = env.CacheDir, env.Path, env.Python
	o.Progress = func(x ort.Progress) {
		phase := strings.TrimSpace(string(x.Phase) + " " + x.Detail)
		if x.Total == 0 && x.Bytes > 0 {
			phase += " " + text.Bytes(x.Bytes)
		}
		progress(session.Progress{Phase: phase, Done: x.Bytes, Total: x.Total, Unit: "B"})
	}
	lib, err := ort.Install(ctx, o)
	if err != nil {
		return runtimeReport{}, err
	}
	return runtimeReport{"lathe.runtime-install/1", a.attachInstalled(ctx, lib), []pluginReport{}}, nil
}

// attachInstalled tries the library that was just installed, so that problems of a GPU build, such
// as a missing CUDA or driver, are reported at once.
func (a *app) attachInstalled(ctx context.Context, lib ort.Library) []ort.Library {
	env := a.discovery()
	libs := slices.DeleteFunc(ort.Discover(ctx, env), func(l ort.Library) bool { return l.Path != lib.Path })
	if len(libs) == 0 { // the search found the same library under another path
		libs = []ort.Library{lib}
	}
	return ort.Attach(ctx, env, libs, a.workers().Attach)
}

// printRefused prints why a provider that a library was built with does not attach.
func printRefused(p *text.Printer, l ort.Library, d ort.Diagnosis) {
	p.Line("%s does not attach to %s", text.CleanLine(d.Provider), text.Clean(l.Path))
	p.Line("  why   %s", text.CleanLine(d.Reason))
	if d.Remedy != "" {
		p.Line("  help  %s", text.CleanLine(d.Remedy))
	}
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return session.UsageError(fmt.Sprintf("unexpected %q", args[0]))
	}
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the versions of Lathe, Go and the tested ONNX Runtime",
		Example: "lathe version --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.answer(versionReport{"lathe.version/1", a.version, runtime.Version(), ort.TestedVersion})
		},
	}
}
