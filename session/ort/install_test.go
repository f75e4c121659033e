package ort

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func wheel(t testing.TB, version string, providers ...string) []byte {
	t.Helper()
	entries := []entry{
		{name: "onnxruntime/LICENSE", body: "MIT"},
		{name: "onnxruntime/capi/libonnxruntime.so." + version, body: string(runtimeELF(version))},
	}
	for _, p := range providers {
		entries = append(entries, entry{name: "onnxruntime/capi/libonnxruntime_providers_" + p + ".so", body: p})
	}
	return makeZip(t, entries...)
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// A host is a machine to install on: a cache, a PATH with scripts for clients, and a table that
// knows the wheel they deliver.
type host struct {
	root  string
	wheel []byte
	in    installation
}

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{root: t.TempDir(), wheel: wheel(t, TestedVersion)}
	h.in = installation{
		InstallOptions: InstallOptions{CacheDir: filepath.Join(h.root, "cache"), Path: filepath.Join(h.root, "bin")},
		platform:       linux, limits: installLimits,
		table: []release{{TestedVersion, cpuWheel, linux, int64(len(h.wheel)), sumOf(h.wheel)}},
	}
	return h
}

func (h *host) path(name string) string { return filepath.Join(h.root, name) }

// client puts a script into PATH that notes its arguments and then does as it is told.
func (h *host) client(t testing.TB, name, body string) {
	t.Helper()
	writeScript(t, h.path("bin/"+name), `echo "`+name+` $*" >> `+h.path("calls")+"\n"+body)
}

// delivers is a script that leaves the file in the working folder.
func (h *host) delivers(t testing.TB, name string, content []byte) string {
	t.Helper()
	return "cp " + writeFile(t, h.path("index/"+name), content) + " ."
}

func (h *host) withPip(t testing.TB) *host {
	t.Helper()
	h.client(t, "python3", h.delivers(t, "onnxruntime.whl", h.wheel))
	return h
}

func (h *host) calls() []string {
	raw, _ := os.ReadFile(h.path("calls"))
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

// store lists what lies in the store, the lock left out.
func (h *host) store() []string {
	names := []string{}
	for _, name := range fileNames(runtimeStore(h.in.CacheDir)) {
		if name != lockName {
			names = append(names, name)
		}
	}
	return names
}

// install runs a fresh installation with the machine's options.
func (h *host) install(ctx context.Context) (Library, error) {
	in := h.in
	return in.install(ctx)
}

func TestInstall(t *testing.T) {
	h := newHost(t).withPip(t)
	var phases []Phase
	var elapsed time.Duration
	h.in.Progress = func(p Progress) {
		if len(phases) == 0 || phases[len(phases)-1] != p.Phase {
			phases = append(phases, p.Phase)
		}
		if p.Elapsed < elapsed || p.Total > 0 && p.Bytes > p.Total {
			t.Errorf("odd progress: %+v", p)
		}
		elapsed = p.Elapsed
	}
	lib, err := h.install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(runtimeStore(h.in.CacheDir), TestedVersion)
	want := Library{
		Path: filepath.Join(build, "libonnxruntime.so."+TestedVersion), Version: TestedVersion,
		Source: SourceCache, Usable: true, Providers: []string{"cpu"}, Refused: []Diagnosis{}, LibraryDirs: []string{},
	}
	if diff := cmp.Diff(want, lib); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"LICENSE", manifestName, "libonnxruntime.so." + TestedVersion}, fileNames(build)); diff != "" {
		t.Error(diff)
	}
	wantCall := "python3 -m pip download --quiet --no-input --disable-pip-version-check --progress-bar=off " +
		"--no-deps --only-binary=:all: --implementation=cp --python-version=312 --abi=cp312 " +
		"--platform=manylinux_2_28_x86_64 --dest=. onnxruntime==" + TestedVersion
	if diff := cmp.Diff([]string{wantCall}, h.calls()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Phase{PhaseFetch, PhaseVerify, PhaseUnpack}, phases); diff != "" {
		t.Error(diff)
	}
	chosen, err := choose(t.Context(), Env{CacheDir: h.in.CacheDir, Root: h.root}, linux)
	if diff := cmp.Diff(want, chosen); diff != "" || err != nil {
		t.Errorf("discovery finds another: %s%v", diff, err)
	}
}

