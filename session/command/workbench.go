package command

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"lathe/graphops"
	"lathe/session"
)

// Workbench is the program's screen. The main function passes it in, because the workbench and
// the commands stand on the same steps and neither imports the other.
type Workbench interface {
	// AddFlags adds the flags of the workbench to those of lathe itself.
	AddFlags(flags *pflag.FlagSet)
	// Settings returns the report of lathe config. The error is about the settings file; the
	// report has the defaults then.
	Settings() (session.Report, error)
	// CanDraw reports whether the terminal of a name, such as "xterm", can be drawn on. The name
	// is "" if the terminal has none or if there is no terminal. The error is about a flag that
	// does not go together with so many models, or that needs a terminal.
	CanDraw(models int, isTerminal bool, name string) (bool, error)
	// Choose lets a person choose a model of the working folder, or an interrupted session. The path
	// is "" if they left.
	Choose(ctx context.Context, c Choosing) (path string, err error)
	// Open opens the workbench and returns when the person leaves it.
	Open(ctx context.Context, o Opening) error
}

// Choosing is what the list of models reads from and writes to.
type Choosing struct {
	Open func(path string) (*graphops.Model, error)
	In   io.Reader
	Out  io.Writer
}

// Opening is what the workbench opens with.
type Opening struct {
	// Path is the model's file as the person named it.
	Path  string
	Model *graphops.Model
	// Beside is the file of a second model to compare with, or "".
	Beside string
	Env    session.Env
	In     io.Reader
	Out    io.Writer
}
