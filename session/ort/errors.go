package ort

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// WorkerPhase says what a worker was doing when an error occurred.
type WorkerPhase string

// The phases of a worker's life.
const (
	Starting  WorkerPhase = "starting"
	Idle      WorkerPhase = "waiting for requests"
	Loading   WorkerPhase = "loading"
	Compiling WorkerPhase = "compiling"
	Running   WorkerPhase = "running"
)

// ErrGone is in the chain of every error of a Client whose worker has ended. To continue, the
// caller has to start a new worker.
var ErrGone = errors.New("the worker is gone")

// ErrClosed is in the chain of every error of a Client after Close, and of
// requests that Close cut short.
var ErrClosed = errors.New("the worker was closed")

// TimeoutError says that a request took longer than its limit.
type TimeoutError struct{ Limit time.Duration }

// Error returns one line.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("not done within %v, the limit that --timeout sets", e.Limit)
}

// Code is ONNX Runtime's OrtErrorCode.
type Code int32

// CodeNone marks an error of the worker itself, not of the runtime.
const CodeNone Code = 0

var codeNames = []string{
	"", "FAIL", "INVALID_ARGUMENT", "NO_SUCHFILE", "NO_MODEL", "ENGINE_ERROR", "RUNTIME_EXCEPTION",
	"INVALID_PROTOBUF", "MODEL_LOADED", "NOT_IMPLEMENTED", "INVALID_GRAPH", "EP_FAIL",
	"MODEL_LOAD_CANCELED", "MODEL_REQUIRES_COMPILATION", "NOT_FOUND",
}

// String is the name that ONNX Runtime gives the code, empty for CodeNone.
func (c Code) String() string {
	if c >= 0 && int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("CODE_%d", int32(c))
}

// Error is an error that the runtime, or the worker itself, reported for a request. The worker is
// still running.
type Error struct {
	Phase WorkerPhase
	Model string // the model that was loaded or run; empty while starting
	Code  Code
	// Context says which part of the request failed, such as `input "x"`. It may be empty.
	Context string
	// Message is the runtime's complete text. It may have several lines.
	Message string
	// Remark is an explanation that Lathe adds to the message. It may be empty.
	Remark string
}

// Error is one line, safe to print.
func (e *Error) Error() string {
	message := e.Said(e.text())
	if e.Context != "" {
		message = oneLine(e.Context) + ": " + message
	}
	if e.Remark != "" {
		message += "; " + e.Remark
	}
	return e.While() + ": " + message
}

// wantsMemory reports whether a message of the runtime says that memory could not be allocated.
func wantsMemory(message string) bool {
	for _, sign := range []string{"bad_alloc", "Failed to allocate memory", "Cannot allocate memory", "bad allocation", "is smaller than requested bytes of", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"} {
		if strings.Contains(message, sign) {
			return true
		}
	}
	return false
}

// IsAboutMemory reports whether an error says that memory could not be allocated, or that the system has
// killed the worker, as it does if memory runs out.
func IsAboutMemory(err error) bool {
	var crash *CrashError
	if errors.As(err, &crash) {
		return crash.Signal == syscall.SIGKILL
	}
	return err != nil && wantsMemory(err.Error())
}

// While describes what the worker was doing when the error occurred: `loading "m.onnx"`.
func (e *Error) While() string { return while(e.Phase, e.Model) }

// AboutOptions reports whether the error is about a session option and not about the model.
func (e *Error) AboutOptions() bool { return strings.HasPrefix(e.Context, "session options") }

// Said returns a text followed by the name of the error code, on one line. text is the message or a
// part of it.
func (e *Error) Said(text string) string {
	text = oneLine(text)
	if name := e.Code.String(); name != "" {
		text += " (" + name + ")"
	}
	return text
}

// RefusedSizes returns the text of the error to package sizing, which searches it for the sizes
// that the model does not accept. The second result is false if the error is not from a run.
func (e *Error) RefusedSizes() (words string, ok bool) {
	return e.Said(e.Message), e.Phase == Running
}

// text returns the message without the prefix in which the runtime repeats the model's path.
func (e *Error) text() string {
	for _, path := range []string{e.Model, ""} {
		if rest, ok := strings.CutPrefix(e.Message, "Load model from "+path+" failed:"); ok {
			return rest
		}
	}
	return e.Message
}

// while describes what a worker was doing, for error messages: `loading "m.onnx"`.
func while(phase WorkerPhase, model string) string {
	switch {
	case phase == Starting:
		return "starting the worker"
	case model == "":
		return string(phase)
	}
	return fmt.Sprintf("%s %q", phase, model)
}

// Refusal is an execution provider that could not be attached, and why.
type Refusal struct {
	Provider string `json:"provider"`
	Reason   string `json:"reason"` // the runtime's complete text
	// Plugin is the path of the library that has the provider. It is empty if ONNX Runtime has the
	// provider, or nothing has it.
	Plugin string `json:"plugin,omitempty"`
	// Diagnosis explains the refusal; nil if DiagnoseProvider was not called.
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"`
}

// String returns the diagnosis if there is one, otherwise the runtime's text, on one line.
func (r Refusal) String() string {
	if r.Diagnosis != nil {
		return r.Diagnosis.String()
	}
	return oneLine(r.Reason)
}

// ProviderError says that none of the requested execution providers could be attached.
type ProviderError struct {
	Model   string
	Refused []Refusal // in the order of the chain, never empty
}

// Error is one line, safe to print.
func (e *ProviderError) Error() string {
	reasons := make([]string, len(e.Refused))
	for i, r := range e.Refused {
		reasons[i] = fmt.Sprintf("execution provider %q did not attach: %s", r.Provider, r)
	}
	return while(Loading, e.Model) + ": " + strings.Join(reasons, "; ")
}
