package session

// Suggesting is the report of a step that came to nothing, where it is known how the step may
// come to something.
type Suggesting interface {
	Report
	// Retry are options of the same step to take it with; none where nothing is suggested.
	// What only the user knows is written as a placeholder in capitals.
	Retry() []Setting
	// Wrong is what the step came to nothing for, in a line, and what may help; "" where it did
	// not come to nothing.
	Wrong() (text, remedy string)
}
