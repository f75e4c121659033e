package apply

// WriteTransposed is for tests.
var WriteTransposed = writeTransposed
