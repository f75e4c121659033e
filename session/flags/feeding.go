package flags

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"lathe/graphops"
	"lathe/graphops/pattern"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/inputs/picture"
	"lathe/session/sizing"
	"lathe/session/text"
)

// Feeding has the options for the inputs of a model.
type Feeding struct {
	Data  string
	Input []string
	Fill  string
	Seed  int64
	Dim   []string
	Limit int64 // bytes of generated inputs; 0 is the default of inputs.Options
	first int64 // use only this many samples of the data; 0 for all
	// purpose decides which sizes are preferred for free axes, such as small ones for a check.
	purpose sizing.Purpose
	// Options that say how an image becomes a tensor:
	Layout, Channels string
	Mean, Std        string
	Scale, Crop      float64
	// Roles are what inputs and outputs are for, which decides about their sizes and values.
	Roles Roles
}

// Options returns the options.
func (f *Feeding) Options() []session.Option {
	return session.Measuring(session.Grouped(session.GroupInputs, append([]session.Option{
		session.Path(&f.Data, "data", "run on the data in `PATH`; .npz, .npy or .json, or a folder of .npy files, images, folders of images by class, or .pb files of ONNX's test data").OfFiles(inputs.FileKinds...).WithDefault("generated values").AsUsual(),
		session.List(&f.Input, "input", "set one input: `NAME=WHAT`, such as x=cat.png; WHAT is a file, a tensor or a rule, such as k=i64[1]{5} or x=zeros; repeat for several").Naming(session.NamesInput, "=").Holding(inputs.WithPath).OfFiles(inputs.FileKinds...).AsUsual(),
		session.Text(&f.Fill, "fill", "generate floating-point inputs by this `RULE`: "+inputs.FillSyntax).WithDefault("normal").AsRare(),
		session.Int(&f.Seed, "seed", "use this seed for generated values", 0).WithDefault("0").AsUsual(),
		session.List(&f.Dim, "dim", "set the size of a free axis: `SYMBOL=N`, or NAME:AXIS=N; repeat for several; with --data, this many rows make a batch").WithDefault("chosen so that the model runs").Naming(session.NamesSymbol, "=").InParts(sizesIn).AsUsual(),
		f.limit(""),
		f.Roles.Option(),
	}, f.imageOptions()...)...)...)
}

// WithLabels returns the options with a --data option that says what labels in the data are used for.
func WithLabels(options []session.Option) []session.Option {
	for i, o := range options {
		if o.Name == "data" {
			options[i].Usage += "; if it has labels, the accuracy is reported too"
		}
	}
	return options
}

// imageOptions returns the options that say how an image becomes a tensor.
func (f *Feeding) imageOptions() []session.Option {
	return []session.Option{
		session.Choice(&f.Layout, "layout", "memory `LAYOUT` of an image in its input", "nchw", "nhwc").WithDefault("derived from the shape").AsRare(),
		session.Choice(&f.Channels, "channels", "`ORDER` of the colour channels of an image", "rgb", "bgr").WithDefault("rgb").AsRare(),
		session.Float(&f.Crop, "crop", "use only this `FRACTION` around the centre of an image, in the shape of the input; 0.875 is a shorter side of 256 cut to 224").WithDefault("the whole image, stretched").AsRare(),
		session.Float(&f.Scale, "scale", "multiply the bytes of an image by this `NUMBER`").WithDefault("1/255 for floating-point inputs").AsRare(),
		session.Text(&f.Mean, "mean", "after --scale: subtract this `NUMBER`, or one per channel, such as 0.485,0.456,0.406").WithDefault("0").AsRare(),
		session.Text(&f.Std, "std", "after --scale and --mean: divide by this `NUMBER`, or one per channel").WithDefault("1").AsRare(),
	}
}

// Several sizes in one value, with commas or with blanks between them. A symbol itself may contain both.
var (
	withCommas = pattern.New(`^[^,=]+=\d+(,[^,=]+=\d+)+$`)
	withBlanks = pattern.New(`^[^,=\s]+=\d+([,\s]+[^,=\s]+=\d+)+$`)
)

