package permit

import "strings"

// Deed is something that a step can do on this machine besides reading files and computing.
type Deed int

// The deeds. Code can be run by each of them but the first two and the last.
const (
	Write    Deed = iota // a file is written
	Replace              // an existing file is replaced
	Shell                // a shell runs a command
	Launch               // a program is started that runs models, such as ssh
	Python               // the Python of the user runs
	Library              // native code is loaded from a file
	Settings             // the runtime or a provider gets settings, which may name files and libraries
	Reach                // external data may be read from further folders
	deeds
)

// Deeds are all deeds in order.
func Deeds() []Deed {
	list := make([]Deed, deeds)
	for i := range list {
		list[i] = Deed(i)
	}
	return list
}

// String says what is done, as in "step 2 would …".
func (d Deed) String() string {
	return [deeds]string{
		"write a file outside of its folder", "replace a file", "run a shell command", "start a program",
		"run Python", "load a native library", "give settings to ONNX Runtime, which may name files and libraries", "read external data from another folder",
	}[d]
}

// refused is the error for a deed that the limits do not allow.
type refused struct {
	deed Deed
	path string
}

// Error implements error.
func (r refused) Error() string {
	var b strings.Builder
	if r.path != "" {
		b.WriteString(r.path + ": ")
	}
	return b.String() + "this recipe may not " + r.deed.String() + "; read the recipe, and if it may, pass --trust"
}
