package folder

import "fmt"

// Severity is how bad a problem is.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Problem is a contradiction between models, or between the configuration and the files.
type Problem struct {
	Severity Severity
	Member   *Member // nil if it is about the folder
	Text     string  // names in it are quoted
}

func (f *Folder) problem(s Severity, format string, a ...any) {
	f.Problems = append(f.Problems, Problem{Severity: s, Text: fmt.Sprintf(format, a...)})
}

func (f *Folder) problemOf(m *Member, s Severity, format string, a ...any) {
	f.Problems = append(f.Problems, Problem{s, m, fmt.Sprintf(format, a...)})
}
