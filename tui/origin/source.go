package origin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"lathe/graphops/origin"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// Limits on reading source files. A typical Python file has some ten kilobytes, and a typical stack
// trace some twenty calls.
const (
	MaxSource  = 4 << 20 // bytes of a file
	MaxSources = 64      // files of one trace
	aroundLine = 2       // lines shown before and after the one of the trace
)

// stack lists the source lines from which a node was exported, the innermost call last. Lines
// around them are shown if the source file is available.
func (s *Story) stack(stack origin.Said[[]origin.Frame]) {
	if !stack.Present {
		return
	}
	s.Head("source")
	if !stack.Understood {
		s.notUnderstood()
		return
	}
	files := sources{folder: ModelFolder(s.model.Path()), seen: map[string]source{}}
	for _, f := range stack.Value {
		line := fmt.Sprintf("%s:%d", cells.Label(f.File), f.Line)
		if f.Function != "" {
			line += " in " + cells.Label(f.Function)
		}
		looks := theme.Plain
		if graph.IsLibrary(f.File) {
			looks = theme.Faint
		}
		s.Add(looks, line)
		if s.Ctx.Err() == nil {
			s.Frame(f, files.of(f.File))
		}
	}
}

// ModelFolder returns the folder of a model's file; "" for a model without a file.
func ModelFolder(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Dir(path)
}

// Frame shows the source of one call. It shows lines from the file only if the recorded line is
// still in its place there; otherwise it may be another version of the file.
func (s *Story) Frame(f origin.Frame, src source) {
	recorded := strings.Split(f.Source, "\n")
	at := f.Line - 1
	switch {
	case f.Source == "":
		return
	case src.Lines != nil && (at < 0 || at >= len(src.Lines) || strings.TrimSpace(src.Lines[at]) != strings.TrimSpace(recorded[0])):
		src.why = "the file on this machine has another line there"
	}
	if src.Lines == nil || src.why != "" {
		s.Prose(f.Source, "    ")
		if src.why != "" {
			s.Add(theme.Faint, "    ("+src.why+")")
		}
		return
	}
	from, to := max(at-aroundLine, 0), min(at+aroundLine+1, len(src.Lines))
	digits := len(fmt.Sprint(to))
	for i := from; i < to; i++ {
		lead, looks := "  ", theme.Faint
		if i == at {
			lead, looks = "› ", theme.Plain
		}
		s.code(looks, fmt.Sprintf("  %s%*d  ", lead, digits, i+1), src.Lines[i])
	}
}

// code appends a line of source, cut at the width instead of wrapped, so that the alignment of the
// code is kept.
func (s *Story) code(l theme.Looks, lead, line string) {
	line = strings.ReplaceAll(line, "\t", "    ")
	s.Lines = append(s.Lines, graph.DetailLine{Text: cells.Cut(lead+cells.Prose(line), s.W), Looks: l})
}

// sources reads the files that a stack trace names, each at most once.
type sources struct {
	folder string // in which relative names are looked up, "" for none
	seen   map[string]source
}

// source is a file, split into lines, or the reason why it could not be read. Both are empty if the
// file does not exist.
type source struct {
	Lines []string
	why   string
}

func (s *sources) of(name string) source {
	if src, ok := s.seen[name]; ok {
		return src
	}
	if len(s.seen) == MaxSources {
		return source{why: fmt.Sprintf("too many files: only %d of one trace are read", MaxSources)}
	}
	src := ReadSource(s.folder, name)
	s.seen[name] = src
	return src
}

// ReadSource reads a file that a stack trace names. Whoever made the model has chosen that name, so
// readSource opens only regular Python files: at an absolute path, or below the folder of the
// model. It does not follow a link that leads out of that folder.
func ReadSource(folder, name string) source {
	if filepath.Ext(name) != ".py" || strings.ContainsRune(name, 0) {
		return source{}
	}
	if filepath.IsAbs(name) {
		folder, name = filepath.Split(filepath.Clean(name))
	} else if folder == "" || !filepath.IsLocal(name) {
		return source{}
	}
	data, err := readBelow(folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source{}
	case err != nil:
		return source{why: cells.Prose(whyUnread(err))}
	}
	return source{Lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
}

// whyUnread returns the error without the path, which is shown above it.
func whyUnread(err error) string {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// readBelow reads a regular file of limited size below a folder, and never blocks on a pipe.
func readBelow(folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	case info.Size() > MaxSource:
		return nil, fmt.Errorf("too large, with %s", text.Bytes(info.Size()))
	}
	return io.ReadAll(io.LimitReader(f, MaxSource))
}
