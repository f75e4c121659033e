// Command compare times Lathe beside other tools that do the same job, and writes the result into
// docs/performance.md.
//
//	make compare
//	make compare ARGS='-only quantize -runs 1'
//
// Whole processes are timed, in turns, and a result that is wrong stands in the table as that. The
// tables of a part (-only, -runs), or of a run that is interrupted, go to standard output, and the
// document stays as it is.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

func main() {
	var o options
	flag.StringVar(&o.lathe, "lathe", "bin/lathe", "the program to compare")
	flag.StringVar(&o.python, "python", "", "the Python of an environment with what .ci/compare.txt lists")
	flag.StringVar(&o.cache, "cache", "", "a folder for models and results")
	flag.StringVar(&o.only, "only", "", "measure only rows whose task and model match this regular expression")
	flag.IntVar(&o.runs, "runs", 0, "measure at most this many runs of each tool (default 5, or 21 of short ones)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

type options struct {
	lathe, python, cache, only string
	runs                       int
}

// isWhole reports whether every row is measured as often as it should be.
func (o options) isWhole() bool { return o.only == "" && o.runs == 0 }

func run(ctx context.Context, o options, out io.Writer) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	b, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	before := machine()
	var all results
	for _, j := range jobs {
		for _, r := range j.rows() {
			if ctx.Err() == nil && only.MatchString(r.name()) {
				all = append(all, b.measure(ctx, r)...)
			}
		}
	}
	cold, err := b.measureCold(ctx, only)
	if err != nil {
		return err
	}
	text := page(before, b.versions, all, cold)
	if o.isWhole() && ctx.Err() == nil {
		return writeDocument(text)
	}
	fmt.Fprintln(out, text)
	return ctx.Err()
}
