package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"lathe/graphops/durable"
)

// interruptible returns a context that ends with the first signal to terminate, so that a running
// command can clean up. The second signal ends the program at once, whatever it is waiting for, and
// still leaves no half-written file.
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
		<-signals
		durable.RemoveTemporaries()
		os.Exit(exitInterrupted)
	}()
	return ctx, cancel
}
