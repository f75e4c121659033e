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

// statusError is an error that ONNX Runtime returned.
type statusError struct {
	code    int32 // OrtErrorCode
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("%s (code %d)", e.message, e.code) }

// check releases a status of ONNX Runtime and returns its error. A nil status means success.
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

// wireError converts err to the form that is sent to the client. The runtime's text and the text
// that was wrapped around it are separate fields, because the client parses the runtime's text.
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