// apart separates values that hold several sizes.
func apart(list []string) (out []string) {
	for _, s := range list {
		switch {
		case withBlanks.MatchString(s):
			out = append(out, strings.FieldsFunc(s, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })...)
		case withCommas.MatchString(s):
			for part := range strings.SplitSeq(s, ",") {
				out = append(out, strings.TrimSpace(part))
			}
		default:
			out = append(out, s)
		}
	}
	return out
}

// sizesIn returns the sizes that one value holds.
func sizesIn(v string) []string { return apart([]string{v}) }

// ParseDims converts the values of --dim to sizes by symbol or axis. One value may hold several
// sizes, such as batch=8,sequence=64.
func ParseDims(list []string) (map[string]int64, error) {
	dims := map[string]int64{}
	for _, s := range apart(list) {
		i := strings.LastIndexByte(s, '=')
		if i <= 0 {
			return nil, session.UsageError(fmt.Sprintf("--dim %q: expected SYMBOL=N, such as batch=8", s))
		}
		n, err := strconv.ParseInt(s[i+1:], 10, 64)
		if err != nil || n < 0 {
			return nil, session.UsageError(fmt.Sprintf("--dim %q: %q is not a size", s, s[i+1:]))
		}
		if _, twice := dims[s[:i]]; twice {
			return nil, session.UsageError(fmt.Sprintf("--dim %q: the size of %q is given twice", s, s[:i]))
		}
		dims[s[:i]] = n
	}
	return dims, nil
}

// SizingTime is how long to search for sizes that the runtime accepts, without --timeout.
const SizingTime = 10 * time.Second

// Fitted prepares inputs and calls run with them. It chooses the sizes of free axes for the purpose
// in the request. If the runtime rejects the chosen sizes, it tries others, until limit is over. A
// limit of 0 means sizingTime. If no size works, it returns the error of the last run with a list
// of the sizes that were tried.
func (f *Feeding) Fitted(ctx context.Context, env session.Env, m *graphops.Model, types []graphops.NamedType, r inputs.Request, limit time.Duration, run func(inputs.Cases) error) error {
	r.Learned = sizing.StoreIn(env.Cache)
	for start := time.Now(); ; {
		cases, err := inputs.Prepare(types, r)
		if err != nil {
			return InputError(m, err)
		}
		if err = run(cases); err == nil && cases.Fit != nil {
			cases.Fit.Accepted(ctx)
			return nil
		}
		refusal, refused := sizing.RefusalOf(err)
		if !refused || cases.Fit == nil || len(cases.Fit.Free()) == 0 || ctx.Err() != nil {
			return err
		}
		r.Fit = cases.Fit
		r.Fit.Refused(refusal)
		if _, more := r.Fit.Next(ctx); !more || time.Since(start) > cmp.Or(limit, SizingTime) {
			return fmt.Errorf("%w; %s", err, text.CleanLine(r.Fit.Tried()))
		}
		env.Progress(session.Progress{Phase: "looking for sizes at which it runs"})
	}
}

// Request collects the options to a request for inputs. seeds is how many cases are generated.
// batch is the batch size, or 0 if it is not given.
func (f *Feeding) Request(m *graphops.Model, seeds int, batch int64) (inputs.Request, error) {
	r := inputs.Request{Data: f.Data, Said: f.Input, Seeds: seeds, Purpose: f.purpose}
	r.Model, r.Seed, r.Batch = m, uint64(f.Seed), batch
	r.MaxBytes = f.Limit
	var err error
	if r.Stated, err = f.Roles.Stated(); err != nil {
		return r, err
	}
	if r.Dims, err = ParseDims(f.Dim); err != nil {
		return r, err
	}
	if f.Fill != "" {
		if r.Fill, err = inputs.ParseFill(f.Fill); err != nil {
			return r, session.UsageError("--fill: " + err.Error())
		}
	}
	if r.Files.Picture, err = f.picture(); err != nil {
		return r, err
	}
	r.Files.Samples = f.first
	r.Files.Dims, r.Files.Outputs = r.Dims, graphops.NamedTypes(m.Graph().Outputs())
	return r, nil
}

// WithoutData returns the options without --data. It also leaves out options for images if no other
// input is an image.
func (f *Feeding) WithoutData() Feeding {
	out := *f
	out.Data, out.first = "", 0
	if !slices.ContainsFunc(f.Input, inputs.NamesImage) { // then only the data has images
		out.Layout, out.Channels, out.Mean, out.Std, out.Scale, out.Crop = "", "", "", "", 0, 0
	}
	return out
}

