package runtime

// UsageError is a mistake in how a command is written. Nothing was tried.
type UsageError string

func (e UsageError) Error() string { return string(e) }
