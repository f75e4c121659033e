package folders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops/durable"
	"lathe/graphops/folder"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/quantization"
	"lathe/session/text"
)

// QuantizeReport is the report of the quantization of a folder.
type QuantizeReport struct {
	Schema  string            `json:"schema"`
	Kind    string            `json:"kind"` // "folder"
	Path    string            `json:"path"`
	Out     string            `json:"out"` // "" if nothing was written
	Members []QuantizedMember `json:"members"`
	Copied  []string          `json:"copied"` // the other files, relative to the folder
	Notes   []string          `json:"notes"`
}

// QuantizedMember is what happened to one model. Report is null if the model stays as it is.
type QuantizedMember struct {
	Name   string               `json:"name"`
	File   string               `json:"file"`
	Kept   string               `json:"kept"` // why the model stays as it is, "" if it does not
	Report *quantization.Report `json:"report"`

	doubtful bool
}

// quantizing quantizes the models of a folder.
type quantizing struct {
	*quantization.Quantization
	env    session.Env
	f      *folder.Folder
	chosen []*folder.Member
	r      *QuantizeReport
}

// Quantize quantizes the models of a folder, and writes them with its other files to a new folder. If
// no folder is named for the result, it reports what it would change.
func Quantize(ctx context.Context, env session.Env, step session.Step, s *quantization.Quantization, source string) (session.Result, error) {
	q := &quantizing{Quantization: s, env: env}
	if err := q.check(step, source); err != nil {
		return session.Result{}, err
	}
	var err error
	if q.f, err = Open(ctx, env, source); err != nil {
		return session.Result{}, err
	}
	if q.chosen, err = Chosen(q.f, s.Member); err != nil {
		return session.Result{}, err
	}
	q.r = &QuantizeReport{Schema: "lathe.quantize/1", Kind: "folder", Path: source, Out: s.Out, Members: []QuantizedMember{}, Copied: []string{}, Notes: []string{}}
	if s.Out == "" {
		err = q.members(ctx, "")
	} else {
		err = durable.WriteFolder(ctx, s.Out, func(temporary string) error {
			return errors.Join(q.members(ctx, temporary), q.copyRest(ctx, temporary))
		})
	}
	if err != nil {
		return session.Result{}, err
	}
	doubtful := slices.ContainsFunc(q.r.Members, func(m QuantizedMember) bool { return m.doubtful })
	return session.Result{Report: q.r, Files: q.files(), No: doubtful}, nil
}

// check refuses options that have no meaning for a folder.
func (q *quantizing) check(step session.Step, source string) error {
	switch {
	case q.Out == "-":
		return session.UsageError(fmt.Sprintf("--out -: %s is a folder, which cannot go to standard output; name a new folder", source))
	case q.Force:
		return session.UsageError("--force: a folder is never replaced; name a new one, or leave out --force")
	}
	for _, o := range step.Options() {
		if named := o.Names == session.NamesNode || o.Name == "data" || o.Name == "input"; named && len(o.Values()) > 0 {
			return aboutOneModel(step, o.LongFlag(), source)
		}
	}
	if q.Out == "" {
		return nil
	}
	from, err := filepath.EvalSymlinks(source)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	to, err := filepath.EvalSymlinks(filepath.Dir(q.Out))
	if err != nil {
		return durable.CheckNewFolder(q.Out)
	}
	if from, err = filepath.Abs(from); err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	if to == from || strings.HasPrefix(to, from+string(filepath.Separator)) {
		return session.UsageError(fmt.Sprintf("--out %s: lies in %s, whose files are copied; name a folder elsewhere", q.Out, source))
	}
	return durable.CheckNewFolder(q.Out)
}

// members quantizes the chosen models into a folder, or only plans that if the folder is "".
func (q *quantizing) members(ctx context.Context, to string) error {
	changed := 0
	var last error
	for _, m := range q.f.Members {
		row := QuantizedMember{Name: m.Name, File: m.File}
		if !slices.Contains(q.chosen, m) {
			row.Kept = "it is not chosen"
			q.r.Members = append(q.r.Members, row)
			continue
		}
		err := q.member(ctx, m, to, &row)
		switch {
		case errors.Is(err, quant.ErrNothing):
			row.Kept, last = err.Error(), err
		case err != nil:
			return err
		default:
			changed++
		}
		q.r.Members = append(q.r.Members, row)
	}
	if changed == 0 {
		return last
	}
	return nil
}

