package ort

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// providerWords are how people call providers.
var providerWords = map[string]string{
	"cuda": "CUDA", "tensorrt": "TensorRT", "openvino": "OpenVINO", "migraphx": "MIGraphX", "qnn": "QNN",
	"nvtensorrtrtx": "TensorRT for RTX", "dml": "DirectML", "coreml": "CoreML", "cann": "CANN", "dnnl": "oneDNN", "vitisai": "Vitis AI",
}

func inWords(provider string) string {
	if words, ok := providerWords[provider]; ok {
		return words
	}
	return fmt.Sprintf("%q", provider)
}

// providerWheels are the Python packages that have a provider, besides the one with CUDA.
var providerWheels = map[string]string{
	"openvino": "onnxruntime-openvino", "qnn": "onnxruntime-qnn", "migraphx": "onnxruntime-migraphx", "cann": "onnxruntime-cann",
}

// explainBuild is for a build that was compiled without the provider.
func (c *diagnosis) explainBuild() {
	version := ""
	if c.lib.Version != "" {
		version = " " + c.lib.Version
	}
	if _, isProvider := providerWords[c.Provider]; c.words.known != "" && !isProvider {
		c.Reason = fmt.Sprintf("ONNX Runtime%s knows no provider of the name %q", version, c.Provider)
		c.Remedy = "name one of " + c.words.known
		return
	}
	c.Reason = fmt.Sprintf("this build of ONNX Runtime%s has no %s provider", version, inWords(c.Provider))
	switch wheel := providerWheels[c.Provider]; {
	case c.Provider == "cuda" || c.Provider == "tensorrt":
		c.Remedy = c.gpuBuild()
	case wheel != "":
		c.Remedy = "get one that has: pip install " + wheel + ", in place of onnxruntime"
	default:
		c.Remedy = "name one that has with --runtime"
	}
}

// gpuBuild says which GPU build there is, or how to get one. One in Lathe's cache is taken by
// itself only where the library in use is there too.
func (c *diagnosis) gpuBuild() string {
	for _, candidate := range cacheCandidates(c.env.CacheDir) {
		if lib := candidate.inspect(SourceCache, c.platform); lib.Usable && lib.CUDA {
			return "there is one that has: --runtime " + shellWord(lib.Path)
		}
	}
	switch {
	case fetchable(c.platform, true) != nil:
		return "name one that has with --runtime"
	case c.lib.Source == SourceCache || c.lib.Source == "":
		return "get one that has: " + InstallCommand + cudaFlag
	}
	return "get one that has: " + InstallCommand + cudaFlag + ", and name what it installs with --runtime"
}

// remedies say, for all that is missing, what to do: for what is there but not looked for, for
// what pip has, for the driver, and for the rest.
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
		remedies = append(remedies, "install what has "+strings.Join(others, ", ")+", or add its folder to LD_LIBRARY_PATH")
	}
	return strings.Join(remedies, "; ")
}

// unsearched is the path of the very library that is missing, in a folder that is not looked into.
func (c *diagnosis) unsearched(m MissingLibrary) string {
	if len(m.Near) > 0 && filepath.Base(m.Near[0]) == m.Name && c.loader != nil && c.loader.usable(m.Near[0]) != "" {
		return m.Near[0]
	}
	return ""
}

// wheelRemedy gets packages into the Python that the library belongs to, or else into the active
// one, which is looked into as well.
func (c *diagnosis) wheelRemedy(wheels []string) string {
	remedy := pipFor(c.lib.Path) + " " + strings.Join(wheels, " ")
	if c.env.Modules != "" {
		remedy += fmt.Sprintf(", or load the module that has them (module avail cuda; CUDA %d)", c.cuda)
	}
	if c.cuda > 12 && c.hasCUDA12() {
		remedy += fmt.Sprintf(", or take the build for CUDA 12: %s%s --version %s", InstallCommand, cudaFlag, cuda12Version)
	}
	return remedy
}

// hasCUDA12 reports whether what was found in place of a missing library is of CUDA 12.
func (c *diagnosis) hasCUDA12() bool {
	return slices.ContainsFunc(c.Missing, func(m MissingLibrary) bool {
		return slices.ContainsFunc(m.Near, func(path string) bool {
			return cudaVersionIn([]string{filepath.Base(path)}) == 12
		})
	})
}

// pipFor is the command that installs into the Python around a library (PREFIX/bin/python of
// PREFIX/lib/python3.12/site-packages/onnxruntime/capi), or else into the active one. Naming the
// folder with --target would not do: pip leaves a folder "nvidia" that is there as it is.
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

// shellWord quotes what a shell would take apart.
func shellWord(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+:=@%,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(oneLine(s), "'", `'\''`) + "'"
}
