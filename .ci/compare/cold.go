package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// A coldRow is a command on a model whose files are not in the page cache, beside what reads its files
// and what writes its result.
type coldRow struct {
	row
	lathe, cat, dd samples
	verdict        string
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

// cold runs cat, Lathe and dd in turns. dd copies what Lathe wrote, which is in the page cache.
func (b *bench) cold(ctx context.Context, r row) (coldRow, error) {
	fmt.Fprintf(os.Stderr, "%s\n", r.name())
	defer b.clear(r)
	files, err := b.filesOf(r)
	if err != nil {
		return coldRow{}, err
	}
	c := coldRow{row: r, verdict: right}
	folder := b.given(r, 0)["folder"]
	for range b.atMost(coldRuns) {
		if err := drop(files); err != nil {
			return c, err
		}
		c.take(&c.cat, b.process(ctx, append([]string{"cat"}, files...), limit))
		if err := drop(files); err != nil {
			return c, err
		}
		c.take(&c.lathe, b.once(ctx, r, 0))
		c.take(&c.dd, b.process(ctx, []string{filepath.Join(b.places["sources"], "write.sh"), folder}, limit))
	}
	if err := os.Remove(filepath.Join(folder, "copy")); err != nil && c.verdict == right {
		c.verdict = "failed: " + err.Error()
	}
	if c.verdict == right {
		c.verdict = r.judge.verdicts(ctx, b, r, make([]outcome, 1))[0]
	}
	return c, nil
}

// take adds a run to the samples of one of the three.
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

// drop writes what waits to be written, and removes the pages of files from the page cache.
func drop(files []string) error {
	unix.Sync()
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
	b.WriteString("| command, model | n | `cat`, s | `dd`, s | Lathe, s | min – max | share | result |\n|---|--:|--:|--:|--:|---|--:|---|\n")
	for _, c := range rows {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.0f %% | %s |\n", c.name(), len(c.lathe),
			seconds(c.cat.median()), seconds(c.dd.median()), seconds(c.lathe.median()), c.lathe.spread(), 100*c.share(), c.verdict)
	}
	return b.String()
}
