package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A coldRow is a command on a model whose files are not in the page cache, beside what reads its files,
// what writes its result, and both of these at the same time.
type coldRow struct {
	row
	lathe, cat, dd, both samples
	verdict              string
}

func (c coldRow) name() string { return fmt.Sprintf("`%s` of %s", c.tools[0].name, c.model.name) }

// share is the speed of Lathe, as a part of that of the slower one of reading and writing.
func (c coldRow) share() float64 {
	return max(c.cat.median(), c.dd.median()) / c.lathe.median()
}

var coldModels = []string{"large", "external"}

// coldJobs write a large part of a large model. The export stores the weights in a file beside the model.
var coldJobs = []job{
	{name: "cold prune", on: coldModels, judge: computed{"models", "out", exact}, tools: []tool{{"prune", "{lathe} prune {model} --output h60 -o {out}"}}},
	{name: "cold export", on: coldModels, judge: computed{"models", "out", exact}, tools: []tool{{"export --external-data", "{lathe} export {model} --external-data -o {out}"}}},
	{name: "cold quantize dynamic", on: coldModels, judge: computed{"models", "out", int8s}, tools: []tool{{"quantize dynamic --no-check", "{lathe} quantize dynamic {model} --no-check --no-store -o {out}"}}},
	{name: "cold quantize float16", on: coldModels, judge: computed{"models", "out", float16s}, tools: []tool{{"quantize float16 --no-check --no-scan", "{lathe} quantize float16 {model} --no-check --no-scan --no-store -o {out}"}}},
}

const coldRuns = 5

// measureCold measures the rows that only selects.
func (b *bench) measureCold(ctx context.Context, only *regexp.Regexp) ([]coldRow, error) {
	var out []coldRow
	for i := range coldJobs {
		for _, r := range coldJobs[i].rows() {
			if !only.MatchString(r.name()) || ctx.Err() != nil {
				continue
			}
			c, err := b.cold(ctx, r)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// cold runs cat, Lathe, dd, and cat and dd together, in turns. dd copies what Lathe wrote, which is in
// the page cache.
func (b *bench) cold(ctx context.Context, r row) (coldRow, error) {
	fmt.Fprintf(os.Stderr, "%s\n", r.name())
	defer b.clear(r)
	files, err := b.filesOf(r)
	if err != nil {
		return coldRow{}, err
	}
	c := coldRow{row: r, verdict: right}
	for range b.atMost(coldRuns) {
		if err := b.coldTurn(ctx, &c, files); err != nil {
			return c, err
		}
	}
	if c.verdict == right {
		c.verdict = r.judge.verdicts(ctx, b, r, make([]outcome, 1))[0]
	}
	return c, nil
}

// coldTurn runs each of the four once. What a run wrote is removed before the next one starts, so that
// no run waits for that.
func (b *bench) coldTurn(ctx context.Context, c *coldRow, files []string) error {
	folder := b.given(c.row, 0)["folder"]
	duplicate := filepath.Join(folder, "copy")
	script := func(name string, args ...string) func() outcome {
		return func() outcome {
			return b.process(ctx, append([]string{filepath.Join(b.places["sources"], name)}, args...), limit)
		}
	}
	for _, step := range []struct {
		to     *samples
		remove string
		run    func() outcome
	}{
		{&c.cat, folder, script("read.sh", files...)},
		{&c.lathe, folder, func() outcome { return b.once(ctx, c.row, 0) }},
		{&c.dd, duplicate, script("write.sh", folder)},
		{&c.both, duplicate, script("both.sh", append([]string{folder}, files...)...)},
	} {
		if err := settle(ctx, step.remove, files); err != nil {
			return err
		}
		c.take(step.to, step.run())
	}
	return os.RemoveAll(duplicate)
}

// take adds a run to the samples of one of the four.
func (c *coldRow) take(to *samples, o outcome) {
	if o.failed != "" {
		c.verdict = "failed: " + o.failed
		return
	}
	*to = append(*to, o.time.Seconds())
}

// filesOf returns the files of a model.
func (b *bench) filesOf(r row) ([]string, error) {
	data, err := filepath.Glob(filepath.Join(b.models, r.model.name+"-*.data"))
	return append(data, b.modelFile(r)), err
}

// discarding is how long a disk may take to discard what was removed, after the system has written
// everything else.
const discarding = 500 * time.Millisecond

// settle removes what an earlier run wrote, waits until the disk has nothing to do, and removes the
// pages of files from the page cache.
func settle(ctx context.Context, written string, files []string) error {
	if err := os.RemoveAll(written); err != nil {
		return err
	}
	unix.Sync()
	select {
	case <-ctx.Done():
	case <-time.After(discarding):
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: posix_fadvise: %w", path, err)
		}
	}
	return nil
}

// coldTable shows what was measured.
func coldTable(rows []coldRow) string {
	var b strings.Builder
	b.WriteString("| command, model | n | `cat`, s | `dd`, s | both, s | Lathe, s | min – max | share | result |\n|---|--:|--:|--:|--:|--:|---|--:|---|\n")
	for _, c := range rows {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %.0f %% | %s |\n", c.name(), len(c.lathe),
			seconds(c.cat.median()), seconds(c.dd.median()), seconds(c.both.median()), seconds(c.lathe.median()), c.lathe.spread(), 100*c.share(), c.verdict)
	}
	return b.String()
}
