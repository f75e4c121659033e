package command

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/folders"
)

// Workbench is the terminal workbench. The main function passes it in: the workbench and the
// commands both build on the steps, and neither imports the other.
type Workbench interface {
	// AddFlags adds the flags of the workbench to those of lathe itself.
	AddFlags(flags *pflag.FlagSet)
	// Settings returns the report of lathe config. The error is about the settings file; the
	// report has the defaults then.
	Settings() (session.Report, error)
	// CanDraw reports whether the workbench can be shown on a terminal of this type, such as
	// "xterm". name is "" if the type is unknown or there is no terminal. The error is about a flag
	// that cannot be used, because it needs a terminal or does not fit the number of models.
	CanDraw(models int, isTerminal bool, name string) (bool, error)
	// Choose lets a person choose a model of the working folder, or an interrupted session. The
	// path is "" if the person left without a choice.
	Choose(ctx context.Context, c Choosing) (path string, err error)
	// ChooseMember lets a person choose a model of a folder. The path is "" if the person left
	// without a choice.
	ChooseMember(ctx context.Context, c ChoosingMember) (path string, err error)
	// Open opens the workbench and returns when the person leaves it. next is the file of the model
	// that the person wants to open instead, or "".
	Open(ctx context.Context, o Opening) (next string, err error)
	// TourModel returns the model of the tour, as ONNX.
	TourModel() []byte
}

// Choosing is what the list of models needs: how to open a model, and where to read keys and draw.
type Choosing struct {
	Open func(path string) (*graphops.Model, error)
	In   io.Reader
	Out  io.Writer
}

// ChoosingMember is what the list of a folder's models needs.
type ChoosingMember struct {
	Report *folders.Report
	// Selected is the path of the model that was left, or "".
	Selected string
	In       io.Reader
	Out      io.Writer
}

// Opening says what the workbench opens.
type Opening struct {
	// Path is the model's file as the person typed it.
	Path  string
	Model *graphops.Model
	// Beside is the file of a second model to compare with, or "".
	Beside string
	// Install installs an ONNX Runtime and reports what it installed.
	Install func(ctx context.Context, progress func(session.Progress)) (session.Report, error)
	// Tour plays the tour.
	Tour bool
	// Within is the folder from whose list of models the person opened this one, and to which they
	// come back; "" if there is no list.
	Within string
	Env    session.Env
	In     io.Reader
	Out    io.Writer
}
