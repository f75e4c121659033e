package session

// Suggesting is the report of a step that may have failed. It can suggest options with which the
// step may succeed.
type Suggesting interface {
	Report
	// Retry returns the options with which to try the same step again. It is empty if there is no
	// suggestion. If only the user knows a value, there is a placeholder in capitals instead, such
	// as FILE.
	Retry() []Setting
	// Wrong returns in one line why the step failed, and what may help. text is "" if the step did
	// not fail.
	Wrong() (text, remedy string)
}
