package inputs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor/npz"
	"lathe/session/shell"
)

// Command is a shell command that prints values for a model on its standard output. It prints one
// .npz archive, or a sequence of .npy files: one for every input, in the order of the inputs, then
// the same for the next case.
type Command struct {
	Line  string
	Types []graphops.NamedType // of the inputs
	// Progress is called with the number of bytes received, and with the number of cases as far as
	// it is known. It may be nil.
	Progress func(bytes, cases int64)
}

// Run runs the command and stores its output in a folder. It returns the path to pass to ReadCases
// or OpenStream. If the context ends, the command and everything that it started are killed. Errors
// say how the command ended and quote the last line of its standard error.
func (c Command) Run(ctx context.Context, folder string) (path string, err error) {
	cmd, err := shell.New(ctx, c.Line)
	if err != nil {
		return "", fmt.Errorf("--data-command: %w", err)
	}
	out, in := io.Pipe()
	if err := cmd.Start(in); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		_ = in.Close() // the reader sees the end of the output
		ended <- err
	}()
	path, bad := c.keep(ctx, &counted{r: out, c: c}, folder)
	if bad != nil { // the rest of the output is not needed
		_ = out.CloseWithError(bad)
		cmd.Kill()
	}
	err = <-ended
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case bad != nil && (err == nil || !errors.Is(bad, errNothing) && !errors.Is(bad, io.ErrUnexpectedEOF)):
		return "", fmt.Errorf("--data-command: %w", bad)
	case err != nil:
		return "", fmt.Errorf("--data-command: %w", err)
	}
	return path, nil
}

var errNothing = errors.New("it printed nothing; expected an .npz archive, or .npy files that follow each other")

// keep writes the output of the command to files: an archive as it is, or each array to its own
// file.
func (c Command) keep(ctx context.Context, from *counted, folder string) (string, error) {
	r := bufio.NewReaderSize(from, 1<<16)
	begin, err := r.Peek(2)
	switch {
	case len(begin) == 0 && errors.Is(err, io.EOF):
		return "", errNothing
	case string(begin) == "PK":
		path := filepath.Join(folder, "data.npz")
		return path, copyTo(path, r)
	}
	for n := 0; ; n++ {
		feeds := graphops.Feeds{}
		for i, in := range c.Types {
			t, err := npz.Next(r, npz.Options{})
			switch {
			case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && i == 0 && n > 0:
				return folder, nil
			case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
				return "", fmt.Errorf("case %d ends before the value of input %q; expected %d arrays, in the order of the inputs", n, in.Name, len(c.Types))
			case err != nil:
				return "", fmt.Errorf("case %d, input %q: %w", n, in.Name, err)
			}
			feeds[in.Name] = graphops.TensorValue(t)
		}
		if n == maxCases {
			return "", fmt.Errorf("more than %d cases", maxCases)
		}
		if _, err := Save(ctx, filepath.Join(folder, fmt.Sprintf("case_%d", n)), c.Types, feeds, graphops.WriteOptions{}); err != nil {
			return "", err
		}
		from.cases = int64(n + 1)
	}
}

func copyTo(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// counted is a reader that counts bytes and reports the progress.
type counted struct {
	r            io.Reader
	c            Command
	bytes, cases int64
}

// Read implements io.Reader.
func (r *counted) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.bytes += int64(n); r.c.Progress != nil {
		r.c.Progress(r.bytes, r.cases)
	}
	return n, err
}
