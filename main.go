// Lathe is a terminal workbench for ONNX models.
package main

import (
	"os"

	"lathe/session/command"
	"lathe/tui/launch"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

func main() { os.Exit(program().Main()) }

// program is lathe with its workbench.
func program() command.Program {
	return command.Program{
		Version:      version,
		NewWorkbench: func() command.Workbench { return &launch.Workbench{} },
	}
}
