package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"lathe/graphops"
)

// interruptible is a context that ends with the first signal to end, so that
// what runs stops cleanly. The next signal ends the program on the spot, whatever
// it is waiting for, and leaves no half-written file.
func interruptible() (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// Whoever starts a program with nohup wants it to outlive the terminal.
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel()
		<-signals
		graphops.RemoveTemporaries()
		os.Exit(exitInterrupted)
	}()
	return ctx, cancel
}
