package session

// UsageError says that a command was put together wrongly; nothing was tried.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// ErrStdoutInRecipe refuses "-" as the output of a step that is not a command by itself.
const ErrStdoutInRecipe = UsageError("-: only a command outside of a recipe writes to standard output, expected the name of a file")

// NoError is the answer "no" of a step that has nothing else to report.
type NoError struct{ Err error }

func (e *NoError) Error() string { return e.Err.Error() }

func (e *NoError) Unwrap() error { return e.Err }

// KeptError ends a measurement of which a part is kept.
type KeptError struct {
	Err  error
	File string // that the part is in
}

func (e *KeptError) Error() string { return e.Err.Error() + "; " + e.Where() }

func (e *KeptError) Unwrap() error { return e.Err }

// Where says what is kept, and in which file.
func (e *KeptError) Where() string { return "what was measured before is stored in " + e.File }
