package ort

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A fetchClient is one of the user's package managers. It downloads with its own configuration: the
// user has set up its index, proxy and certificates already.
type fetchClient struct {
	name    string // what the user would type
	pkg     string // name of the package that contains the library
	version string // of the package
	exe     string
	args    []string // they make it download one file into its working folder
}

// fetchClients returns the package managers on this machine, in order of preference. pip comes
// before npm, because a wheel is for one platform only and has a fifth of the size of the node
// package, which contains all platforms.
func (in *installation) fetchClients() []fetchClient {
	o, p := in.InstallOptions, in.platform
	var clients []fetchClient
	pkg := cpuWheel
	if o.CUDA {
		pkg = gpuWheel
	}
	download := pipDownload(pkg, in.requested, p)
	if python := interpreter(o.Python, o.Path); python != "" {
		args := append([]string{"-m", "pip"}, download...)
		clients = append(clients, fetchClient{filepath.Base(python) + " -m pip", pkg, in.requested, python, args})
	}
	if pip := lookIn(o.Path, "pip3"); pip != "" {
		clients = append(clients, fetchClient{"pip3", pkg, in.requested, pip, download})
	}
	if npm := lookIn(o.Path, "npm"); npm != "" && !o.CUDA {
		version := in.requested
		if in.isDefault {
			version = nodeVersion
		}
		args := []string{"pack", "--ignore-scripts", "--loglevel=error", nodePackage + "@" + version}
		clients = append(clients, fetchClient{"npm", nodePackage, version, npm, args})
	}
	return clients
}

// pipDownload returns the arguments with which pip downloads the wheel for a platform. They name
// one fixed version of Python, so that the file is the same whichever Python runs pip. The version
// is written without a dot, because pip before 19.2 requires this.
func pipDownload(pkg, version string, p platform) []string {
	return []string{
		"download", "--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar=off",
		"--no-deps", "--only-binary=:all:", "--implementation=cp",
		"--python-version=" + wheelPython, "--abi=cp" + wheelPython, "--platform=" + wheelTags[p],
		"--dest=.", pkg + "==" + version,
	}
}

// fetch downloads the archive into a folder inside dir with the first package manager that
// succeeds. It returns the path of the archive and the name of its package.
func (in *installation) fetch(ctx context.Context, dir string) (archive, pkg string, err error) {
	if err := fetchable(in.platform, in.CUDA); err != nil {
		return "", "", err
	}
	var failures []string
	asked := make(map[string]bool) // if one pip fails, another pip fails too
	for _, c := range in.fetchClients() {
		if asked[c.pkg] {
			continue
		}
		archive, err := in.fetchWith(ctx, c, dir)
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		if err == nil {
			in.Version = c.version
			return archive, c.pkg, nil
		}
		failures = append(failures, fmt.Sprintf("%s: %v", c.name, err))
		asked[c.pkg] = !strings.Contains(err.Error(), "No module named pip")
	}
	if len(failures) == 0 {
		return "", "", errNoClient
	}
	return "", "", fmt.Errorf("%s; check the network and the client's proxy settings, or name a wheel, archive or folder with --from",
		strings.Join(failures, "; "))
}

var errNoClient = errors.New("nothing to fetch with: PATH has neither python3 with pip, nor pip3, nor (without --cuda) npm; install one, or name a wheel, archive or folder with --from")

func (in *installation) fetchWith(ctx context.Context, c fetchClient, dir string) (string, error) {
	work, err := os.MkdirTemp(dir, "fetch-")
	if err != nil {
		return "", err
	}
	scratch := filepath.Join(work, "scratch")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return "", err
	}
	known, _ := knownRelease(in.table, c.version, c.pkg, in.platform)
	detail := c.name
	if in.startsOver {
		detail += ", which cannot resume the download that was cut short and starts over"
	}
	stop := in.watch(work, known.bytes, detail)
	err = runClient(ctx, c, work, scratch)
	stop()
	if err != nil {
		return "", err
	}
	return onlyFile(work)
}

// runClient runs a package manager in the folder work, into which it downloads its file. Its
// temporary files go to the folder scratch on the same disk. There the space is needed anyway, the
// progress of the download can be measured, and the files are removed together with the folder.
func runClient(ctx context.Context, c fetchClient, work, scratch string) error {
	cmd := exec.CommandContext(ctx, c.exe, c.args...)
	cmd.Dir = work
	cmd.Env = append(resuming(cmd.Environ()), "TMPDIR="+scratch)
	var complaint tail
	cmd.Stderr = &complaint
	if err := runGroup(cmd); err != nil {
		if exit := new(exec.ExitError); !errors.As(err, &exit) {
			return err
		}
		return errors.New(distill(complaint.String()))
	}
	return nil
}

// resuming adds a variable to an environment that makes pip 25.1 and newer resume a download after
// a broken connection. It changes nothing if the user has set the variable. Older versions ignore
// it.
func resuming(env []string) []string {
	const variable = "PIP_RESUME_RETRIES="
	if slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, variable) }) {
		return env
	}
	return append(env, variable+"10")
}

// onlyFile returns the one regular file in a folder. Any other number of files is an error.
func onlyFile(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			files = append(files, e.Name())
		}
	}
	if len(files) != 1 {
		return "", fmt.Errorf("downloaded %d files, expected one archive", len(files))
	}
	return filepath.Join(dir, files[0]), nil
}

// watch reports as progress the size of the file that a client is writing, until stop is called.
// total is the expected size. Nothing is reported after stop has returned.
func (in *installation) watch(dir string, total int64, client string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			in.report(Progress{Phase: PhaseFetch, Bytes: largestFile(dir), Total: total, Detail: client})
			select {
			case <-quit:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(quit); <-done }
}

// largestFile returns the size of the largest file in a folder, which shows how far a download is.
// Package clients such as pip write to a temporary file, whose name is unknown, and then move it.
func largestFile(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil { // files appear and vanish while the client works
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size = max(size, info.Size())
		}
		return nil
	})
	return size
}
