package ort

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/session/ort/ep"
)

// explainBuild sets reason and fix for a build that was compiled without the provider.
func (c *diagnosis) explainBuild() {
	version := ""
	if c.lib.Version != "" {
		version = " " + c.lib.Version
	}
	provider, isProvider := ep.Find(c.Provider)
	if c.words.known != "" && !isProvider {
		c.Reason = fmt.Sprintf("ONNX Runtime%s does not know a provider named %q", version, c.Provider)
		c.Remedy = "name one of " + c.words.known
		return
	}
	c.Reason = fmt.Sprintf("this build of ONNX Runtime%s has no %s provider", version, cmp.Or(provider.Words, strconv.Quote(c.Provider)))
	switch {
	case provider.Installed:
		c.Remedy = c.gpuBuild()
	case provider.Plugin != "":
		c.Remedy = "get its library: " + InstallCommand + " --ep " + provider.Name
	case provider.Package != "":
		c.Remedy = "get a build that has it: pip install " + provider.Package + " (replaces onnxruntime)"
	default:
		c.Remedy = "give the path of a build that has it with --runtime"
	}
}

// gpuBuild returns the fix for a build without the CUDA or TensorRT provider: which installed GPU
// build to use, or how to get one. A build in Lathe's cache is used automatically only if the
// library in use is from the cache too. Otherwise the user has to name it with --runtime.
func (c *diagnosis) gpuBuild() string {
	for _, candidate := range cacheCandidates(c.env.CacheDir) {
		if lib := candidate.inspect(SourceCache, c.platform); lib.Usable && lib.CUDA {
			return "use the installed build that has it: --runtime " + shellWord(lib.Path)
		}
	}
	switch {
	case fetchable(c.platform, true) != nil:
		return "give the path of a build that has it with --runtime"
	case c.lib.Source == SourceCache || c.lib.Source == "":
		return "get a build that has it: " + InstallCommand + cudaFlag
	}
	return "get a build that has it: " + InstallCommand + cudaFlag + ", and name what it installs with --runtime"
}

// remedies returns what to do about the missing libraries: which folders to add to LD_LIBRARY_PATH
// for libraries that exist elsewhere, which to install with pip, whether to install the driver, and
// for which other libraries to find a package.
func (c *diagnosis) remedies() string {
	var dirs, wheels, others, remedies []string
	noDriver := false
	for _, m := range c.Missing {
		wheel := wheelOf(m.Name, c.cuda)
		switch near := c.unsearched(m); {
		case near != "":
			dirs = append(dirs, filepath.Dir(near))
		case productOf(m.Name) == productOf(driverLibrary):
			noDriver = true
		case wheel != "":
			wheels = append(wheels, wheel)
		default:
			others = append(others, oneLine(m.Name))
		}
	}
	if len(dirs) > 0 {
		remedies = append(remedies, "add "+shellWord(strings.Join(unique(dirs), ":"))+" to LD_LIBRARY_PATH")
	}
	if len(wheels) > 0 {
		for _, m := range c.MissingLater {
			wheels = append(wheels, wheelOf(m.Name, c.cuda))
		}
		remedies = append(remedies, c.wheelRemedy(unique(wheels)))
	}
	if noDriver {
		remedies = append(remedies, c.driverRemedy())
	}
	if len(others) > 0 {
		remedies = append(remedies, "install the package that has "+strings.Join(others, ", ")+", or add its folder to LD_LIBRARY_PATH")
	}
	return strings.Join(remedies, "; ")
}

// unsearched returns the path of missing library m in a folder that the loader does not search, or
// "" if there is none.
func (c *diagnosis) unsearched(m MissingLibrary) string {
	if len(m.Near) > 0 && filepath.Base(m.Near[0]) == m.Name && c.loader != nil && c.loader.usable(m.Near[0]) != "" {
		return m.Near[0]
	}
	return ""
}

// wheelRemedy returns the command that installs Python packages. They go into the Python that the
// library belongs to, or else into the active Python, whose folders are also on the loader's path.
func (c *diagnosis) wheelRemedy(wheels []string) string {
	remedy := pipFor(c.lib.Path) + " " + strings.Join(wheels, " ")
	if c.env.Modules != "" {
		remedy += fmt.Sprintf(", or load the environment module that has them (module avail cuda; CUDA %d)", c.cuda)
	}
	if c.cuda > 12 && c.hasCUDA12() {
		remedy += fmt.Sprintf(", or install the build for CUDA 12: %s%s --version %s", InstallCommand, cudaFlag, cuda12Version)
	}
	return remedy
}

// hasCUDA12 reports whether CUDA 12 is installed, as shown by the similar files that were found for
// the missing libraries.
func (c *diagnosis) hasCUDA12() bool {
	return slices.ContainsFunc(c.Missing, func(m MissingLibrary) bool {
		return slices.ContainsFunc(m.Near, func(path string) bool {
			return cudaVersionIn([]string{filepath.Base(path)}) == 12
		})
	})
}

// pipFor returns the command that installs into the Python around a library (PREFIX/bin/python for
// PREFIX/lib/python3.12/site-packages/onnxruntime/capi), or else into the active Python. The option
// --target would not work: pip does not add to a folder "nvidia" that exists already.
func pipFor(library string) string {
	site := siteOf(library)
	if !strings.HasPrefix(filepath.Base(filepath.Dir(site)), "python3") {
		return "python3 -m pip install"
	}
	for _, name := range []string{"python", "python3"} {
		if python := filepath.Join(site, "../../../bin", name); isFile(python) {
			return shellWord(python) + " -m pip install"
		}
	}
	return "python3 -m pip install"
}

// shellWord quotes a word if a shell would change it.
func shellWord(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+:=@%,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(oneLine(s), "'", `'\''`) + "'"
}
