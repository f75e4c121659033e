package session

// UsageError says that a command was put together wrongly; nothing was tried.
type UsageError string

func (e UsageError) Error() string { return string(e) }
