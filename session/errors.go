package session

// UsageError is a mistake in how a command is written. Nothing was tried.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// ErrStdoutInRecipe is the error of a step in a recipe that has "-" as its output.
const ErrStdoutInRecipe = UsageError("-: only a command outside of a recipe writes to standard output, expected the name of a file")

// NoError makes a step that has no report answer "no".
type NoError struct{ Err error }

func (e *NoError) Error() string { return e.Err.Error() }

func (e *NoError) Unwrap() error { return e.Err }

// KeptError is the error of a measurement that ended early. Its first part is stored.
type KeptError struct {
	Err  error
	File string // has the stored part
}

func (e *KeptError) Error() string { return e.Err.Error() + "; " + e.Where() }

func (e *KeptError) Unwrap() error { return e.Err }

// Where says which file has the stored part.
func (e *KeptError) Where() string { return "what was measured before is stored in " + e.File }
