package flags

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/text"
	"lathe/session/torch"
)

// TorchTarget has the options that select a PyTorch model and its inputs.
type TorchTarget struct {
	Target  string
	Task    string // task of a transformer, or ""
	Example string
	Input   []string
	Seed    int64
}

const targetUsage = "an nn.Module, ExportedProgram, ScriptModule, an object with forward and example_arguments, or what returns one: `FILE.py:CALLABLE`, module:callable, or a saved .pt2"

func (t *TorchTarget) Options() []session.Option {
	return []session.Option{
		session.Path(&t.Target, "target", targetUsage).Holding(WithTargetPath).OfFiles(session.TorchFiles...).Looking(checkTarget).AsOperand().AsRequired().Does(permit.Python),
		session.List(&t.Input, "input", "pass a tensor to the model: `NAME=WHAT`, such as x=f32[1,3,224,224], ids=i64[2]{1,2}, x=cat.npy; NAME may be a path into an argument, such as batch.masks.0; repeat for several").Holding(inputs.WithPath).OfFiles(inputs.FileKinds...).Naming(session.NamesArgument, "=").AsUsual().In(session.GroupInputs),
		session.Path(&t.Example, "example", "pass the arrays of this .npz to the model, each named after its argument").OfFiles(".npz").WithDefault("generated values").AsUsual().In(session.GroupInputs),
		session.Int(&t.Seed, "seed", "use this seed for values that --input does not give", 0).WithDefault("0").AsRare().In(session.GroupInputs),
	}
}

// WithTargetPath replaces the path in a target.
func WithTargetPath(target string, path func(string) string) string {
	if file, name, ok := strings.Cut(target, ".py:"); ok {
		return path(file+".py") + ":" + name
	}
	if strings.HasSuffix(target, ".pt2") || isScript(target) {
		return path(target)
	}
	return target // a module has no path
}

// checkTarget returns an error if a target does not name a model. The error lists what a file has
// instead.
func checkTarget(target string) error {
	file, _, _ := strings.Cut(target, ".py:")
	switch {
	case file != target:
		return IsThere(file + ".py")
	case strings.HasSuffix(target, ".pt2") || isScript(target):
		return IsThere(target)
	case strings.ContainsRune(target, ':'):
		return nil // Python searches for the module
	}
	said := text.CleanLine(target)
	if !strings.HasSuffix(target, ".py") {
		return session.UsageError(said + ": expected FILE.py:CALLABLE, module:callable, or a saved .pt2 or .pt")
	}
	if err := IsThere(target); err != nil {
		return err
	}
	names, err := torch.Callables(target)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return session.UsageError(said + ": expected FILE.py:CALLABLE, and it defines no function or class")
	}
	return session.UsageError(said + ": expected FILE.py:CALLABLE; it defines " + graphops.QuoteNames(names))
}

func IsThere(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file", text.CleanLine(path))
	}
	return err
}

// isScript reports whether the name is that of a saved ScriptModule.
func isScript(path string) bool {
	return strings.HasSuffix(path, ".pt") || strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".torchscript")
}

// given returns the tensors of --input and --example, by the path of the argument.
func (t *TorchTarget) given() (graphops.Feeds, error) {
	out := graphops.Feeds{}
	if t.Example != "" {
		arrays, err := npz.Open(t.Example, npz.Options{})
		if err != nil {
			return nil, err
		}
		for _, a := range arrays {
			out[a.Name] = graphops.TensorValue(a.Tensor)
		}
	}
	for _, said := range t.Input {
		name, what, ok := strings.Cut(said, "=")
		if !ok || name == "" || what == "" {
			return nil, session.UsageError(fmt.Sprintf("--input %q: expected NAME=WHAT, such as x=f32[1,3,224,224]", said))
		}
		v, err := t.value(name, what)
		if err != nil {
			return nil, fmt.Errorf("--input %s: %w", name, err)
		}
		out[name] = graphops.TensorValue(v)
	}
	return out, nil
}

// value returns a tensor: generated for a type and shape, written as a literal, or from a file.
func (t *TorchTarget) value(name, what string) (tensor.Tensor, error) {
	if strings.ContainsRune(what, '{') {
		return tensor.ParseLiteral(what)
	}
	if !strings.HasSuffix(what, "]") {
		arrays, err := npz.Open(what, npz.Options{})
		if err != nil {
			return tensor.Tensor{}, err
		}
		if len(arrays) != 1 {
			return tensor.Tensor{}, fmt.Errorf("%s: %d arrays, expected one; --example takes the arrays of an .npz", what, len(arrays))
		}
		return arrays[0].Tensor, nil
	}
	typ, err := graphops.ParseType(what)
	if err != nil {
		return tensor.Tensor{}, err
	}
	for axis, d := range typ.Shape {
		if !d.IsFixed() {
			return tensor.Tensor{}, fmt.Errorf("axis %d of %s has no size; an example has a size on every axis; --dynamic makes it dynamic", axis, what)
		}
	}
	made, err := inputs.Generate([]graphops.NamedType{{Name: name, Type: typ}}, inputs.Options{Seed: uint64(t.Seed)})
	if err != nil {
		return tensor.Tensor{}, err
	}
	return made.Feeds[name].Tensor, nil
}

// DynamicAxes parses the values of --dynamic, NAME:AXIS or NAME:AXIS=SYMBOL. A name may contain
// colons, so the last ones separate the parts.
func DynamicAxes(list []string) ([]torch.DynamicAxis, error) {
	var out []torch.DynamicAxis
	for _, said := range list {
		name, symbol, named := said, "", false
		if i := strings.LastIndexByte(said, '='); i > strings.LastIndexByte(said, ':') {
			name, symbol, named = said[:i], said[i+1:], true
		}
		i := strings.LastIndexByte(name, ':')
		axis, err := strconv.Atoi(name[i+1:])
		if i <= 0 || err != nil || axis < 0 || named && symbol == "" {
			return nil, session.UsageError(fmt.Sprintf("--dynamic %q: expected NAME:AXIS or NAME:AXIS=SYMBOL, such as x:0=batch", said))
		}
		if !named {
			symbol = fmt.Sprintf("%s_dim_%d", strings.ReplaceAll(name[:i], ".", "_"), axis)
		}
		out = append(out, torch.DynamicAxis{Path: name[:i], Axis: axis, Symbol: symbol})
	}
	return out, nil
}

// TorchChild returns how to start the user's Python, in the user's working folder.
func TorchChild(env session.Env, temp string, how runtime.Execution) (torch.Child, error) {
	if env.Python == nil {
		return torch.Child{}, session.UsageError("Python cannot be run here")
	}
	interpreter, err := env.Python()
	if err != nil {
		return torch.Child{}, err
	}
	folder, err := filepath.Abs(".")
	return torch.Child{
		Interpreter: interpreter, Folder: folder, TempDir: temp, Timeout: how.Timeout, Memory: how.MemoryLimit,
		Phase: func(phase string) { env.Progress(session.Progress{Phase: phase}) },
	}, err
}

// Open makes the PyTorch model in a child process and runs it once.
func (t *TorchTarget) Open(ctx context.Context, c torch.Child, o torch.Opening) (*torch.Bridge, error) {
	given, err := t.given()
	if err != nil {
		return nil, err
	}
	if t.Task == "" {
		if err := checkTarget(t.Target); err != nil {
			return nil, err
		}
	}
	o.Target, o.Task, o.Given = t.Target, t.Task, given
	return torch.Open(ctx, c, o)
}
