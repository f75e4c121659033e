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
)

// findPackages prints where the onnxruntime package lies, and in which folders NVIDIA's do, without
// importing them: importing loads the library, and a broken one kills the interpreter. The interpreter runs isolated (-I), so neither
// the working folder nor PYTHONPATH can put another module in its way; the user's own
// site-packages, which -I leaves out, are added back outside of virtual environments.
//
// The finders are asked as importlib.util.find_spec would, which is not imported: that, and pulling
// the interpreter down at the end, take a third of its time.
const findPackages = `import os, site, sys
if sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())
for name in "onnxruntime", "nvidia", "tensorrt_libs":
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None) if hasattr(finder, "find_spec") else None
        if spec:
            break
    for folder in spec.submodule_search_locations or [] if spec else []:
        print(name + "=" + os.path.abspath(folder))
sys.stdout.flush()
os._exit(0)
`

// pythonTimeout is for an interpreter on a slow network drive; a usual one answers in 0.2 s.
const pythonTimeout = 10 * time.Second

// pythonCandidates are the libraries inside the onnxruntime package of the active Python. A
// virtual environment and a conda prefix are looked into directly, which costs no interpreter.
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

// activeCandidates are those of the virtual environment and the conda prefix that are active.
func activeCandidates(env Env) []candidate {
	return slices.Concat(prefixCandidates(env.VirtualEnv), prefixCandidates(env.CondaPrefix))
}

// askNamedPython asks the interpreter that the user named; that it offers nothing is then worth a word.
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

// interpreter is the Python to run: a path as it stands, a name (python3 if none is given) as it
// is found in PATH. It is absolute, since programs run in folders of their own, or empty.
func interpreter(python, path string) string {
	if !strings.ContainsRune(python, filepath.Separator) {
		return lookIn(path, cmp.Or(python, "python3"))
	}
	if abs, err := filepath.Abs(python); err == nil {
		return abs
	}
	return python
}

// prefixCandidates looks into an installation prefix of Python; conda's own package of ONNX
// Runtime puts the library into the prefix's lib.
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

// askPython runs an interpreter to learn where its onnxruntime package is. An interpreter that
// fails is reported as a candidate that cannot be used.
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

// askSites are the folders of packages in which the active Python, or the named one, holds those
// of NVIDIA. One that does not answer holds none: what it has to say for itself stands among the
// libraries.
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
	for _, folder := range slices.Concat(folders["nvidia"], folders["tensorrt_libs"]) {
		sites = append(sites, filepath.Dir(folder))
	}
	return unique(sites)
}

// interpreters are those that were asked while libraries are looked for, each once, with their
// answers. Nil keeps none.
type interpreters struct {
	mu      sync.Mutex
	answers map[string]func() (map[string][]string, error)
}

// folders are the folders of packages that an interpreter tells.
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

// packageFolders runs an interpreter for the folders of the packages that findPackages asks for.
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

// lookIn finds an executable in a list of folders such as PATH holds. Relative folders are passed
// over: what runs must not depend on the working folder.
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

// FindPython is the interpreter that the user works with: the one that --python names, that
// of the active virtual environment or conda prefix, or python3 in PATH.
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
	return "", errors.New("no Python is found: there is no python3 in PATH; name one with --python")
}
