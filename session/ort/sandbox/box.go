package sandbox

import (
	"sync"

	"lathe/session/ort/wire"
)

// Box is the sandbox of this process.
type Box struct {
	// Missing names the parts that the system does not offer; it is empty if the sandbox is whole or
	// was switched off.
	Missing []string
	off     bool
	self    int // descriptor of /proc/self, which keeps the rule for it valid

	mu      sync.Mutex
	allowed *wire.Allow // nil until a model was loaded
}

// NotCoveredError says that a process is limited to an earlier model and cannot load another one.
type NotCoveredError struct{}

func (NotCoveredError) Error() string {
	return "the sandbox of this worker was made for another model"
}
