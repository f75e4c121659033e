package ort

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The provider libraries for NVIDIA's hardware find CUDA, cuDNN and TensorRT by the loader's path
// alone, and the wheels and conda packages of those put them where the loader does not look. A
// folder that holds such files is a site here: a folder of Python packages, or conda's prefix.

// nvidiaDirs are the folders that a library with a CUDA provider needs on the loader's path: those
// of the packages installed beside it and, where something is missing then, those of the active
// Python. They must be for the CUDA that the provider is built for: cuDNN 9 for CUDA 12 and for
// CUDA 13 bear one name, so packages for another CUDA may shadow a system's right ones.
func nvidiaDirs(ctx context.Context, env Env, library string, p platform) []string {
	dirs := siteDirs(siteOf(library))
	if prefix := condaPrefixOf(library); prefix != "" {
		dirs = unique(append(dirs, condaDirs(prefix)...))
	}
	so, err := readLibrary(providerLibrary(library, "cuda"))
	if err != nil {
		return dirs
	}
	cuda := cudaVersionIn(so.needed)
	loader := newLoader(ctx, env, Library{LibraryDirs: dirs}, p)
	wanted := append(lazilyLoaded("cuda", cuda, so.needed), so.needed...)
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

// siteOf is the folder of packages that a library lies in as one of them
// (SITE/onnxruntime/capi/libonnxruntime.so.1.30.0), or empty.
func siteOf(library string) string {
	capi := filepath.Dir(library)
	if filepath.Base(capi) != "capi" {
		return ""
	}
	return filepath.Dir(filepath.Dir(capi))
}

// siteDirs are the folders of libraries in a site: of CUDA 12 one for every package
// (nvidia/cublas/lib), of CUDA 13 one for most (nvidia/cu13/lib), and TensorRT's.
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

// condaPrefixOf is the conda environment around a library, or empty.
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

// condaDirs are the folders of a conda environment where its packages of CUDA put their libraries,
// and those of the wheels in its Python.
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

// activeSites are the folders of libraries that the active Python and conda environment hold, a
// list for each. The interpreter itself is asked only where neither is set.
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

// prefixSites are the folders of packages in an installation prefix of Python.
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

// nvidiaLibrary matches the file names of what provider libraries for NVIDIA's hardware load.
var nvidiaLibrary = whenUsed(`^lib(cudart|cublas|cublasLt|cudnn|cufft|curand|nvrtc|nvinfer)\.so(\.|$)`)

func holdsCUDA(dir string) bool {
	return slices.ContainsFunc(fileNames(dir), nvidiaLibrary().MatchString)
}

func holdsLibraries(dir string) bool {
	return slices.ContainsFunc(fileNames(dir), func(name string) bool {
		return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.")
	})
}

// cudaVersionIn is the major version of the CUDA that names of libraries are of, 0 where none
// tells.
func cudaVersionIn(names []string) int {
	for _, name := range names {
		stem, version := splitSoname(name)
		if slices.Contains([]string{"libcudart", "libcublas", "libcublasLt"}, stem) {
			return majorOf(version)
		}
	}
	return 0
}

// readLibrary reads the dynamic section of a file.
func readLibrary(path string) (*sharedObject, error) {
	if !isFile(path) { // before it is opened: opening a pipe may wait for ever
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

// splitSoname takes "libcudart.so.13" apart into "libcudart" and "13".
func splitSoname(name string) (stem, version string) {
	stem, version, _ = strings.Cut(name, ".so")
	return stem, strings.TrimPrefix(version, ".")
}

// majorOf is the first number of a version, 0 without one.
func majorOf(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// unique drops what is in a list a second time.
func unique(list []string) []string {
	out := []string{}
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
