package command

import "errors"

// closedStdout is the standard output of a process that was started without one, as with >&- in a
// shell. Go opens /dev/null in its place, so that a result would be lost in silence.
type closedStdout struct{}

// Write implements io.Writer.
func (closedStdout) Write([]byte) (int, error) {
	return 0, errors.New("is closed; redirect it to a file or to /dev/null")
}
