package ort

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/session/ort/ep"
)

// The provider libraries for NVIDIA's hardware find CUDA, cuDNN and TensorRT only through the
// loader's path, but wheels and conda packages install those in folders that the loader does not
// search. Here a site is a folder that holds such packages: a folder of Python packages, or a conda
// prefix.

// nvidiaDirs returns the folders that a library with a CUDA provider needs on the loader's path.
// These are the folders of packages that are installed in the same Python as the library and, if a
// needed library is still missing, those of the active Python. The latter are used only if they are
// for the version of CUDA that the provider is built for. cuDNN 9 has the same file name for CUDA
// 12 and CUDA 13, so packages for another version of CUDA could hide the right ones of the system.
func nvidiaDirs(ctx context.Context, env Env, library string, p platform) []string {
	dirs := siteDirs(siteOf(library))
	if prefix := condaPrefixOf(library); prefix != "" {
		dirs = unique(append(dirs, condaDirs(prefix)...))
	}
	so, err := readLibrary(providerLibrary(library, ep.CUDA))
	if err != nil {
		return dirs
	}
	cuda := cudaVersionIn(so.needed)
	loader := newLoader(ctx, env, Library{LibraryDirs: dirs}, p)
	provider, _ := ep.Find(ep.CUDA)
	wanted := append(lazilyLoaded(provider, cuda, so.needed), so.needed...)
	if !slices.ContainsFunc(wanted, func(name string) bool { return wheelOf(name, cuda) != "" && loader.find(name, nil, nil) == "" }) {
		return dirs
	}
	for _, site := range activeSites(ctx, env) {
		if holdsFile(site, fmt.Sprintf("libcudart.so.%d", cuda)) || holdsFile(site, fmt.Sprintf("libcublas.so.%d", cuda)) {
			dirs = append(dirs, site...)
		}
	}
	return unique(dirs)
}

func holdsFile(dirs []string, name string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return isFile(filepath.Join(dir, name)) })
}

// siteOf returns the folder of Python packages that contains a library (SITE for
// SITE/onnxruntime/capi/libonnxruntime.so.1.30.0), or "" if it is not in one.
func siteOf(library string) string {
	capi := filepath.Dir(library)
	if filepath.Base(capi) != "capi" {
		return ""
	}
	return filepath.Dir(filepath.Dir(capi))
}

// siteDirs returns the folders of a site that contain NVIDIA's libraries. The packages for CUDA 12
// have one folder each (nvidia/cublas/lib), most packages for CUDA 13 share one (nvidia/cu13/lib),
// and TensorRT has its own.
func siteDirs(site string) []string {
	dirs := []string{}
	if site == "" {
		return dirs
	}
	for _, name := range fileNames(filepath.Join(site, "nvidia")) {
		dirs = append(dirs, filepath.Join(site, "nvidia", name, "lib"))
	}
	for _, name := range fileNames(site) {
		if strings.HasPrefix(name, "tensorrt") && strings.HasSuffix(name, "_libs") {
			dirs = append(dirs, filepath.Join(site, name))
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !holdsLibraries(dir) })
}

// condaPrefixOf returns the folder of the conda environment that contains a library, or "" if it is
// not in one.
func condaPrefixOf(library string) string {
	for dir := filepath.Dir(library); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "conda-meta")); err == nil && info.IsDir() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// condaDirs returns the folders of NVIDIA's libraries in a conda environment: those of conda
// packages, and those of wheels that are installed in its Python.
func condaDirs(prefix string) []string {
	dirs := []string{}
	for _, dir := range []string{"lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"} {
		if dir = filepath.Join(prefix, dir); holdsCUDA(dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, site := range prefixSites(prefix) {
		dirs = append(dirs, siteDirs(site)...)
	}
	return dirs
}

// activeSites returns the folders of NVIDIA's libraries that belong to the active Python and the
// active conda environment, one list for each folder of packages. It runs the interpreter only if
// neither VIRTUAL_ENV nor CONDA_PREFIX is set, or if --python names one.
func activeSites(ctx context.Context, env Env) [][]string {
	var sites [][]string
	if env.VirtualEnv == "" && env.CondaPrefix == "" || env.Python != "" {
		for _, site := range askSites(ctx, env) {
			sites = append(sites, siteDirs(site))
		}
		return sites
	}
	for _, site := range prefixSites(env.VirtualEnv) {
		sites = append(sites, siteDirs(site))
	}
	if env.CondaPrefix != "" {
		sites = append(sites, condaDirs(env.CondaPrefix))
	}
	return sites
}

// prefixSites returns the folders of packages in an installation prefix of Python.
func prefixSites(prefix string) []string {
	if prefix == "" {
		return nil
	}
	var sites []string
	for _, lib := range []string{"lib", "lib64"} {
		for _, name := range fileNames(filepath.Join(prefix, lib)) {
			if strings.HasPrefix(name, "python3") {
				sites = append(sites, filepath.Join(prefix, lib, name, "site-packages"))
			}
		}
	}
	return sites
}

// nvidiaLibrary matches the file names of libraries that the providers for NVIDIA's hardware load.
var nvidiaLibrary = whenUsed(`^lib(cudart|cublas|cublasLt|cudnn|cufft|curand|nvrtc|nvinfer)\.so(\.|$)`)

func holdsCUDA(dir string) bool {
	return slices.ContainsFunc(fileNames(dir), nvidiaLibrary().MatchString)
}

func holdsLibraries(dir string) bool {
	return slices.ContainsFunc(fileNames(dir), func(name string) bool {
		return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.")
	})
}

// cudaVersionIn returns the major version of CUDA that the names of libraries belong to, or 0 if no
// name shows it.
func cudaVersionIn(names []string) int {
	for _, name := range names {
		stem, version := splitSoname(name)
		if slices.Contains([]string{"libcudart", "libcublas", "libcublasLt"}, stem) {
			return majorOf(version)
		}
	}
	return 0
}

// readLibrary reads the dynamic section of the ELF library at path.
func readLibrary(path string) (*sharedObject, error) {
	if !isFile(path) { // checked before opening, because opening a pipe may block for ever
		return nil, os.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readELF(f, info.Size())
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// splitSoname splits "libcudart.so.13" into "libcudart" and "13".
func splitSoname(name string) (stem, version string) {
	stem, version, _ = strings.Cut(name, ".so")
	return stem, strings.TrimPrefix(version, ".")
}

// majorOf returns the first number of a version, or 0 if it has none.
func majorOf(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// unique removes repeated entries from a list.
func unique(list []string) []string {
	out := []string{}
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
