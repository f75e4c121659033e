package ort

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// findPackage prints where the onnxruntime package lies without importing it: importing loads the
// library, and a broken one kills the interpreter. The interpreter runs isolated (-I), so neither
// the working folder nor PYTHONPATH can put another module in its way; the user's own
// site-packages, which -I leaves out, are added back outside of virtual environments.
const findPackage = `import importlib.util, os, site, sys
if sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())
spec = importlib.util.find_spec("onnxruntime")
for folder in spec.submodule_search_locations or [] if spec else []:
    print("onnxruntime=" + os.path.abspath(folder))
`

// pythonTimeout is for an interpreter on a slow network drive; a usual one answers in 0.2 s.
const pythonTimeout = 10 * time.Second

// pythonCandidates are the libraries inside the onnxruntime package of the active Python. A
// virtual environment and a conda prefix are looked into directly, which costs no interpreter.
func pythonCandidates(ctx context.Context, env Env, _ platform) []candidate {
	if env.Python != "" {
		return askNamedPython(ctx, env)
	}
	found := slices.Concat(prefixCandidates(env.VirtualEnv), prefixCandidates(env.CondaPrefix))
	if len(found) > 0 {
		return found
	}
	if python := interpreter("", env.Path); python != "" {
		return askPython(ctx, python)
	}
	return nil
}

// askNamedPython asks the interpreter that the user named; that it offers nothing is then worth a word.
func askNamedPython(ctx context.Context, env Env) []candidate {
	python := interpreter(env.Python, env.Path)
	if python == "" {
		return []candidate{{path: env.Python, err: errors.New("no such interpreter in PATH")}}
	}
	if found := askPython(ctx, python); len(found) > 0 {
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
	for _, lib := range []string{"lib", "lib64"} {
		for _, name := range fileNames(filepath.Join(prefix, lib)) {
			if strings.HasPrefix(name, "python3") {
				capi := filepath.Join(prefix, lib, name, "site-packages", "onnxruntime", "capi")
				found = append(found, librariesIn(capi)...)
			}
		}
	}
	return append(found, librariesIn(filepath.Join(prefix, "lib"))...)
}

// askPython runs an interpreter to learn where its onnxruntime package is. An interpreter that
// fails is reported as a candidate that cannot be used.
func askPython(ctx context.Context, python string) []candidate {
	out, err := ask(ctx, pythonTimeout, python, "-I", "-c", findPackage)
	if err != nil {
		return []candidate{{path: python, err: err}}
	}
	var found []candidate
	for line := range strings.Lines(string(out)) {
		if folder, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "onnxruntime="); ok {
			found = append(found, librariesIn(filepath.Join(folder, "capi"))...)
		}
	}
	return found
}

// cudaWheelDirs are the folders of NVIDIA's wheels in the site-packages that a library lies in
// (site-packages/onnxruntime/capi/libonnxruntime.so.*). The wheels of CUDA, cuDNN and TensorRT
// are not on the loader's path, and the provider libraries carry no search path of their own.
func cudaWheelDirs(library string) []string {
	capi := filepath.Dir(library)
	if filepath.Base(capi) != "capi" {
		return []string{}
	}
	site := filepath.Dir(filepath.Dir(capi))
	dirs := []string{}
	for _, name := range fileNames(filepath.Join(site, "nvidia")) {
		dirs = append(dirs, filepath.Join(site, "nvidia", name, "lib"))
	}
	dirs = append(dirs, filepath.Join(site, "tensorrt_libs"))
	return slices.DeleteFunc(dirs, func(dir string) bool { return !holdsLibraries(dir) })
}

func holdsLibraries(dir string) bool {
	return slices.ContainsFunc(fileNames(dir), func(name string) bool {
		return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.")
	})
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
