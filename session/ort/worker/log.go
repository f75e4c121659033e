//go:build cgo

package worker

// #include <stdlib.h>
// #include "log.h"
import "C"

import (
	"fmt"
	"unsafe"

	"lathe/session/ort/wire"
)

// Levels of the runtime's log, with the numbers of OrtLoggingLevel.
const (
	logVerbose = 0
	logInfo    = 1
	logWarning = 2
)

// takeLog returns the log messages with the given id that have arrived since the last call.
func takeLog(id string) []wire.LogLine {
	cID := C.CString(id)
	defer C.free(unsafe.Pointer(cID))
	first := C.log_take(cID)
	defer C.log_free(first)
	var lines []wire.LogLine
	for line := first; line != nil; line = line.next {
		lines = append(lines, wire.LogLine{
			Severity: int32(line.severity), Location: C.GoString(line.location), Message: C.GoString(line.message),
		})
	}
	if n := int(C.log_dropped()); n > 0 {
		lines = append(lines, wire.LogLine{Severity: logWarning, Message: fmt.Sprintf("%d further lines of the log were not kept", n)})
	}
	return lines
}
