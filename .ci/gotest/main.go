// Command gotest runs go test and adds the ten slowest tests to its answer.
//
// Usage:
//
//	gotest [go test flags and packages]
//
// What a failing test printed comes as soon as it has failed; the lines that
// go test prints for each package come last, after the list of slow tests. The
// exit code is go test's own.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errOut io.Writer) int {
	code, err := test(args, out, errOut)
	if err != nil {
		fmt.Fprintln(errOut, "gotest:", err)
		return 1
	}
	return code
}

// test returns go test's exit code, or an error where there is none.
func test(args []string, out, errOut io.Writer) (int, error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = errOut
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	report := newReport(out)
	readErr := report.read(bufio.NewReader(events))
	err = cmd.Wait()
	report.summarize()

	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), readErr
	}
	return 0, errors.Join(readErr, err)
}
