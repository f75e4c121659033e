//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"unsafe"

	"lathe/session/ort/wire"
)

func (o *sessionOptions) handle() *C.OrtSessionOptions { return optionsHandle(o.SessionOptions) }

// setSwitches sets the options that are either on or off, and the log.
func (o *sessionOptions) setSwitches(wanted *wire.Options, logID string) error {
	for _, option := range []struct {
		on  bool
		set func() error
	}{
		{wanted.NoArena, func() error { return check(C.ort_DisableCpuMemArena(o.handle())) }},
		{wanted.NoMemoryPattern, func() error { return check(C.ort_DisableMemPattern(o.handle())) }},
		{wanted.Deterministic, func() error { return check(C.ort_SetDeterministicCompute(o.handle(), true)) }},
		{wanted.Placement, func() error { return setConfig(o.SessionOptions, placementKey, "1") }},
		{wanted.Profile, o.enableProfile},
		{true, func() error { return o.setLog(logID, wanted.Placement || wanted.Dump) }},
	} {
		if option.on {
			if err := option.set(); err != nil {
				return err
			}
		}
	}
	return nil
}

// setLog sets the log id of the session's messages. If telling is set, the runtime also logs
// messages at level info, which say why a node was placed on a provider and which optimizations
// changed the graph.
func (o *sessionOptions) setLog(id string, telling bool) error {
	cID := C.CString(id)
	defer C.free(unsafe.Pointer(cID))
	if err := check(C.ort_SetSessionLogId(o.handle(), cID)); err != nil {
		return err
	}
	severity := logWarning
	if telling {
		severity = logInfo
	}
	return o.setSeverity(severity)
}

// setSeverity sets the lowest level of the messages that the runtime logs. At level verbose, they
// name the provider of each node that the session runs.
func (o *sessionOptions) setSeverity(level int) error {
	return check(C.ort_SetSessionLogSeverityLevel(o.handle(), C.int(level)))
}

func (o *sessionOptions) enableProfile() (err error) {
	if o.profile, err = o.kept.folder(); err != nil {
		return err
	}
	prefix, err := cString(profilePrefix(o.profile))
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(prefix))
	return check(C.ort_EnableProfiling(o.handle(), prefix))
}

func (o *sessionOptions) setFreeDim(symbol string, size int64) error {
	name, err := cString(symbol)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(name))
	return check(C.ort_AddFreeDimensionOverrideByName(o.handle(), name, C.int64_t(size)))
}

// addCustomOps loads a library with custom operators. The library stays loaded until the process
// ends.
func (o *sessionOptions) addCustomOps(path string) error {
	cPath, err := cString(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cPath))
	return check(C.ort_RegisterCustomOpsLibrary_V2(o.handle(), cPath))
}
