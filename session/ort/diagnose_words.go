package ort

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// words are what a refusal's text says, as far as it is understood.
type words struct {
	notInBuild bool   // the build has no such provider
	known      string // the names of the providers that it was told to be one of, where it is none of them
	missing    string // name of a library that the loader did not find
	code       int    // of the CUDA runtime, 0 where none is named
	trouble    string // another trouble in words; empty if none is recognised
	remedy     string // for that
}

// Texts of ONNX Runtime, of glibc's loader and of the CUDA runtime.
var (
	textNotInBuild = whenUsed(`(?i)is not (enabled|supported|available) in this build|not compiled with|was not built with|unknown provider|is not supported on this platform`)
	textUnknown    = whenUsed(`^Unknown provider name `)
	textKnown      = whenUsed(`'(\w+)'/'\w+ExecutionProvider'`)
	textMissing    = whenUsed(`([^\s"':]+\.so[0-9.]*): cannot open shared object file: No such file`)
	textVersion    = whenUsed("([^\\s\"':]+): version [`']([^']+)' not found \\(required by ([^)]+)\\)")
	textSymbol     = whenUsed(`([^\s"':]+): undefined symbol: (\w+)`)
	textUnreadable = whenUsed(`([^\s"':]+): (invalid ELF header|file too short|wrong ELF class: \w+|failed to map segment from shared object[^"]*|cannot open shared object file: Permission denied)`)
	textCUDA       = whenUsed(`(CUDA|CUDNN|CUBLAS|CUFFT|CURAND) failure (\d+): ([^;]+)`)
)

// The CUDA runtime's numbers of failures (cudaError) that are about the machine.
const (
	cudaOutOfMemory  = 2
	cudaDriverTooOld = 35
	cudaStubLibrary  = 34
	cudaNotAvailable = 46
	cudaNoDevice     = 100
	cudaBadDevice    = 101
	cudaNoKernel     = 209
	cudaMismatch     = 803
	cudaUnknown      = 999
)

// cudaTroubles say what a failure is and what helps. Where the second is empty, the text of the
// driver's trouble gives it.
var cudaTroubles = map[int][2]string{
	cudaOutOfMemory:  {"the GPU has no memory left", "end what else uses it (nvidia-smi lists that)"},
	cudaStubLibrary:  {"the libcuda.so.1 that was loaded is the stub for compiling, not the driver's", "take the folder of stubs out of LD_LIBRARY_PATH"},
	cudaDriverTooOld: {"the NVIDIA driver is older than the CUDA that this build is for", "update the driver, or take the build for CUDA 12: " + InstallCommand + cudaFlag + " --version " + cuda12Version},
	cudaNotAvailable: {"the GPU is busy or kept for another process", "see with nvidia-smi who holds it, and whether its compute mode is exclusive"},
	cudaNoDevice:     {"the driver sees no GPU", "see whether CUDA_VISIBLE_DEVICES hides it and whether nvidia-smi lists it"},
	cudaBadDevice:    {"there is no GPU of that number", "take a smaller device_id: nvidia-smi lists the GPUs"},
	cudaNoKernel:     {"this build holds no code for a GPU of this generation", "take a newer build of ONNX Runtime for a newer GPU, an older one for an older GPU"},
	cudaMismatch:     {"the driver's library and the kernel's module are of different versions", "restart the machine, or load the module anew"},
	cudaUnknown:      {"the driver failed without saying why", "restart the machine, or load the modules nvidia and nvidia_uvm anew"},
}

// readWords understands a text, which may be long, of several lines, and hostile.
func readWords(said string) words {
	w := words{notInBuild: textNotInBuild().MatchString(said), known: knownProviders(said)}
	if m := textMissing().FindStringSubmatch(said); m != nil {
		w.missing = path.Base(m[1])
	}
	switch {
	case w.missing != "":
	case w.readVersion(said), w.readSymbol(said), w.readUnreadable(said), w.readCUDA(said):
	}
	return w
}

// knownProviders are the names in a text that says that a provider is none of them; the library
// tells those of the providers that are attached by name.
func knownProviders(said string) string {
	if !textUnknown().MatchString(said) {
		return ""
	}
	names := []string{"cpu", "cuda", "tensorrt"}
	for _, m := range textKnown().FindAllStringSubmatch(said, -1) {
		names = append(names, strings.ToLower(m[1]))
	}
	return strings.Join(unique(names), ", ")
}

func (w *words) readVersion(said string) bool {
	m := textVersion().FindStringSubmatch(said)
	if m == nil {
		return false
	}
	w.trouble = oneLine(fmt.Sprintf("%s is too old: it lacks %s, which %s needs", m[1], m[2], m[3]))
	w.remedy = "run it on a newer system, or with a newer library of that name first in LD_LIBRARY_PATH"
	return true
}

func (w *words) readSymbol(said string) bool {
	m := textSymbol().FindStringSubmatch(said)
	if m == nil {
		return false
	}
	w.trouble = oneLine(fmt.Sprintf("%s wants %s, which no library that it found has: they are of versions that do not fit", m[1], m[2]))
	w.remedy = "install the library and its provider from one package, and see LD_LIBRARY_PATH for others of their name"
	return true
}

func (w *words) readUnreadable(said string) bool {
	m := textUnreadable().FindStringSubmatch(said)
	if m == nil {
		return false
	}
	w.trouble = oneLine(fmt.Sprintf("%s cannot be loaded: %s", m[1], m[2]))
	switch {
	case strings.Contains(m[2], "Permission"):
		w.remedy = "make it readable"
	case strings.Contains(m[2], "map segment"):
		w.remedy = "see whether the file system it lies on is mounted noexec, and whether memory is left"
	default:
		w.remedy = "install it anew: the file is damaged or for another processor"
	}
	return true
}

func (w *words) readCUDA(said string) bool {
	m := textCUDA().FindStringSubmatch(said)
	if m == nil {
		return false
	}
	w.trouble = oneLine(m[0])
	code, err := strconv.Atoi(m[2])
	if known, ok := cudaTroubles[code]; ok && err == nil && m[1] == "CUDA" {
		w.code, w.remedy = code, known[1]
		w.trouble = known[0] + " (" + w.trouble + ")"
	}
	return true
}
