package command

import (
	"lathe/session/ort/sandbox"
)

// sandboxName is the flag that says whether workers are limited.
const sandboxName = "sandbox"

// sandboxFlag is the value of --sandbox.
type sandboxFlag sandbox.Mode

// String returns "" for the default, which the usage text states.
func (f *sandboxFlag) String() string {
	if *f == sandboxFlag(sandbox.On) {
		return ""
	}
	return sandbox.Mode(*f).String()
}

// Set implements pflag.Value.
func (f *sandboxFlag) Set(value string) error {
	mode, err := sandbox.Parse(value)
	*f = sandboxFlag(mode)
	return err
}

// Type implements pflag.Value.
func (*sandboxFlag) Type() string { return "TEXT" }

// noteSandbox prints a line about the sandbox to standard error. A workbench is not disturbed: it shows
// errors of models where they happen.
func (a *app) noteSandbox(line string) {
	if a.drawing.Load() {
		return
	}
	a.remark("note", line)
}