func (q *quantizing) member(ctx context.Context, m *folder.Member, to string, row *QuantizedMember) error {
	if m.Model == nil {
		return m.Err
	}
	one := *q.Quantization
	one.Out, one.NoStore, one.Member = "", true, nil
	if to == "" {
		var err error
		row.Report, err = one.Planned(ctx, q.env, m.Model)
		return err
	}
	one.Out = filepath.Join(to, filepath.FromSlash(m.File))
	if err := os.MkdirAll(filepath.Dir(one.Out), 0o755); err != nil { //nolint:gosec // as the folder is copied
		return err
	}
	result, err := one.Run(ctx, q.env, m.Model)
	if err != nil {
		return err
	}
	var ok bool
	if row.Report, ok = result.Report.(*quantization.Report); !ok {
		return fmt.Errorf("%s: the report is a %T", m.File, result.Report)
	}
	row.doubtful = result.No
	row.Report.File.Move(to, q.Out)
	return nil
}

// replaced returns the files that are not copied: the models that were quantized, and data that only
// they use.
func (q *quantizing) replaced() map[string]bool {
	out, used := map[string]bool{}, map[string]bool{}
	for i, m := range q.f.Members {
		quantized := q.r.Members[i].Report != nil
		out[m.File] = quantized
		if m.Model == nil {
			continue
		}
		for t := range m.Model.ExternalTensors() {
			r, err := t.ExternalRange()
			if err != nil {
				continue
			}
			file := path.Join(path.Dir(m.File), r.Location)
			out[file] = true
			used[file] = used[file] || !quantized
		}
	}
	for file := range used {
		if used[file] {
			delete(out, file)
		}
	}
	return out
}

// copyRest copies the files of the folder that were not replaced. Data of a variant in another
// precision is copied too, as is everything else.
func (q *quantizing) copyRest(ctx context.Context, to string) error {
	if len(q.r.Members) != len(q.f.Members) {
		return nil // an error stopped the models before
	}
	replaced := q.replaced()
	return filepath.WalkDir(q.f.Path, func(from string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(q.f.Path, from)
		if err != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		info, err := os.Stat(from)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", from, err)
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755) //nolint:gosec // as the folder is copied
		case replaced[name]:
			return nil
		case !info.Mode().IsRegular():
			q.r.Notes = append(q.r.Notes, fmt.Sprintf("%s is not copied: it is %s", name, durable.DescribeMode(info.Mode())))
			return nil
		}
		if _, err := os.Lstat(filepath.Join(to, rel)); err == nil {
			return fmt.Errorf("%s: the data of a quantized model has the name of another file of the folder", name)
		}
		q.r.Copied = append(q.r.Copied, name)
		return durable.CopyFile(from, filepath.Join(to, rel), info.Mode().Perm())
	})
}

// files returns the files that were written.
func (q *quantizing) files() (files []string) {
	if q.Out == "" {
		return nil
	}
	for _, m := range q.r.Members {
		if m.Report != nil {
			files = append(files, m.Report.File.Files()...)
		}
	}
	for _, name := range q.r.Copied {
		files = append(files, filepath.Join(q.Out, filepath.FromSlash(name)))
	}
	return files
}

// WriteText implements session.Report.
func (r *QuantizeReport) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	for _, m := range r.Members {
		p.Line("%s  %s", text.Clean(m.Name), text.Clean(m.File))
		switch {
		case m.Report != nil:
			if err := m.Report.WriteBrief(w); err != nil {
				return err
			}
		default:
			p.Line("stays as it is: %s", text.CleanLine(m.Kept))
		}
	}
	if r.Out != "" {
		p.Line("wrote the folder %s: %s; %s copied", text.Clean(r.Out), r.outcome(), text.Plural(len(r.Copied), "file"))
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	return p.Err()
}

// outcome says how many models were quantized, which of them are doubtful, and which stay as they are.
func (r *QuantizeReport) outcome() string {
	var kept, doubtful []string
	for _, m := range r.Members {
		switch {
		case m.Report == nil:
			kept = append(kept, m.Name)
		case !m.Report.Passed():
			doubtful = append(doubtful, m.Name)
		}
	}
	out := fmt.Sprintf("%d of %s quantized", len(r.Members)-len(kept), text.Plural(len(r.Members), "model"))
	if len(doubtful) > 0 {
		out += " (not passing the check: " + text.Clean(strings.Join(doubtful, ", ")) + ")"
	}
	if len(kept) > 0 {
		out += "; as before: " + text.Clean(strings.Join(kept, ", "))
	}
	return out
}
