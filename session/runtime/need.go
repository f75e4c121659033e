package runtime

// Need is what a step will most likely need of a runtime.
type Need int

// The needs, in ascending order. NeedWorker includes finding the library, as NeedVersion does.
const (
	NeedNothing Need = iota // nothing is prepared; workers start when they are needed
	NeedVersion             // the library is found, so that its version is known
	NeedWorker
)
