package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/text"
)

// output has the options for the file that a step writes its model to.
type output struct {
	Out   string
	Force bool
}

// noCheckName is the name of the option that skips the check of a result. noCheckOption makes the
// option with a usage text for the step. The option is also accepted under its earlier name.
const noCheckName = "no-check"

func noCheckOption(p *bool, usage, formerly string) session.Option {
	return session.Switch(p, noCheckName, usage).Formerly(formerly).In(session.GroupResult).AsRare()
}

func (o *output) options() []session.Option {
	return []session.Option{
		session.Path(&o.Out, "out", "write the model to `FILE`").WithDefault("nothing is written").WithShort("o").AsTarget().As(session.RoleModel).In(session.GroupResult).AsUsual(),
		session.Switch(&o.Force, "force", "replace FILE if it exists").As(session.RoleForce).In(session.GroupResult).AsUsual(),
	}
}

// check returns the error that save would return first, so that it is reported before a long run.
func (o *output) check(ctx context.Context) error {
	if o.Out == "" || o.Out == "-" {
		return nil
	}
	return graphops.CheckTarget(ctx, o.Out, graphops.WriteOptions{Overwrite: o.Force})
}

// checkBeside returns the error of check. It also returns an error if the output is a file that an
// option of the step reads, because the result must not replace an input.
func (o *output) checkBeside(ctx context.Context, s session.Step) error {
	to, err := os.Stat(o.Out)
	if o.Out == "" || o.Out == "-" || err != nil {
		return o.check(ctx)
	}
	for _, option := range s.Options() {
		if option.Target {
			continue
		}
		for _, value := range option.Values() {
			same := false
			option.WithPath(value, func(path string) string {
				from, err := os.Stat(path)
				same = same || err == nil && os.SameFile(from, to)
				return path
			})
			if same {
				return session.UsageError(fmt.Sprintf("%s: is read by --%s; choose another name for the output", text.CleanLine(o.Out), option.LongFlag()))
			}
		}
	}
	return o.check(ctx)
}

// save writes the model to the file of --out. Without that option, it does nothing.
func (o *output) save(ctx context.Context, env session.Env, m *graphops.Model, storage graphops.SaveOptions) (*savedFile, error) {
	if o.Out == "" {
		return nil, nil
	}
	if o.Out == "-" {
		return nil, session.ErrStdoutInRecipe
	}
	total, err := graphops.SavedSize(m, storage)
	if err != nil {
		return nil, err
	}
	storage.Overwrite = o.Force
	storage.Progress = func(n int64) {
		env.Progress(session.Progress{Phase: "writing", Done: n, Total: total, Unit: "B"})
	}
	s, err := graphops.Save(ctx, m, o.Out, storage)
	if err != nil {
		return nil, err
	}
	f := &savedFile{Path: s.Path, Bytes: s.Bytes, Removed: s.Removed}
	for _, d := range s.Data {
		f.DataFiles = append(f.DataFiles, savedData{d.Path, d.Bytes})
		f.ExternalData, f.ExternalBytes = f.DataFiles[0].Path, f.ExternalBytes+d.Bytes
	}
	for _, k := range s.Kept {
		f.Kept = append(f.Kept, keptData{k.Path, k.Why})
	}
	return f, nil
}

// savedFile describes a written model file in a report.
type savedFile struct {
	Path          string      `json:"path"`
	Bytes         int64       `json:"bytes"`
	ExternalData  string      `json:"external_data,omitempty"`  // the first data file
	ExternalBytes int64       `json:"external_bytes,omitempty"` // size of all data files
	DataFiles     []savedData `json:"data_files,omitempty"`
	Removed       []string    `json:"removed,omitempty"` // data files of the replaced model
	Kept          []keptData  `json:"kept,omitempty"`    // old data files that another model uses or may use
}

// keptData is an old data file that was not removed, and why.
type keptData struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// savedData is a data file that was written.
type savedData struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (f *savedFile) files() []string {
	if f == nil {
		return nil
	}
	files := []string{f.Path}
	for _, d := range f.DataFiles {
		files = append(files, d.Path)
	}
	return files
}

// dataFilesTold is how many data files are listed by name.
const dataFilesTold = 3

// path returns the path of the written file, or "" if the model was not written.
func (f *savedFile) path() string {
	if f == nil {
		return ""
	}
	return f.Path
}

func (f *savedFile) writeText(w io.Writer) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "wrote %s (%s)", text.Clean(f.Path), text.Bytes(f.Bytes))
	for i, d := range f.DataFiles[:min(len(f.DataFiles), dataFilesTold)] {
		joined := ","
		if i == len(f.DataFiles)-1 {
			joined = " and"
		}
		fmt.Fprintf(w, "%s %s (%s)", joined, text.Clean(d.Path), text.Bytes(d.Bytes))
	}
	if more := len(f.DataFiles) - dataFilesTold; more > 0 {
		fmt.Fprintf(w, " and %s, %s in all of them", text.Plural(more, "more data file"), text.Bytes(f.ExternalBytes))
	}
	fmt.Fprintln(w)
	for _, path := range f.Removed {
		fmt.Fprintf(w, "removed %s, the data of the model that was replaced\n", text.Clean(path))
	}
	for _, k := range f.Kept {
		fmt.Fprintf(w, "warning: %s stays: %s\n", text.Clean(k.Path), text.Clean(k.Why))
	}
}

// value is an input or output of a model in a report, with its type.
type value struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
	// Inferred reports that the file does not state the whole type and shape.
	Inferred bool `json:"inferred,omitempty"`
	// Declared is what the file states if the graph contradicts it.
	Declared *declaration `json:"declared,omitempty"`
}

// declaration is the type that the file states for a value.
type declaration struct {
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
}

// shapeText returns the shape, marked if the file states another type. It is "" if nothing is
// known.
func (v value) shapeText() string {
	s := ""
	if v.Shape != nil || v.Type != "?" {
		s = v.Shape.String()
	}
	switch d := v.Declared; {
	case d == nil:
		return s
	case d.Type == v.Type:
		return fmt.Sprintf("%s (declared %s)", s, d.Shape)
	default:
		return fmt.Sprintf("%s (declared %s %s)", s, d.Type, d.Shape)
	}
}

func valuesOf(list []*graphops.ValueInfo) []value {
	out := make([]value, len(list))
	for i, v := range list {
		t := v.Type()
		out[i] = value{Name: v.Name(), Type: t.String(), Shape: t.Shape}
	}
	return out
}

// namesOf returns the names of values, in order.
func namesOf(list []*graphops.ValueInfo) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.Name()
	}
	return out
}

func writeValues(w io.Writer, title string, list []value) {
	fmt.Fprintf(w, "%s\n", title)
	t := text.Table{}
	if len(list) == 0 {
		t.Add("none")
	}
	for _, v := range list {
		t.Add(text.Clean(v.Name), v.Type, text.Clean(v.shapeText()))
	}
	_ = t.WriteText(w, "  ") // the writer remembers its error
}

func writeWarnings(w io.Writer, warnings []string) {
	for _, s := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text.Clean(s))
	}
}

// orEmpty replaces nil by an empty list, as JSON readers expect.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// about adds the name of the model to an error about its contents. It leaves errors about the
// command line unchanged.
func about(m *graphops.Model, err error) error {
	var usage session.UsageError
	if err == nil || m.Path() == "" || errors.As(err, &usage) {
		return err
	}
	return fmt.Errorf("%s: %w", m.Path(), err)
}
