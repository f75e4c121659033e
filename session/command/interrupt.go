package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"lathe/graphops/durable"
	"lathe/session/ort"
)

// How long a command may take to end after the first signal. A worker that is running a model gets
// some seconds to stop, and the workbench restores the terminal and writes its journal.
const (
	endTime      = 900 * time.Millisecond
	endTimeBusy  = 15 * time.Second
	endTimeDrawn = 15 * time.Second
)

// isDrawn is set while the workbench has the terminal.
var isDrawn atomic.Bool

// timeToEnd returns how long the program may take to end.
func timeToEnd() time.Duration {
	switch {
	case isDrawn.Load():
		return endTimeDrawn
	case ort.Busy() || len(os.Args) > 1 && os.Args[1] == workerName:
		return endTimeBusy
	}
	return endTime
}

// interruptible returns a context that ends with the first signal to terminate, so that a running
// command can clean up. The second signal ends the program at once, whatever it is waiting for, and
// so does time: a computation that does not look at the context is not waited for. No half-written
// file is left.
func interruptible() (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// Under nohup SIGHUP is ignored, because the program should outlive the terminal.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel()
		select {
		case <-signals:
		case <-time.After(timeToEnd()):
			fmt.Fprintln(os.Stderr, "lathe: interrupted")
		}
		durable.RemoveTemporaries()
		os.Exit(exitInterrupted)
	}()
	return ctx, cancel
}
