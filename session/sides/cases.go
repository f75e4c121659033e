package sides

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
)

// caseOptions are the options about which cases are compared and what happens to failing ones.
type caseOptions struct {
	Cases       []string
	SaveFailing string
}

// casePatience is how long cases may take before further families of cases are skipped, unless they
// are asked for.
const casePatience = time.Minute

func (o *caseOptions) options() []session.Option {
	var names []string
	for _, f := range inputs.Families {
		names = append(names, string(f))
	}
	return []session.Option{
		session.Several(&o.Cases, "cases", "generate only these `KINDS` of inputs, separated by commas, without a time limit", names...).WithDefault("all but hidden; all with --torch; none with --data").Measured(),
		session.Path(&o.SaveFailing, "save-failing", "save every failing case, with the outputs of A, in its own folder in this new `DIR`").WithDefault("not saved").AsTarget().In(session.GroupResult),
	}
}

// ask selects the families of cases for a request: the requested ones, or else the usual ones.
func (o *caseOptions) ask(r *inputs.Request, usual []inputs.Family, quantized bool, precision tensor.DType) {
	r.Rare = len(o.Cases) > 0
	for _, name := range o.Cases {
		r.Families = append(r.Families, inputs.Family(name))
	}
	if r.Rare || r.Data != "" {
		return
	}
	r.Families = usual
	switch {
	case quantized:
		r.Skip = map[inputs.Family]string{inputs.Large: "a quantized model is made for numbers as large as those that it was calibrated with; --cases large runs it"}
	case precision == tensor.F16:
		r.Skip = map[inputs.Family]string{inputs.Large: "one side computes in f16, which ends at 65504; --cases large runs it"}
	}
}

func (o *caseOptions) patience() time.Duration {
	if len(o.Cases) > 0 {
		return 0
	}
	return casePatience
}

// check returns an error if the folder for failing cases cannot be written to. It is called before
// anything runs.
func (o *caseOptions) check(ctx context.Context) error {
	if o.SaveFailing == "" {
		return nil
	}
	if o.SaveFailing == "-" {
		return session.UsageError("--save-failing -: cases cannot be written to standard output; name a folder")
	}
	list, err := os.ReadDir(o.SaveFailing)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return graphops.CheckTarget(ctx, filepath.Clean(o.SaveFailing), graphops.WriteOptions{})
	case err != nil:
		return err
	case len(list) > 0:
		return fmt.Errorf("%s: is not empty; name a new folder", o.SaveFailing)
	}
	return nil
}

// maxSaved is the largest number of failing cases that are saved.
const maxSaved = 16

// savedCase is a failing case that was saved in a folder.
type savedCase struct {
	Case   string `json:"case"`
	Folder string `json:"folder"`
	// Again is a shell command that runs this case again.
	Again string `json:"again"`
}

// failing saves failing cases.
type failing struct {
	step  *Comparison
	env   session.Env
	types []graphops.NamedType
	saved []savedCase
	files []string
	left  int // number of cases above the limit
	err   error
}

// keep saves a case. It remembers the first error.
func (f *failing) keep(ctx context.Context, c inputs.Case, outputs []graphops.Got) {
	if f.step.SaveFailing == "" || f.err != nil {
		return
	}
	if len(f.saved) == maxSaved {
		f.left++
		return
	}
	if f.err = permit.ToWrite(ctx, f.step.SaveFailing, false); f.err != nil {
		return
	}
	if err := os.Mkdir(f.step.SaveFailing, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		f.err = err
		return
	}
	folder := filepath.Join(f.step.SaveFailing, f.unused(inputs.FolderName(c.Name)))
	files, err := inputs.SaveSet(ctx, folder, f.types, c, outputs)
	f.files, f.err = append(f.files, files...), err
	if err == nil {
		f.saved = append(f.saved, savedCase{c.Name, folder, f.step.again(f.env, folder)})
	}
}

// unused returns a name that no saved case has.
func (f *failing) unused(name string) string {
	plain := name
	for i := 2; ; i++ {
		if _, err := os.Lstat(filepath.Join(f.step.SaveFailing, name)); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", plain, i)
	}
}

// notes returns notes about failing cases that were not saved.
func (f *failing) notes(r *compare.Report) []string {
	switch {
	case f.left > 0:
		return []string{fmt.Sprintf("%d more cases fail and are not saved, in addition to the %d that are", f.left, maxSaved)}
	case f.step.SaveFailing == "" && f.step.Opened == nil && r.Verdict == compare.Fail && f.step.Data == "":
		return []string{"--save-failing DIR saves the cases that fail, each with the command that runs it again"}
	}
	return nil
}

// again returns the command that repeats this comparison, on the data in a folder if one is given.
// The command works in every working folder.
func (s *Comparison) again(env session.Env, folder string) string {
	options := slices.DeleteFunc(s.Options(), func(o session.Option) bool {
		return slices.Contains([]string{"data", "input", "fill", "seed", "dim", "input-limit", "cases", "save-failing", "reduce", "out", "reduce-time", "force"}, o.Name)
	})
	operands, flags := wordsOf(options, len(s.On) == 0 || s.Send)
	for _, word := range env.Flags {
		flags = append(flags, session.Quote(word))
	}
	words := append([]string{"lathe", "validate"}, operands...)
	if folder != "" {
		words = append(words, "--data", session.Quote(absolute(folder)))
	}
	return strings.Join(append(words, flags...), " ")
}

// wordsOf returns the words of a command line with these options. If here is set, paths are made
// absolute.
func wordsOf(options []session.Option, here bool) (operands, flags []string) {
	for _, o := range options {
		for _, v := range o.Values() {
			if here {
				v = o.WithPath(v, absolute)
			}
			switch {
			case o.Operand:
				operands = append(operands, session.QuotePath(v))
			case o.Kind == session.KindSwitch:
				flags = append(flags, "--"+o.LongFlag())
			default:
				flags = append(flags, "--"+o.LongFlag(), session.Quote(v))
			}
		}
	}
	return operands, flags
}

// absolute makes a path absolute, except "-", which is standard input.
func absolute(path string) string {
	if path == "-" {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
