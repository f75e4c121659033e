//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"

	"lathe/session/ort/wire"
)

// statusError is what ONNX Runtime answered in place of a result.
type statusError struct {
	code    int32 // OrtErrorCode
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("%s (code %d)", e.message, e.code) }

// check turns a status into an error and releases it.
func check(status *C.OrtStatus) error {
	if status == nil {
		return nil
	}
	defer C.ort_ReleaseStatus(status)
	return &statusError{
		code:    int32(C.ort_GetErrorCode(status)),
		message: C.GoString(C.ort_GetErrorMessage(status)),
	}
}

// wireError is err as the client receives it: the runtime's text by itself, for
// it is parsed at the other end, and beside it what was wrapped around it.
func wireError(err error) *wire.Error {
	var refused *refusedError
	if errors.As(err, &refused) {
		return &wire.Error{Message: err.Error(), Refused: refused.refusals}
	}
	var status *statusError
	if errors.As(err, &status) {
		context, _ := strings.CutSuffix(err.Error(), status.Error())
		return &wire.Error{Code: status.code, Message: status.message, Context: strings.TrimSuffix(context, ": ")}
	}
	return &wire.Error{Message: err.Error()}
}
