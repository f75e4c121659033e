package launch

import (
	"os"
	"testing"

	"lathe/session/command"
	"lathe/session/command/commandtest"
)

func TestMain(m *testing.M) {
	program := command.Program{Version: "test", NewWorkbench: func() command.Workbench { return &Workbench{} }}
	commandtest.Main(m, "../..", func() { os.Exit(program.Main()) }, nil)
}
