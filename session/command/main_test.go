package command

import (
	"context"
	"io"
	"os"
	"testing"

	"lathe/session/command/commandtest"
)

// tested is the program without a workbench, which this package cannot import.
var tested = Program{Version: "test"}

func TestMain(m *testing.M) {
	commandtest.Main(m, "../..", func() { os.Exit(tested.Main()) }, map[string]func(){"throttle": throttle, "standin": standin})
}

// run runs a command within this process and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	return tested.Run(ctx, args, in, out, errOut)
}
