package accuracy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/shell"
)

// labelsArray is the array with the labels in the archive for a script.
const labelsArray = "labels"

// script keeps the outputs of a model in a temporary folder, and runs the user's command on them.
type script struct {
	line    string
	limit   time.Duration // 0 for no limit
	folder  string
	arrays  []*kept
	cases   int
	leftOut []string // outputs that numpy's format cannot hold
}

// kept is an output whose rows are kept in a file.
type kept struct {
	name  string
	dtype tensor.DType
	rest  []int64 // sizes of the axes after the first
	rows  int64
	file  *os.File
}

func newScript(line string, limit time.Duration) (*script, error) {
	folder, err := os.MkdirTemp("", "lathe-score-")
	if err != nil {
		return nil, err
	}
	return &script{line: line, limit: limit, folder: folder}, nil
}

// remove removes the folder.
func (s *script) remove() error {
	for _, k := range s.arrays {
		_ = k.file.Close() // it is removed
	}
	return os.RemoveAll(s.folder)
}

// add keeps the outputs of a case, and its labels if they are known.
func (s *script) add(got []graphops.Got, known []int64) error {
	for _, g := range got {
		if t := g.Value.Tensor; !g.Value.IsTensor() || t.DType == tensor.String {
			if !slices.Contains(s.leftOut, g.Name) {
				s.leftOut = append(s.leftOut, g.Name)
			}
		} else if err := s.keep(g.Name, t); err != nil {
			return err
		}
	}
	hasOwn := slices.ContainsFunc(got, func(g graphops.Got) bool { return g.Name == labelsArray })
	if known != nil && !hasOwn {
		if err := s.keep(labelsArray, tensor.FromSlice(known, int64(len(known)))); err != nil {
			return err
		}
	}
	s.cases++
	return nil
}

// keep appends a tensor to the rows of its output. A number without axes is one row.
func (s *script) keep(name string, t tensor.Tensor) error {
	shape := t.Shape
	if len(shape) == 0 {
		shape = []int64{1}
	}
	at := slices.IndexFunc(s.arrays, func(k *kept) bool { return k.name == name })
	if at < 0 {
		if s.cases > 0 {
			return fmt.Errorf("output %s is not in the first case", graphops.ShortQuoted(name))
		}
		f, err := os.OpenFile(filepath.Join(s.folder, fmt.Sprintf("rows_%d", len(s.arrays))), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		at, s.arrays = len(s.arrays), append(s.arrays, &kept{name: name, dtype: t.DType, rest: slices.Clone(shape[1:]), file: f})
	}
	k := s.arrays[at]
	if !slices.Equal(k.rest, shape[1:]) || k.dtype != t.DType || t.DType.Bits()%8 != 0 && k.rows > 0 {
		return fmt.Errorf("output %s is %s %s, and %s with rows of %s in earlier cases: --score needs rows that can be joined; give data of one size",
			graphops.ShortQuoted(name), t.DType, tensor.FormatShape(t.Shape), k.dtype, tensor.FormatShape(k.rest))
	}
	k.rows += shape[0]
	_, err := k.file.Write(t.Data)
	return err
}

// run writes the archive and runs the command.
func (s *script) run(ctx context.Context) (float64, error) {
	path := filepath.Join(s.folder, "outputs.npz")
	if err := s.archive(path); err != nil {
		return 0, err
	}
	if s.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("the command took more than %s and was stopped; --timeout gives it more time", s.limit))
		defer cancel()
	}
	c, err := shell.New(ctx, s.line, path)
	if err != nil {
		return 0, err
	}
	said := &printed{}
	if err := c.Start(said); err != nil {
		return 0, err
	}
	switch err := c.Wait(); {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, err
	}
	return said.number()
}

// archive joins what was kept.
func (s *script) archive(path string) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := npz.NewWriter(f)
	for _, k := range s.arrays {
		if _, err := k.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := w.Elements(k.name, k.dtype, append([]int64{k.rows}, k.rest...), k.file); err != nil {
			return err
		}
	}
	return w.Close()
}

// printed keeps the beginning of what a command prints.
type printed struct{ text []byte }

// mostPrinted is more than any number needs.
const mostPrinted = 4 << 10

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.text = append(p.text, b[:min(len(b), mostPrinted+1-len(p.text))]...)
	return len(b), nil
}

// number returns the number that was printed. Anything else beside it is an error, so that a warning or
// a second number is not taken for the score.
func (p *printed) number() (float64, error) {
	said := strings.TrimSpace(string(p.text))
	if said == "" {
		return 0, errors.New("the command printed nothing; expected one number")
	}
	x, err := strconv.ParseFloat(said, 64)
	if err != nil || len(p.text) > mostPrinted {
		return 0, fmt.Errorf("the command printed %s; expected one number and nothing else", graphops.ShortQuoted(said))
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("the command printed %s, which is not a score", said)
	}
	return x, nil
}

// score runs the command for each model.
func (r *run) score(ctx context.Context) error {
	for k, s := range r.scripts {
		r.env.Progress(session.Progress{Phase: "scoring", Done: int64(k), Total: int64(len(r.scripts)), Unit: "models"})
		x, err := s.run(ctx)
		if err != nil {
			return fmt.Errorf("--score: %w", r.inModel(k, err))
		}
		n := tensor.Number(x)
		r.report.Models[k].Score = &n
		if len(s.leftOut) > 0 {
			r.report.Notes = append(r.report.Notes, fmt.Sprintf("%s: numpy's archives have no such values, so --score does not get the outputs %s", r.report.letter(k), graphops.QuoteNames(s.leftOut)))
		}
	}
	return nil
}
