package ort

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"lathe/session/ort/ep"
)

// words are the facts that readWords found in the text with which the runtime refused a provider.
type words struct {
	notInBuild bool // the build does not have the provider
	// the provider names that the library accepts, if the text says that the requested name is
	// unknown
	known   string
	missing string // name of a library that the loader did not find
	code    int    // error code of the CUDA runtime; 0 if the text names none
	trouble string // description of another fault; empty if none is recognised
	remedy  string // fix for trouble
}

// Expressions for the messages of ONNX Runtime, of glibc's loader and of the CUDA runtime.
var (
	textNotInBuild = whenUsed(`(?i)is not (enabled|supported|available) in this build|not compiled with|was not built with|unknown provider name|is not supported on this platform`)
	textUnknown    = whenUsed(`^Unknown provider name `)
	textKnown      = whenUsed(`'(\w+)'/'\w+ExecutionProvider'`)
	textMissing    = whenUsed(`([^\s"':]+\.so[0-9.]*): cannot open shared object file: No such file`)
	textVersion    = whenUsed("([^\\s\"':]+): version [`']([^']+)' not found \\(required by ([^)]+)\\)")
	textSymbol     = whenUsed(`([^\s"':]+): undefined symbol: (\w+)`)
	textUnreadable = whenUsed(`([^\s"':]+): (invalid ELF header|file too short|wrong ELF class: \w+|failed to map segment from shared object[^"]*|cannot open shared object file: Permission denied)`)
	textNoAdapter  = whenUsed(`Failed to get a WebGPU adapter: ([^\n\\]*)`)
	textNoDevice   = whenUsed(`offers no device on this machine`)
	textNoBackend  = whenUsed(`Could not determine default backend path`)
	textCUDA       = whenUsed(`(CUDA|CUDNN|CUBLAS|CUFFT|CURAND) failure (\d+): ([^;]+)`)
)

// Error codes of the CUDA runtime (cudaError) whose cause is the machine, and not the model or the
// library.
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

// cudaTroubles maps an error code of the CUDA runtime to its meaning and its fix.
var cudaTroubles = map[int][2]string{
	cudaOutOfMemory:  {"the GPU has no memory left", "end other programs that use it (nvidia-smi lists them)"},
	cudaStubLibrary:  {"the libcuda.so.1 that was loaded is the stub for building programs, not the driver's", "remove the folder of stubs from LD_LIBRARY_PATH"},
	cudaDriverTooOld: {"the NVIDIA driver is older than the CUDA that this build is for", "update the driver, or install the build for CUDA 12: " + InstallCommand + cudaFlag + " --version " + cuda12Version},
	cudaNotAvailable: {"the GPU is busy or reserved for another process", "check with nvidia-smi which process uses it, and whether its compute mode is exclusive"},
	cudaNoDevice:     {"the driver sees no GPU", "check whether CUDA_VISIBLE_DEVICES hides it and whether nvidia-smi lists it"},
	cudaBadDevice:    {"there is no GPU with that number", "use a smaller device_id: nvidia-smi lists the GPUs"},
	cudaNoKernel:     {"this build has no code for a GPU of this generation", "use a newer build of ONNX Runtime for a newer GPU, an older build for an older GPU"},
	cudaMismatch:     {"the driver's library and the kernel module have different versions", "restart the machine, or reload the kernel module"},
	cudaUnknown:      {"the driver failed without saying why", "restart the machine, or reload the kernel modules nvidia and nvidia_uvm"},
}

// readWords searches a text for known messages. The text may be long, have several lines, and
// contain anything.
func readWords(said string) words {
	w := words{notInBuild: textNotInBuild().MatchString(said), known: knownProviders(said)}
	if m := textMissing().FindStringSubmatch(said); m != nil {
		w.missing = path.Base(m[1])
	}
	switch {
	case w.missing != "":
	case w.readVersion(said), w.readSymbol(said), w.readUnreadable(said), w.readCUDA(said), w.readPlugin(said):
	}
	return w
}

// knownProviders returns the names of the providers that the library accepts, from a message that
// says that a provider is unknown. The message lists only the providers that are attached by name,
// so knownProviders adds the others.
func knownProviders(said string) string {
	if !textUnknown().MatchString(said) {
		return ""
	}
	names := ep.Names(func(p ep.Provider) bool { return p.Attached == "" })
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
	w.trouble = oneLine(fmt.Sprintf("%s needs the symbol %s, which none of the libraries that were found has: their versions do not match", m[1], m[2]))
	w.remedy = "install the library and its provider from one package, and check LD_LIBRARY_PATH for other copies"
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
		w.remedy = "check whether its file system is mounted noexec, and whether there is free memory"
	default:
		w.remedy = "reinstall it: the file is damaged or for another processor"
	}
	return true
}

const noDeviceRemedy = "run it on a machine with a device that the provider supports"

// softwareRemedy follows noDeviceRemedy for WebGPU.
const softwareRemedy = "; to allow WebGPU a Vulkan device in software, set ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1"

// readPlugin recognizes why a plug-in works on no device of the machine.
func (w *words) readPlugin(said string) bool {
	m := textNoAdapter().FindStringSubmatch(said)
	switch {
	case m != nil:
		w.trouble = "WebGPU finds no graphics adapter: " + oneLine(strings.TrimSpace(m[1]))
		w.remedy = "install the Vulkan driver of the GPU and Vulkan's loader (on Debian libvulkan1); vulkaninfo lists the adapters"
	case textNoDevice().MatchString(said):
		w.trouble = oneLine(said)
		w.remedy = noDeviceRemedy
	case textNoBackend().MatchString(said):
		w.trouble = "QNN has no default backend for this device"
		w.remedy = "choose a backend: --ep-option qnn.backend_type=htp, cpu or gpu"
	default:
		return false
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
