//go:build cgo

package worker

// #include <stdlib.h>
// #include "log.h"
import "C"

import (
	"fmt"
	"os"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// oldest is the first release of ONNX Runtime that has the C API version that api.h describes and
// works with it.
const oldest = "1.24.1"

// library is the opened ONNX Runtime library. It stays loaded until the process ends.
type library struct {
	version   string
	env       *C.OrtEnv
	allocator *C.OrtAllocator  // the default allocator, for host memory
	host      *C.OrtMemoryInfo // host memory, as a place to bind outputs to
	compiled  []string         // the names of the providers that the library contains
}

func openLibrary(path string) (*library, error) {
	if err := silenceTelemetry(); err != nil {
		return nil, err
	}
	version, err := openTable(path)
	if err != nil {
		return nil, err
	}
	lib := &library{version: version}
	if err := lib.takeHandles(); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	binding.SetSharedLibraryPath(path)
	if err := binding.InitializeEnvironment(binding.WithLogLevelWarning()); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return lib, nil
}

// silenceTelemetry sets the environment variables that keep the library from sending data to its
// vendor. Since 1.30, builds for Linux do this by default: they store an identifier of the device
// on disk, queue events in the folder for temporary files, and send them. The library reads the
// variables when it is loaded. The second variable is an older name for the first.
func silenceTelemetry() error {
	for _, name := range []string{"ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED"} {
		if err := os.Setenv(name, "1"); err != nil {
			return fmt.Errorf("switching off the library's telemetry: %w", err)
		}
	}
	return nil
}

func openTable(path string) (version string, err error) {
	cPath, err := cString(path)
	if err != nil {
		return "", err
	}
	defer C.free(unsafe.Pointer(cPath))
	var text *C.char
	switch C.api_open(cPath, &text) {
	case C.API_FINE:
		return C.GoString(text), nil
	case C.API_TOO_OLD:
		return "", fmt.Errorf("%q is ONNX Runtime %s; %s is the oldest that works: `lathe runtime install` gets a newer one",
			path, C.GoString(text), oldest)
	case C.API_NOT_ORT:
		return "", fmt.Errorf("%q is not an ONNX Runtime library: it has no function OrtGetApiBase", path)
	default:
		return "", fmt.Errorf("%q: %s", path, C.GoString(text))
	}
}

// environmentID is the log id of messages that do not belong to a session. The log ids of sessions
// differ from it.
const environmentID = "lathe"

func (l *library) takeHandles() error {
	id := C.CString(environmentID)
	defer C.free(unsafe.Pointer(id))
	// A process can have only one ONNX Runtime environment, and its logger cannot be changed later.
	// So the environment is created here, with the worker's logger, and passed to the binding.
	logger := C.OrtLoggingFunction(C.log_message)
	if err := check(C.ort_CreateEnvWithCustomLogger(logger, nil, logWarning, id, &l.env)); err != nil {
		return err
	}
	if err := check(C.ort_GetAllocatorWithDefaultOptions(&l.allocator)); err != nil {
		return err
	}
	l.askNumbers()
	const deviceAllocator, defaultMemory = 0, 0 // OrtDeviceAllocator, OrtMemTypeDefault
	return check(C.ort_CreateCpuMemoryInfo(deviceAllocator, defaultMemory, &l.host))
}

// compiledProviders lists the execution providers that the library was built with, whether or not
// they work on this machine.
func (l *library) compiledProviders() ([]string, error) {
	var names **C.char
	var count C.int
	if err := check(C.ort_GetAvailableProviders(&names, &count)); err != nil {
		return nil, err
	}
	providers := make([]string, count)
	for i, name := range unsafe.Slice(names, count) {
		providers[i] = C.GoString(name)
	}
	return providers, check(C.ort_ReleaseAvailableProviders(names, count))
}

// free releases memory that the library allocated for the worker.
func (l *library) free(memory unsafe.Pointer) {
	// freeing memory of the default allocator always succeeds
	_ = check(C.ort_AllocatorFree(l.allocator, memory))
}
