//go:build cgo && linux

package worker_test

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"lathe/session/ort/workertest"
)

// A worker that is busy inside the runtime ends when its parent is killed.
func TestNoOrphan(t *testing.T) {
	o := workertest.Options(t)
	model := t.TempDir() + "/loop.onnx"
	if err := os.WriteFile(model, loop(t), 0o600); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(o.Command[0], o.Library)
	parent.Env = append(os.Environ(), asParent+"="+model)
	parent.Stderr = os.Stderr
	output, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	waitBusy(t, pid)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	poll(t, "the worker to end", func() bool { return !alive(pid) })
}

// Closing ends the process, and leaves no goroutine; TestMain counts those.
func TestCloseWhileBusy(t *testing.T) {
	client := start(t)
	session := load(t, client, loop(t))
	done := runEndless(t.Context(), session)
	pid := client.Info().PID
	waitBusy(t, pid)
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	checkText(t, <-done, "the worker was closed")
	if alive(pid) {
		t.Error("the worker is still there")
	}
}
