package session

import (
	"errors"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/session/runtime"
)

// UsageError is a mistake in how a command is written. Nothing was tried.
type UsageError = runtime.UsageError

// IsUsage reports whether an error is a mistake in how a command is written.
func IsUsage(err error) bool {
	var usage UsageError
	return errors.As(err, &usage)
}

// ErrStdoutInRecipe is the error of a step in a recipe that has "-" as its output.
const ErrStdoutInRecipe = UsageError("-: only a command outside of a recipe can write to standard output; give the name of a file")

// NoError is an error that is the answer "no" to what the step was asked, for example because a
// proof failed. A command then ends with the exit status of "no" and not with that of an error.
type NoError struct{ Err error }

func (e *NoError) Error() string { return e.Err.Error() }

func (e *NoError) Unwrap() error { return e.Err }

// KeptError is the error of a measurement that ended early. What was measured until then is stored
// in a file.
type KeptError struct {
	Err  error
	File string // the file with what was measured
}

func (e *KeptError) Error() string { return e.Err.Error() + "; " + e.Where() }

func (e *KeptError) Unwrap() error { return e.Err }

// Where returns a sentence that names the file with what was measured.
func (e *KeptError) Where() string { return "what was measured before is stored in " + e.File }

// InModel adds the path of a model to an error about its content. It leaves mistakes of the command
// line unchanged.
func InModel(m *graphops.Model, err error) error {
	var usage UsageError
	if err == nil || m.Path() == "" || errors.As(err, &usage) {
		return err
	}
	var named *modelError
	if errors.As(err, &named) && named.path == m.Path() || strings.Contains(err.Error(), strconv.Quote(m.Path())) {
		return err
	}
	return &modelError{m.Path(), err}
}

// modelError names the model of an error. Callers on the way up find it, so that none names it again.
type modelError struct {
	path string
	err  error
}

func (e *modelError) Error() string { return e.path + ": " + e.err.Error() }
func (e *modelError) Unwrap() error { return e.err }
