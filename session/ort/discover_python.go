package ort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lathe/session/ort/ep"
)

// findPackages prints the folders of the onnxruntime package, of NVIDIA's packages, and of all
// packages. It imports none: importing loads the library, and a broken library can kill the interpreter. The
// interpreter runs isolated (-I), so that no module in the working folder or in PYTHONPATH is
// imported in place of the right one. -I also leaves out the user's own site-packages; outside of
// virtual environments the script adds them back.
//
// The script asks the import system's finders directly, as importlib.util.find_spec would.
// Importing importlib.util and the interpreter's shutdown, which the script skips, would take a
// third of its time.
var findPackages = `import os, site, sys
if sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())
for name in "onnxruntime", "` + strings.Join(ep.Folders(), `", "`) + `":
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None) if hasattr(finder, "find_spec") else None
        if spec:
            break
    for folder in spec.submodule_search_locations or [] if spec else []:
        print(name + "=" + os.path.abspath(folder))
for folder in sys.path:
    if os.path.basename(folder) in ("site-packages", "dist-packages"):
        print("site=" + os.path.abspath(folder))
sys.stdout.flush()
os._exit(0)
`

// pythonTimeout limits how long an interpreter may run. It is long enough for an interpreter on a
// slow network drive; usually the answer takes 0.2 s.
const pythonTimeout = 10 * time.Second

// pythonCandidates returns the libraries inside the onnxruntime package of the active Python. The
// folders of a virtual environment or conda prefix are searched directly, without running an
// interpreter.
func pythonCandidates(ctx context.Context, env Env, _ platform) []candidate {
	if env.Python != "" {
		return askNamedPython(ctx, env)
	}
	if found := activeCandidates(env); len(found) > 0 {
		return found
	}
	if python := interpreter("", env.Path); python != "" {
		return askPython(ctx, env, python)
	}
	return nil
}

// activeCandidates returns the libraries in the active virtual environment and the active conda
// prefix.
func activeCandidates(env Env) []candidate {
	return slices.Concat(prefixCandidates(env.VirtualEnv), prefixCandidates(env.CondaPrefix))
}

// askNamedPython asks the interpreter that --python names. If there is no such interpreter, or it
// has no onnxruntime package, the result is a candidate with an error that says so, because the
// user expected to find one there.
func askNamedPython(ctx context.Context, env Env) []candidate {
	python := interpreter(env.Python, env.Path)
	if python == "" {
		return []candidate{{path: env.Python, err: errors.New("no such interpreter in PATH")}}
	}
	if found := askPython(ctx, env, python); len(found) > 0 {
		return found
	}
	return []candidate{{path: python, err: errors.New("no onnxruntime package in this Python; install it there with pip")}}
}

// interpreter returns the absolute path of the Python interpreter to run, or "" if none is found.
// If python is a path, it is used as it is. If it is a name, it is searched in path, which is the
// value of PATH. If it is empty, the name is python3.
func interpreter(python, path string) string {
	if !strings.ContainsRune(python, filepath.Separator) {
		return lookIn(path, cmp.Or(python, "python3"))
	}
	if abs, err := filepath.Abs(python); err == nil {
		return abs
	}
	return python
}

// prefixCandidates returns the libraries in an installation prefix of Python: those in the
// onnxruntime package, and those in lib, where conda's package of ONNX Runtime has them.
func prefixCandidates(prefix string) []candidate {
	if prefix == "" {
		return nil
	}
	var found []candidate
	for _, site := range prefixSites(prefix) {
		found = append(found, librariesIn(filepath.Join(site, "onnxruntime", "capi"))...)
	}
	return append(found, librariesIn(filepath.Join(prefix, "lib"))...)
}

// askPython runs an interpreter to find its onnxruntime package, and returns the libraries in it.
// If the interpreter fails, the result is a candidate with that error.
func askPython(ctx context.Context, env Env, python string) []candidate {
	folders, err := env.asked.folders(ctx, python)
	if err != nil {
		return []candidate{{path: python, err: err}}
	}
	var found []candidate
	for _, folder := range folders["onnxruntime"] {
		found = append(found, librariesIn(filepath.Join(folder, "capi"))...)
	}
	return found
}

// askSites runs the interpreter that interpreter chooses and returns the site-packages folders in
// which it has NVIDIA's packages. It returns nil if the interpreter fails, because pythonCandidates
// already reports that error.
func askSites(ctx context.Context, env Env) []string {
	python := interpreter(env.Python, env.Path)
	if python == "" {
		return nil
	}
	folders, err := env.asked.folders(ctx, python)
	if err != nil {
		return nil
	}
	var sites []string
	for _, name := range ep.Folders() {
		for _, folder := range folders[name] {
			sites = append(sites, filepath.Dir(folder))
		}
	}
	return unique(sites)
}

// Sites returns the folders of Python packages that belong to the active Python: those of the
// virtual environment and the conda prefix, or of the interpreter that --python or PATH names.
func Sites(ctx context.Context, env Env) []string {
	if env.Python == "" && (env.VirtualEnv != "" || env.CondaPrefix != "") {
		return unique(append(prefixSites(env.VirtualEnv), prefixSites(env.CondaPrefix)...))
	}
	python := interpreter(env.Python, env.Path)
	if python == "" {
		return nil
	}
	folders, err := env.asked.folders(ctx, python)
	if err != nil {
		return nil
	}
	return unique(folders["site"])
}

// interpreters stores the answers of Python interpreters, so that each interpreter is run at most
// once during a search. A nil *interpreters runs it every time.
type interpreters struct {
	mu      sync.Mutex
	answers map[string]func() (map[string][]string, error)
}

// folders returns the folders of packages that an interpreter reports, by package name.
func (a *interpreters) folders(ctx context.Context, python string) (map[string][]string, error) {
	if a == nil {
		return packageFolders(ctx, python)
	}
	a.mu.Lock()
	answer := a.answers[python]
	if answer == nil {
		answer = sync.OnceValues(func() (map[string][]string, error) { return packageFolders(ctx, python) })
		a.answers[python] = answer
	}
	a.mu.Unlock()
	return answer()
}

// packageFolders runs an interpreter with findPackages and returns the printed folders by package
// name.
func packageFolders(ctx context.Context, python string) (map[string][]string, error) {
	out, err := ask(ctx, pythonTimeout, python, "-I", "-c", findPackages)
	if err != nil {
		return nil, err
	}
	folders := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		if name, folder, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "="); ok {
			folders[name] = append(folders[name], folder)
		}
	}
	return folders, nil
}

// lookIn returns the path of an executable in a list of folders such as PATH, or "" if none has it.
// It skips relative folders, because the program that runs must not depend on the working folder.
func lookIn(list, name string) string {
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if exe, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return exe
		}
	}
	return ""
}

// FindPython returns the interpreter that the user works with: the one named by --python, else that
// of the active virtual environment or conda prefix, else python3 in PATH.
func FindPython(env Env) (string, error) {
	if env.Python != "" {
		python := interpreter(env.Python, env.Path)
		if _, err := exec.LookPath(python); err != nil {
			return "", fmt.Errorf("--python %q: there is no such program", env.Python)
		}
		return python, nil
	}
	for _, prefix := range []string{env.VirtualEnv, env.CondaPrefix} {
		if prefix == "" {
			continue
		}
		if python, err := exec.LookPath(filepath.Join(prefix, "bin", "python")); err == nil {
			return python, nil
		}
	}
	if python := interpreter("", env.Path); python != "" {
		return python, nil
	}
	return "", errors.New("no Python found: there is no python3 in PATH; name an interpreter with --python")
}
