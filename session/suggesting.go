package session

// Suggesting is the report of a step that failed, if Lathe knows options with which it may
// succeed.
type Suggesting interface {
	Report
	// Retry returns options of the same step to try it with. It is empty if there is no
	// suggestion. What only the user knows is a placeholder in capitals.
	Retry() []Setting
	// Wrong returns why the step failed, in one line, and what may help. text is "" if the
	// step did not fail.
	Wrong() (text, remedy string)
}