func TestInstallAgain(t *testing.T) {
	h := newHost(t).withPip(t)
	lib, err := h.install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.install(t.Context()); err != nil || again.Path != lib.Path || len(h.calls()) != 1 {
		t.Fatalf("the second time: %+v %v, calls %q", again, err, h.calls())
	}
	for name, damage := range map[string]func() error{
		"changed": func() error { return os.WriteFile(lib.Path, append(runtimeELF(TestedVersion), 'x'), 0o644) },
		"removed": func() error { return os.Remove(lib.Path) },
		"manifest": func() error {
			return os.WriteFile(filepath.Join(filepath.Dir(lib.Path), manifestName), []byte(`{"schema":"lathe.runtime-build/1","files":[{"name":"../../x"}]}`), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(h.calls())
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			again, err := h.install(t.Context())
			if err != nil || len(h.calls()) != before+1 {
				t.Fatalf("%v, calls %q", err, h.calls())
			}
			if raw, _ := os.ReadFile(again.Path); string(raw) != string(runtimeELF(TestedVersion)) {
				t.Error("the damage is still there")
			}
			if diff := cmp.Diff([]string{TestedVersion}, h.store()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestInstallRefuses holds that nothing stays in the store after a refusal, and what the user is told.
func TestInstallRefuses(t *testing.T) {
	other := wheel(t, "1.29.0")
	forged := makeZip(t, entry{name: "onnxruntime/capi/libonnxruntime.so." + TestedVersion, body: string(runtimeELF(TestedVersion)) + "evil"})
	for name, c := range map[string]struct {
		options InstallOptions
		client  string // of python3; empty: none
		deliver []byte // what it delivers
		err     string
	}{
		"wrong checksum":      {InstallOptions{}, "", forged, "its SHA-256 is " + sumOf(forged) + ", expected " + sumOf(wheel(t, TestedVersion))},
		"unknown version":     {InstallOptions{Version: "1.29.0"}, "", other, "its SHA-256 is " + sumOf(other) + ", which is not an official build that Lathe knows; if you trust it, add --sha256 " + sumOf(other)},
		"wrong --sha256":      {InstallOptions{Version: "1.29.0", SHA256: sumOf(forged)}, "", other, "expected " + sumOf(forged) + " (--sha256)"},
		"odd --sha256":        {InstallOptions{SHA256: "12ab"}, "", nil, `--sha256 "12ab": expected 64 hexadecimal digits`},
		"version too old":     {InstallOptions{Version: "1.20.0"}, "", nil, "version 1.20.0 is too old, 1.24.1 or newer is needed"},
		"odd version":         {InstallOptions{Version: "latest"}, "", nil, `version "latest" is not of the form 1.30.0`},
		"other version in it": {InstallOptions{Version: "1.31.1", SHA256: sumOf(other)}, "", other, "contains ONNX Runtime 1.29.0, expected 1.31.1"},
		"no CUDA in it":       {InstallOptions{CUDA: true, SHA256: sumOf(other), Version: "1.29.0"}, "", other, "contains no CUDA provider"},
		"no library in it":    {InstallOptions{SHA256: sumOf(makeZip(t))}, "", makeZip(t), "neither a zip archive"},
		"no client":           {InstallOptions{}, "none", nil, "nothing to fetch with: PATH has neither python3 with pip, nor pip3"},
		"leaves nothing":      {InstallOptions{}, "exit 0", nil, "downloaded 0 files, expected one archive"},
		"leaves two":          {InstallOptions{}, "touch a.whl b.whl", nil, "downloaded 2 files, expected one archive"},
		"pip complains": {
			InstallOptions{},
			"echo 'WARNING: running as root' >&2; echo 'ERROR: Could not find a version' >&2; echo 'ERROR: No matching distribution found for onnxruntime==1.30.0' >&2; exit 1", nil,
			"fetching ONNX Runtime " + TestedVersion + ": python3 -m pip: No matching distribution found for onnxruntime==1.30.0; check the network and the client's proxy settings, or name a wheel, archive or folder with --from",
		},
		"from nowhere": {InstallOptions{From: "/nonexistent.whl"}, "", nil, "stat /nonexistent.whl: no such file or directory"},
		"from a pipe":  {InstallOptions{From: "/dev/null"}, "", nil, "null: neither a file nor a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			c.options.CacheDir, c.options.Path = h.in.CacheDir, h.in.Path
			h.in.InstallOptions = c.options
			switch {
			case c.deliver != nil:
				h.client(t, "python3", h.delivers(t, "onnxruntime.whl", c.deliver))
			case c.client != "none":
				h.client(t, "python3", c.client)
			}
			_, err := h.install(t.Context())
			checkError(t, err, c.err)
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			if diff := cmp.Diff([]string{}, h.store()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInstallPlatforms(t *testing.T) {
	for name, c := range map[string]struct {
		platform platform
		cuda     bool
		err      string
	}{
		"FreeBSD":   {"freebsd/amd64", false, "no official build of ONNX Runtime for freebsd/amd64 is known: name a build of your own with --from"},
		"Intel Mac": {"darwin/amd64", false, "no official build of ONNX Runtime for darwin/amd64"},
		"CUDA, Arm": {"linux/arm64", true, "no official CUDA build of ONNX Runtime for linux/arm64"},
		"Arm":       {"linux/arm64", false, "nothing to fetch with"},
		"Mac":       {"darwin/arm64", false, "nothing to fetch with"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.in.platform, h.in.CUDA = c.platform, c.cuda
			_, err := h.install(t.Context())
			checkError(t, err, c.err)
		})
	}
}

func TestInstallFrom(t *testing.T) {
	gpu := wheel(t, "1.31.1", "shared", "cuda", "tensorrt")
	tgz := makeTgz(t, entry{name: "package/bin/napi-v6/linux/x64/libonnxruntime.so.1", body: string(runtimeELF("1.31.1"))})
	for name, c := range map[string]struct {
		file    string
		content []byte
		options InstallOptions
		build   string
		err     string
	}{
		"known wheel, renamed": {"x.bin", newHost(t).wheel, InstallOptions{}, TestedVersion, ""},
		"unknown wheel":        {"x.whl", gpu, InstallOptions{}, "", "add --sha256 " + sumOf(gpu)},
		"CUDA wheel":           {"x.whl", gpu, InstallOptions{SHA256: strings.ToUpper(sumOf(gpu))}, "1.31.1-cuda", ""},
		"node package":         {"x.tgz", tgz, InstallOptions{SHA256: sumOf(tgz), Version: "1.31.1"}, "1.31.1", ""},
		"other version":        {"x.tgz", tgz, InstallOptions{SHA256: sumOf(tgz), Version: "1.30.0"}, "", "x.tgz: contains ONNX Runtime 1.31.1, expected 1.30.0"},
		"folder":               {"dir/libonnxruntime.so", runtimeELF("1.28.0"), InstallOptions{}, "1.28.0", ""},
		"folder, checked":      {"dir/libonnxruntime.so", runtimeELF("1.28.0"), InstallOptions{SHA256: sumOf(runtimeELF("1.28.0"))}, "1.28.0", ""},
		"folder, other":        {"dir/libonnxruntime.so", runtimeELF("1.28.0"), InstallOptions{SHA256: sumOf(tgz)}, "", `the SHA-256 of "libonnxruntime.so" is ` + sumOf(runtimeELF("1.28.0"))},
		"folder, too old":      {"dir/libonnxruntime.so", runtimeELF("1.22.0"), InstallOptions{}, "", `dir: "libonnxruntime.so": version 1.22.0 is too old`},
		"folder of nothing":    {"dir/readme", nil, InstallOptions{}, "", "dir: contains no ONNX Runtime library for linux/amd64"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			c.options.CacheDir = h.in.CacheDir
			h.in.InstallOptions = c.options
			h.in.From = writeFile(t, h.path(c.file), c.content)
			if folder, _, ok := strings.Cut(c.file, "/"); ok {
				h.in.From = h.path(folder)
			}
			for range 2 { // the second time finds the same files in place
				lib, err := h.install(t.Context())
				checkError(t, err, c.err)
				if err == nil && (filepath.Base(filepath.Dir(lib.Path)) != c.build || lib.CUDA != strings.HasSuffix(c.build, cudaSuffix)) {
					t.Errorf("installed %+v, expected it in %s", lib, c.build)
				}
				if err == nil && len(h.store()) != 1 {
					t.Errorf("the store holds %q", h.store())
				}
			}
		})
	}
}

// TestInstallReplaces holds that another build of a version that is there takes its place, when
// that build is named by its file or its checksum.
func TestInstallReplaces(t *testing.T) {
	h := newHost(t).withPip(t)
	if _, err := h.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := makeZip(t, entry{name: "LICENSE", body: "MIT"}, entry{name: "libonnxruntime.so." + TestedVersion, body: string(runtimeELF(TestedVersion)) + "other"})
	h.in.SHA256 = sumOf(other)
	_, err := h.install(t.Context())
	checkError(t, err, "expected "+sumOf(other)+" (--sha256)")
	h.in.From = writeFile(t, h.path("other.zip"), other)
	lib, err := h.install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := os.ReadFile(lib.Path); !strings.HasSuffix(string(raw), "other") {
		t.Error("the first build is still there")
	}
	if diff := cmp.Diff([]string{TestedVersion}, h.store()); diff != "" {
		t.Error(diff)
	}
}

// TestInstallClients tells which clients are asked, and in which order.
func TestInstallClients(t *testing.T) {
	const noPip = "echo '/usr/bin/python3: No module named pip' >&2; exit 1"
	const noNetwork = `echo "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError: Connection refused': /simple/" >&2
echo 'ERROR: Could not find a version that satisfies the requirement onnxruntime==1.30.0 (from versions: none)' >&2
echo 'ERROR: No matching distribution found for onnxruntime==1.30.0' >&2; exit 1`
	const npmFails = `echo 'npm error code ETARGET' >&2; echo 'npm error notarget No matching version found for onnxruntime-node@1.30.0.' >&2
echo 'npm error A complete log of this run can be found in: /home/u/.npm/x.log' >&2; exit 1`
	good := newHost(t)
	tgz := makeTgz(t, entry{name: "package/bin/napi-v6/linux/x64/libonnxruntime.so.1", body: string(runtimeELF(nodeVersion))})
	pip, npm := good.delivers(t, "a.whl", good.wheel), good.delivers(t, "a.tgz", tgz)
	for name, c := range map[string]struct {
		clients map[string]string
		cuda    bool
		asked   []string
		err     string
	}{
		"pip before npm":        {map[string]string{"python3": pip, "pip3": pip, "npm": npm}, false, []string{"python3 -m"}, ""},
		"python without pip":    {map[string]string{"python3": noPip, "pip3": pip, "npm": npm}, false, []string{"python3 -m", "pip3 download"}, ""},
		"pip fails":             {map[string]string{"python3": noNetwork, "pip3": pip, "npm": npm}, false, []string{"python3 -m", "npm pack"}, ""},
		"npm alone":             {map[string]string{"npm": npm}, false, []string{"npm pack"}, ""},
		"all fail":              {map[string]string{"python3": noNetwork, "npm": npmFails}, false, []string{"python3 -m", "npm pack"}, "python3 -m pip: 'NewConnectionError: Connection refused': /simple/; npm: notarget No matching version found for onnxruntime-node@1.30.0."},
		"CUDA does not ask npm": {map[string]string{"npm": npm}, true, []string{""}, "nor (without --cuda) npm"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.in.CUDA = c.cuda
			h.in.table = append(h.in.table, release{nodeVersion, nodePackage, "", int64(len(tgz)), sumOf(tgz)})
			for name, body := range c.clients {
				h.client(t, name, body)
			}
			_, err := h.install(t.Context())
			checkError(t, err, c.err)
			var asked []string
			for _, call := range h.calls() {
				words := strings.SplitN(call, " ", 3)
				asked = append(asked, strings.Join(words[:min(2, len(words))], " "))
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestIntactStaysInside holds that a manifest cannot vouch for files of another build.
func TestIntactStaysInside(t *testing.T) {
	build := filepath.Join(t.TempDir(), "1.30.0")
	writeFile(t, filepath.Join(build, "..", "other"), []byte("x"))
	writeFile(t, filepath.Join(build, "lib"), []byte("x"))
	for name, want := range map[string]string{"lib": "", "../other": `"../other" is not a file name`, "missing": "no such file"} {
		m := manifest{Version: "1.30.0", Files: []installedFile{{Name: name, Bytes: 1, SHA256: sumOf([]byte("x"))}}}
		if err := writeManifest(build, m); err != nil {
			t.Fatal(err)
		}
		_, err := intact(t.Context(), build, func(int64) {})
		checkError(t, err, want)
		if err := os.Remove(filepath.Join(build, manifestName)); err != nil {
			t.Fatal(err)
		}
	}
}
