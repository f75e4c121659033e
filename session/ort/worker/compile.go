//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

func (path fromPath) compiled(options *C.OrtModelCompilationOptions, _ *runtime.Pinner) error {
	cPath, err := cString(string(path))
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cPath))
	return check(C.ort_ModelCompilationOptions_SetInputModelPath(options, cPath))
}

func (model fromBytes) compiled(options *C.OrtModelCompilationOptions, pin *runtime.Pinner) error {
	data := model()
	if len(data) == 0 {
		return errNoBytes
	}
	pin.Pin(&data[0])
	return check(C.ort_ModelCompilationOptions_SetInputModelFromBuffer(options, unsafe.Pointer(&data[0]), C.size_t(len(data))))
}

// compile makes a provider compile the model, and writes the result.
func (l *loader) compile(ctx context.Context, options *sessionOptions, p wire.Provider) (*loaded, error) {
	if C.has_compile_api() == 0 {
		return nil, fmt.Errorf("ONNX Runtime %s has no functions to compile models: they need a full build of 1.22 or newer", l.lib.version)
	}
	var o *C.OrtModelCompilationOptions
	if err := check(C.ort_CreateModelCompilationOptionsFromSessionOptions(l.lib.env, options.handle(), &o)); err != nil {
		return nil, err
	}
	defer C.ort_ReleaseModelCompilationOptions(o)
	var pin runtime.Pinner
	defer pin.Unpin()
	if err := l.setCompilation(o, &pin); err != nil {
		return nil, err
	}
	stop := onCancel(ctx, func() { _ = check(C.ort_SessionOptionsSetLoadCancellationFlag(options.handle(), true)) })
	start := time.Now()
	err := check(C.ort_CompileModel(l.lib.env, o))
	took := time.Since(start)
	stop()
	if err != nil {
		return nil, err
	}
	said := slices.DeleteFunc(takeLog(l.logID), func(line wire.LogLine) bool { return line.Severity < logWarning })
	return &loaded{provider: p.Name, took: took, log: said}, nil
}

// setCompilation sets what is compiled, and where the result is written.
func (l *loader) setCompilation(o *C.OrtModelCompilationOptions, pin *runtime.Pinner) error {
	if err := l.source.compiled(o, pin); err != nil {
		return err
	}
	to := l.load.Compile
	path, err := cString(to.Path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(path))
	if err := check(C.ort_ModelCompilationOptions_SetOutputModelPath(o, path)); err != nil {
		return err
	}
	if to.Weights != "" {
		weights, err := cString(to.Weights)
		if err != nil {
			return err
		}
		defer C.free(unsafe.Pointer(weights))
		if err := check(C.ort_ModelCompilationOptions_SetOutputModelExternalInitializersFile(o, weights, graphops.DefaultMinExternal)); err != nil {
			return err
		}
	}
	return check(C.ort_ModelCompilationOptions_SetEpContextEmbedMode(o, C.bool(to.Embed)))
}
