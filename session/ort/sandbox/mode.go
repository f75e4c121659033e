package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Mode says whether workers are limited. The zero value is On.
type Mode string

// The modes. On applies what the system offers. Require refuses to run if a part is missing.
const (
	On      Mode = ""
	Off     Mode = "off"
	Require Mode = "require"
)

// Modes are the values that Parse accepts.
func Modes() []string { return []string{"on", "off", "require"} }

// Parse reads a value of --sandbox.
func Parse(value string) (Mode, error) {
	if !slices.Contains(Modes(), value) {
		return On, fmt.Errorf("--sandbox %q: expected one of %s", value, strings.Join(Modes(), ", "))
	}
	return Mode(strings.TrimPrefix(value, "on")), nil
}

// String returns the mode as a value of --sandbox.
func (m Mode) String() string {
	if m == On {
		return "on"
	}
	return string(m)
}