// InputError adds the name of the model whose inputs were to be made. An error about a file of data
// already names that file.
func InputError(m *graphops.Model, err error) error {
	var data *inputs.DataError
	if errors.As(err, &data) {
		return err
	}
	return session.InModel(m, err)
}

// picture converts the options for images to those of package picture.
func (f *Feeding) picture() (picture.Options, error) {
	o := picture.Options{Layout: f.Layout, Scale: f.Scale, Crop: f.Crop, BGR: f.Channels == "bgr"}
	if f.Crop > 1 {
		return o, session.UsageError(fmt.Sprintf("--crop %g: expected a fraction above 0 and at most 1", f.Crop))
	}
	var err error
	if o.Mean, err = numbers("mean", f.Mean); err != nil {
		return o, err
	}
	if o.Std, err = numbers("std", f.Std); err != nil {
		return o, err
	}
	return o, f.refuseIdle()
}

// refuseIdle returns an error if an option of images is given and there is no image.
func (f *Feeding) refuseIdle() error {
	if slices.ContainsFunc(f.Input, inputs.NamesImage) || inputs.HasImages(f.Data) {
		return nil
	}
	for _, o := range f.imageOptions() {
		if len(o.Values()) > 0 {
			return session.UsageError(fmt.Sprintf("--%s: has an effect only with an image: --input NAME=FILE%s, or a folder of images as --data", o.Name, picture.Extensions[0]))
		}
	}
	return nil
}

// numbers parses a list of numbers separated by commas.
func numbers(option, list string) ([]float64, error) {
	if list == "" {
		return nil, nil
	}
	var out []float64
	for word := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, session.UsageError(fmt.Sprintf("--%s %q: %q is not a number", option, list, word))
		}
		out = append(out, x)
	}
	return out, nil
}

// RefuseArrays returns an error if a file for arrays would replace one that inputs are read from,
// or if its name has the wrong ending.
func (f *Feeding) RefuseArrays(target string) error {
	if err := f.RefuseTarget(target); err != nil {
		return err
	}
	if err := inputs.CheckSaveName(target); err != nil {
		return session.UsageError(err.Error())
	}
	return nil
}

// RefuseTarget returns an error if a file to be written is one that inputs are read from.
func (f *Feeding) RefuseTarget(target string) error {
	to, err := os.Stat(target)
	if err != nil {
		return nil // there is no file to lose
	}
	for _, path := range f.sources() {
		if from, err := os.Stat(path); err == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s: is the file that the inputs are read from; choose another name", target)
		}
	}
	return nil
}

// sources returns the files that inputs may be read from: the named ones, and those in named
// folders and in folders directly below.
func (f *Feeding) sources() []string {
	var out []string
	if f.Data != "" {
		out = append(out, f.Data)
		for _, e := range filesIn(f.Data) {
			out = append(out, e)
			out = append(out, filesIn(e)...)
		}
	}
	for _, s := range f.Input {
		// A name and a path may both contain "=", so every suffix may be the file.
		for i := range s {
			if s[i] == '=' {
				out = append(out, s[i+1:])
			}
		}
	}
	return out
}

// filesIn returns the paths in a folder. It is empty for a file.
func filesIn(folder string) []string {
	list, _ := os.ReadDir(folder)
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = filepath.Join(folder, e.Name())
	}
	return out
}

// trialBytes limits the samples of a trial, which are kept in memory together with the outputs of
// both models.
const trialBytes = 1 << 30

// WithinMemory limits the samples that are used to those that fit into trialBytes. all is false if
// some samples are left out.
func (f *Feeding) WithinMemory(m *graphops.Model) (all bool, err error) {
	if f.Data == "" {
		return true, nil
	}
	r, err := f.Request(m, 1, 0)
	if err != nil {
		return true, err
	}
	s, err := inputs.OpenStream(graphops.NamedTypes(m.Graph().FeedInputs()), r)
	if err != nil {
		return true, InputError(m, err)
	}
	n, err := s.Fitting(trialBytes)
	if n > 0 {
		f.first = n
	}
	return n == 0, errors.Join(err, s.Close())
}
