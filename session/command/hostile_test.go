package command

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/parameters/parameterstest"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/ort/orttest"
	"lathe/session/steps/look"
	"lathe/session/text"
)

// hostileCommand is a command line on the files of a hostileFolder. § is replaced by the payload, a
// word that begins with $ by the path of a file.
type hostileCommand struct {
	line string
	code int // the exit code for a harmless payload and for at least one hostile payload
}

// apart is the code of commands whose exit code depends on the payload. Only their output is
// checked.
const apart = -1

// hostileCommands run every command, both so that it succeeds and so that it fails.
var hostileCommands = []hostileCommand{
	{"$model", 0},
	{"inspect $model", 0},
	{"inspect $model --nodes --values --tensors --ops --places", 0},
	{"inspect $model --nodes --values --in §If:§then_branch", 0},
	{"inspect $model --nodes --in §com.example.local:§Double", 0},
	{"inspect $model --nodes --filter op:§Neg", apart},
	{"inspect $model --nodes --in §If:§else", 1},
	{"inspect $model --nodes --in §", 1},
	{"inspect $model --filter §", 2},
	{"inspect $external --tensors --values", 0},
	{"inspect $key --tensors", 0},
	{"inspect $arrays --tensors", 0},
	{"inspect $trained --tensors", apart},
	{"inspect $trained --filter §w", apart},
	{"inspect $trained --nodes", apart},
	{"inspect $weights --metadata", apart},
	{"inspect $garbage", 1},
	{"inspect $folder", 1},
	{"inspect $missing", 1},
	{"inspect -", 1},
	{"prune $model --output §h", 0},
	{"prune $model --output §y --input §h -o $new", 0},
	{"prune $model --output §none", 1},
	{"prune $model --output §h -o $model", 1},
	{"prune $model --output §h -o $model --force", 1},
	{"prune $model --output §h -o $folder", 1},
	{"prune $model", 2},
	{"check $model --all", 3},
	{"check $run --weights", 0},
	{"check $external", 3},
	{"check $key", 3},
	{"check $model --include §", 2},
	{"check $missing", 1},
	{"check $garbage", 1},
	{"check --explain §", 2},
	{"axes $run --fix §N=3", 0},
	{"axes $run --dynamic §x:0=B", 0},
	{"axes $run --dynamic §x:0=§B", apart},
	{"axes $run --fix §none=3", 1},
	{"axes $run --dynamic §x:7=B", 1},
	{"axes $run --dynamic §", 2},
	{"axes $run --fix §N=§", 2},
	{"annotate $model --value §h=f32[K,4] --no-check", 0},
	{"annotate $model --value §h=f32[§K,4] --no-check", apart},
	{"annotate $model --remove §h --no-check -o $new", 0},
	{"annotate $model --value §none=f32", 1},
	{"annotate $model --value §h=§", 2},
	{"attribute $model --node §node --set §text=§new --no-check", 0},
	{"attribute $model --node §node --remove §list --no-check -o $new", 0},
	{"attribute $model --node §none --remove §list", 1},
	{"attribute $model --node §node --remove §none", 1},
	{"attribute $model --node §node --set §n=§", 1},
	{"bypass $run --node §act", 0},
	{"bypass $run --node §gemm", 0},
	{"bypass $run --node §none", 1},
	{"constants to-nodes $run", 0},
	{"constants to-initializers $run", 0},
	{"constants to-inputs $run --no-check --save $array -o $new", 0},
	{"constants to-inputs $run --value §none", 1},
	{"constants from-inputs $run --data $arrays", 0},
	{"constants § $run", 2},
	{"delete $model --node §free --downstream", 0},
	{"delete $model --node §node", 1},
	{"delete $model --node §none", 1},
	{"insert $run --value §h --op identity --name §id --no-check", 0},
	{"insert $run --value §none --op identity", 1},
	{"replace $run --node §none --op Abs", 1},
	{"replace $run --node #0 --op §", 1},
	{"replace $run --node #0 --op Abs --name §id --no-check", 0},
	{"replace $run --node #0 --op Abs --set §=§ --no-check", 1},
	{"replace $run --node #0 --op Abs --domain § --no-check", 1},
	{"replace $run --node #0 --op Add --input §=§ --no-check", 1},
	{"insert $run --value §h --op §", 1},
	{"insert $run --value §h --op Add --input §=§", 1},
	{"insert $run --value §h --op Add --input 1=§", 1},
	{"insert $run --value §h --op LeakyRelu --set §=§", 1},
	{"insert $run --value §h --op Sub --at §", 1},
	{"insert $run --value §h --op LeakyRelu --set alpha=0.5 --name §id --no-check", 0},
	{"insert $run --value §h --to §", 2},
	{"merge $run --with $other --prefix §p", 0},
	{"merge $run --with $other --connect §y=§none", 1},
	{"merge $run --with $missing", 1},
	{"merge $run --with $garbage", 1},
	{"metadata $model --set §k2=§v2 --doc § --producer § --producer-version § --domain § --graph-name §", 0},
	{"metadata $model --of node:§node --set §k=§v", 0},
	{"metadata $model --of value:§h --remove §k --doc §", 0},
	{"metadata $model --of §", 2},
	{"metadata $model --remove-field §", 2},
	{"rename $model --value §h=§hh --node §node=§nn", 0},
	{"rename $model --value §none=§hh", 1},
	{"rename $model --value §h=§x", 1},
	{"rename $model --value §", 2},
	{"export $model -o $new", 0},
	{"export $model -o $new --external-data=1", 0},
	{"export $model -o $new --external-data=1 --split-data 1", 0},
	{"export $model -o $new --external-data --split-data §", 2},
	{"export $model -o $new --split-data 1", 2},
	{"export $model -o $new --opset 21", 1},
	{"export $run --weights $run -o $new", 0},
	{"export $run --weights $garbage", 1},
	{"export $run --checkpoint $run", 1},
	{"export $model -o $model/§", 1},
	{"torch § $model", 2},
	{"torch doctor §", 2},
	{"torch explain $model", 1},
	{"torch explain § §", 2},
	{"torch export $model:§ -o $new", 1},
	{"torch task § $model -o $new", 2},
	{"torch task default § -o $new", 1},
	{"torch task pooling $model:§ -o $new", 1},
	{"torch export $model:§ --input § -o $new", 1},
	{"torch export $model:§ --dynamic § -o $new", 2},
	{"torch export $model:§ --weights § -o $new", 2},
	{"torch export $model:§ --fake --strategy legacy -o $new", 2},
	{"export $external -o $new", 1},
	{"export $key -o $new", 1},
	{"export $model --output §none -o $new", 1},
	{"simplify $run --no-check -o $new", 0},
	{"simplify $model --no-check", 0},
	{"simplify $run --exclude § -o $new", 2},
	{"simplify $run --max-growth §", 2},
	{"optimize $run --opt basic -o $new", 4},
	{"optimize $run --opt § -o $new", 2},
	{"optimize $run --transformers --model-type § -o $new", 1},
	{"quantize dynamic $run -o $new", 0},
	{"quantize dynamic $skips -o $new", 0},
	{"quantize dynamic $run --exclude §none -o $new", 1},
	{"quantize dynamic $run --include-ops § -o $new", 1},
	{"quantize dynamic $model -o $new", 1},
	{"quantize § $model -o $new", 2},
	{"quantize static $run --data §none -o $new", 1},
	{"quantize static $run --exclude § --ranges §none", 2},
	{"quantize float16 $run --keep § -o $new", 1},
	{"quantize float16 $run --no-check --no-scan -o $new", 0},
	{"quantize bfloat16 $run --include-ops § -o $new", 1},
	{"quantize bfloat16 $run --no-check -o $new", 0},
	{"quantize sensitivity $run --estimate", 0},
	{"quantize sensitivity $run --exclude §none --estimate", 1},
	{"quantize sensitivity $run --include-ops § --estimate", 1},
	{"quantize auto $run --target §", 2},
	{"quantize auto $run --choose §", 2},
	{"quantize auto $run --choose §=dynamic", 1},
	{"quantize auto $run --target snr:§>=1dB --exclude §none", 1},
	{"quantize compare $run --mode §", 2},
	{"quantize compare $run --keep $folder", 1},
	{"quantize nbits $run --exclude §none -o $new", 1},
	{"quantize nbits $run --include-ops § -o $new", 1},
	{"run $recipe", 0},
	{"run $recipe --set model=$missing", 1},
	{"run $recipe --set §=§", 2},
	{"run $recipe --set §", 2},
	{"run $recipe --set 1.§=§", 2},
	{"run $badstep", 2},
	{"run $badoption", 2},
	{"run $badkey", 2},
	{"run $badversion", 2},
	{"run $baditems", 2},
	{"run $badfile", 1},
	{"run $garbage", 2},
	{"run $folder", 1},
	{"run $missing", 1},
	{"§ §", 2},
	{"§", 1},
	{"inspect --§ $model", 2},
	{"inspect -§ $model", 2},
	{"inspect $model §", 2},
	{"version §", 2},
	{"runtime §", 2},
	{"runtime list §", 2},
	{"runtime install --from $missing", 1},
	{"runtime install --from $garbage", 1},
	{"runtime install --version §", 1},
	{"runtime install --sha256 § --from $garbage", 1},
	{"history", 0},
	{"history --all --limit 3", 0},
	{"history --machine §", 0},
	{"history §", apart},
	{"history $model", 0},
	{"history $garbage", 1},
	{"report $kept -o $page", 0},
	{"report $kept $kept -o $page --force", 0},
	{"report $kept -o §", 2},
	{"report $garbage -o $page", 1},
	{"report $missing -o $page", 1},
	{"report $folder -o $page", 1},
	{"inspect $model --runtime $missing", 4},
	{"inspect $model --runtime $garbage", 4},
	{"run-model $run --python §", 1},
	{"inspect $external --tensors --allow-external $missing", 1},
	{"inspect $external --tensors --allow-external $folder", 0},
}

// hostileHelp are commands that do not print JSON.
var hostileHelp = []hostileCommand{
	{"help §", 2},
	{"inspect § --help", 0},
	{"inspect --json=§ $model", 2},
	{"completion §", 2},
	{"completion bash", 0},
	{"completion fish", 0},
	{"completion powershell", 0},
	{"completion zsh", 0},
	{"__complete §", 0},
	{"__complete inspect --filter §", 0},
	{"worker §", 2},
	{"export $model -o - --external-data §", 2},
}

// hostileRuns need an ONNX Runtime, and start a process for each model.
var hostileRuns = []hostileCommand{
	{"run-model $run --dim §N=2 --value §h --value §y", 0},
	{"run-model $run --data $arrays --save $array", 0},
	{"run-model $run --data $strange", 1},
	{"run-model $run --data $garbage", 1},
	{"run-model $run --value §none", 1},
	{"run-model $run --dim §M=2", 1},
	{"run-model $run --ep §", 4},
	{"simplify $run --fuse -o $new", 0},
	{"optimize $run --opt all", 0},
	{"optimize $run --opt basic -o $new", 0},
	{"optimize $run --opt basic --ep §", 4},
	{"run-model $model", 1},
	{"run-model $external", 1},
	{"diff $model $model", 0},
	{"diff $model $run --all", 3},
	{"diff $run $model --weights", 3},
	{"diff $external $model --all", 3},
	{"diff $model $missing", 1},
	{"diff $garbage $model", 1},
	{"validate $run $same --data $arrays", 0},
	{"validate $run $other --dim §N=2", 0},
	{"validate $run $model", 3},
	{"validate $run $differs --dim §N=2", 3},
	{"validate $run $breaks", 3},
	{"validate $breaks --reduce -o $new", 3},
	{"validate $run $differs --dim §N=2 --reduce -o $new", 3},
	{"validate $model --reduce", 3},
	{"run-model $breaks --opt disable", 1},
	{"check $model --runtime-load", 3},
	{"accuracy $run --data $arrays", 1},
	{"accuracy $run --data $arrays --labels $garbage", 1},
	{"accuracy $run --data $arrays --labels §", 1},
	{"accuracy $run --data $arrays --output §none", 1},
	{"accuracy $run $breaks --data $arrays --score §", 1},
	{"accuracy $run --tokens $arrays", 1},
	{"bench $run $breaks --runs 3 --warmup 1", 1},
	{"bench $run $same --runs 3 --warmup 1", 0},
	{"bench $run --runs 3 --warmup 1", 0},
	{"bench $run $model --runs 3", 1},
	{"bench $run --runs 20 --save $new", 0},
	{"bench $run --runs 20 --baseline $kept --different --max-regression 9999%", 0},
	{"bench $run --baseline $kept", 2},
	{"bench $run --baseline $garbage", 2},
	{"bench $run --max-regression § --baseline $kept", 2},
	{"bench $run --save $folder", 1},
	{"quantize dynamic $run -o $new --no-check", 0},
	{"quantize sensitivity $run", 0},
	{"quantize compare $run --seconds 0.1", 0},
	{"quantize compare $run --data §none", 1},
	{"quantize compare $model --seconds 0.1", 1},
	{"quantize auto $run --target snr>=1dB", 3},
	{"quantize auto $run --target snr:§>=1dB", 1},
	{"history", 0},
	{"history $run", 0},
	{"profile $run --runs 3 --peaks none", 0},
	{"profile $run --runs 3 --peaks none --save-trace $new", 0},
	{"profile $model --runs 3 --peaks none", 1},
	{"axes $run --dynamic §x:1=B -o $new", 0},
	{"runtime list --runtime $missing", 0},
}

// hostileFolder has the files that the commands name. The payload is in each file's name and in its
// content.
type hostileFolder struct {
	dir, payload, inName string
	output               int // new files so far
}

// newHostileFolder writes the files. A file name contains the part of the payload that is allowed
// in file names.
func newHostileFolder(t *testing.T, payload string) *hostileFolder {
	t.Helper()
	inName := strings.ReplaceAll(payload, "\x00", "")
	f := &hostileFolder{dir: t.TempDir(), payload: payload, inName: inName[:min(len(inName), longestInName)]}
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(f.path(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model := func(name string, m proto.Message) {
		t.Helper()
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		write(name, b)
	}
	model("model", graphtest.HostileProto(t, payload))
	model("run", graphtest.HostileRunnable(t, payload))
	model("same", graphtest.HostileRunnable(t, payload))
	model("differs", changed(t, payload, func(g *onnxpb.GraphProto) { g.Node[0].Attribute = alpha }))
	model("breaks", changed(t, payload, func(g *onnxpb.GraphProto) {
		// The Reshape to a shape of the wrong size fails only when the model runs.
		g.Node[1].OpType = proto.String("Reshape")
		g.Node[1].Input = append(g.Node[1].Input, payload+"shape")
		g.Initializer = append(g.Initializer, &onnxpb.TensorProto{
			Name: proto.String(payload + "shape"), DataType: proto.Int32(7), Dims: []int64{2}, Int64Data: []int64{3, 7},
		})
		g.Output[0].Type.GetTensorType().Shape = nil
	}))
	model("skips", changed(t, payload, func(g *onnxpb.GraphProto) {
		g.Node = append(g.Node, &onnxpb.NodeProto{
			Name: proto.String(payload + "square"), OpType: proto.String("MatMul"), Input: []string{payload + "h", payload + "y"}, Output: []string{payload + "square"},
		})
	}))
	model("other", graphtest.HostileRunnable(t, payload+"o"))
	model("external", graphtest.HostileExternal(t, payload+"w", "length"))
	model("key", graphtest.HostileExternal(t, "w", payload))
	write("garbage", []byte(payload))
	write("trained", trainedFile(payload))
	write("weights", parameterstest.Safetensors(weightsHeader(t, payload), nil))
	write("kept", keptFile(t, payload))
	write("arrays", arraysFile(t, payload+"x"))
	write("strange", arraysFile(t, payload, payload+"z"))
	for name, lines := range map[string]string{
		"recipe": "steps:\n- inspect\n- prune: {output: [§h]}\n- rename: {value: [§h=renamed]}", "badstep": "steps: [§]", "badoption": "steps: [{prune: {§: x}}]",
		"badkey": "§: 1", "badversion": "lathe: §", "baditems": "steps: [{prune: {output: {§: x}}}]", "badfile": "steps: [{merge: {with: §none}}]",
	} {
		write(name, f.recipe(t, lines))
	}
	if err := os.Mkdir(f.path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	return f
}

// trainedFile is a training checkpoint with the payload in every text.
func trainedFile(payload string) []byte {
	w := parameterstest.Tensor{Name: payload + "w", DType: tensor.F32, Dims: []int64{1}, Data: make([]byte, 4)}
	file, _ := parameterstest.Checkpoint{
		Trainable: []parameterstest.Tensor{w},
		Groups:    []parameterstest.Group{{Name: payload, States: []parameterstest.State{{Parameter: payload + "w", Momenta: []parameterstest.Tensor{w}}}}},
		Texts:     map[string]string{payload + "key": payload},
	}.Write()
	return file
}

// weightsHeader is the header of a safetensors file with one tensor. The payload is the name of the
// tensor's type.
func weightsHeader(t *testing.T, payload string) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"__metadata__": map[string]string{payload + "key": payload},
		payload + "w":  map[string]any{"dtype": payload + "type", "shape": []int{1}, "data_offsets": []int{0, 0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// alpha is an attribute that makes a Gemm differ from the original.
var alpha = []*onnxpb.AttributeProto{{Name: proto.String("alpha"), Type: onnxpb.AttributeProto_FLOAT.Enum(), F: proto.Float32(3)}}

// changed returns the model that the runtime loads, with a change to its graph.
func changed(t *testing.T, payload string, f func(*onnxpb.GraphProto)) *onnxpb.ModelProto {
	t.Helper()
	m := graphtest.HostileRunnable(t, payload)
	f(m.Graph)
	return m
}

// path returns the path of a file in the folder.
func (f *hostileFolder) path(name string) string { return filepath.Join(f.dir, f.inName+name) }

// marked matches § and the rest of its word in a recipe.
var marked = regexp.MustCompile(`§[a-z=]*`)

// recipe returns a recipe with § replaced by the payload, quoted for YAML.
func (f *hostileFolder) recipe(t *testing.T, lines string) []byte {
	t.Helper()
	return marked.ReplaceAllFunc([]byte("lathe: 1\nmodel: §model\n"+lines+"\n"), func(word []byte) []byte {
		s := strings.Replace(string(word), "§", f.payload, 1)
		if s == f.payload+"model" {
			s = filepath.Base(f.path("model"))
		}
		n := &yaml.Node{}
		n.SetString(s)
		n.Style = yaml.DoubleQuotedStyle
		b, err := yaml.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.ReplaceAll(bytes.TrimSpace(b), []byte("\n"), nil)
	})
}

// args splits a command line into words, with the payload and the paths filled in.
func (f *hostileFolder) args(line string) []string {
	words := strings.Fields(line)
	for i, w := range words {
		name, isFile := strings.CutPrefix(w, "$")
		switch {
		case name == "new" || name == "array":
			f.output++
			w = f.path(fmt.Sprint("new", f.output))
		case name == "page":
			f.output++
			w = f.path(fmt.Sprint("new", f.output, ".html"))
		case isFile:
			w = f.path(strings.ReplaceAll(name, "§", ""))
		case strings.HasPrefix(w, "model=$"):
			w = "model=" + f.inName + "missing"
		}
		words[i] = strings.ReplaceAll(w, "§", f.payload)
	}
	return words
}

// keptFile is a stored measurement with the payload in every text.
func keptFile(t *testing.T, payload string) []byte {
	t.Helper()
	content, err := json.Marshal(map[string]any{
		"schema": "lathe.result/1", "kind": "bench", "time": "2026-03-04T05:06:07Z", "lathe": payload,
		"machine":  map[string]any{"id": payload, "name": payload, "environment": map[string]any{"cpu": payload}},
		"models":   []any{map[string]any{"path": payload, "absolute": payload, "on": payload, "content": payload, "structure": payload}},
		"subjects": []any{map[string]any{"name": payload, "settings": map[string]any{payload: payload, "runtime": payload}}},
		"result": map[string]any{
			"schema": "lathe.bench/1", "notes": []string{payload}, "warnings": []any{map[string]any{"text": payload}},
			"runs": []any{map[string]any{"name": payload, "model": payload, "ep": payload, "p50_ms": 1, "verdict": payload, "block_medians_ms": []int{1, 2, 1, 2, 1, 2, 1, 2}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// arraysFile is an archive of arrays with these names.
func arraysFile(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", NonUTF8: true})
		if err == nil {
			err = npz.WriteArray(w, tensor.Tensor{DType: tensor.F32, Shape: []int64{2, 4}, Data: make([]byte, 32)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// answer is the result of a command.
type answer struct {
	code        int
	out, errOut string
}

func hostileRun(t *testing.T, args ...string) answer {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(args[0]), &out, &errOut)
	return answer{code, out.String(), errOut.String()}
}

// fault says what in an answer must not reach a terminal. It is "" if nothing is wrong.
func (a answer) fault(isJSON bool) string {
	if at := graphtest.Unprintable(a.out); at != "" {
		return fmt.Sprintf("standard output holds %s: %q", at, a.out)
	}
	if at := graphtest.Unprintable(a.errOut); at != "" {
		return fmt.Sprintf("standard error holds %s: %q", at, a.errOut)
	}
	if isJSON && (a.code == exitDone || a.code == exitNo) && !json.Valid([]byte(a.out)) {
		return fmt.Sprintf("standard output is not JSON: %q", a.out)
	}
	return ""
}

// longestInName is how much of the payload fits into a file name, in bytes.
const longestInName = 200

// payloadGroups joins the payloads to texts of at most this many bytes. Payloads that are not valid
// UTF-8 get groups of their own, because new names must be valid.
func payloadGroups(longest int) (groups []string) {
	wasText := false
	for _, p := range graphtest.Hostile {
		n, isText := len(groups), utf8.ValidString(p)
		if n > 0 && isText == wasText && len(groups[n-1])+1+len(p) <= longest {
			groups[n-1] += "," + p
		} else {
			groups = append(groups, p)
		}
		wasText = isText
	}
	return groups
}

// withoutRuntime hides installed runtimes, so that the output is the same on every machine.
func withoutRuntime(t *testing.T) {
	t.Helper()
	t.Cleanup(xdg.Reload) // runs after the environment is restored
	for _, name := range []string{"PATH", "LATHE_ORT_LIB", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	xdg.Reload()
}

// TestHostileNames runs every command on files that contain every payload, as text and as JSON. The
// output must contain printable characters only.
func TestHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	withoutRuntime(t)
	groups := payloadGroups(math.MaxInt)
	shown := hostileTest(t, hostileCommands, groups, "", " --json")
	for _, payload := range groups {
		if !strings.Contains(shown, text.Clean(payload)) {
			t.Errorf("%q is shown nowhere", payload)
		}
	}
	hostileTest(t, hostileHelp, groups, "")
}

// TestHostileCommandsAreAll checks that every command is among those that are tried.
func TestHostileCommandsAreAll(t *testing.T) {
	tried := func(words string) bool {
		return slices.ContainsFunc(slices.Concat(hostileCommands, hostileRuns, hostileHelp), func(c hostileCommand) bool {
			return strings.HasPrefix(c.line+" ", words+" ")
		})
	}
	var look func(c *cobra.Command, path string)
	look = func(c *cobra.Command, path string) {
		for _, sub := range c.Commands() {
			words := strings.TrimSpace(path + " " + sub.Name())
			if !tried(words) {
				t.Errorf("lathe %s is never tried with hostile names", words)
			}
			look(sub, words)
		}
	}
	look((&app{}).rootCommand(), "")
}

// TestHostileFileNames puts every payload into the name of a file.
func TestHostileFileNames(t *testing.T) {
	withoutRuntime(t)
	groups := payloadGroups(longestInName)
	shown := hostileTest(t, []hostileCommand{
		{"inspect $model", 0}, {"inspect $garbage", 1}, {"inspect $missing", 1}, {"prune $model --output §h -o $run", 1}, {"run $badkey", 2},
	}, groups, "", " --json")
	for _, payload := range groups {
		if !strings.Contains(shown, text.CleanLine(strings.ReplaceAll(payload, "\x00", ""))) {
			t.Errorf("%q is shown nowhere", payload)
		}
	}
}

// TestHostileNamesAtRuntime runs the commands that need an ONNX Runtime.
func TestHostileNamesAtRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	lib, err := orttest.Find()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("LATHE_ORT_LIB", lib.Path)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each worker waits for a second at its end
	hostileTest(t, hostileRuns, []string{"\x1b[2J\u202e\u009b2J\u200b\r\n\x1b]0;t", "\x9b\xff"}, "", " --json")
}

// hostileTest runs the commands with the flags of each format, and returns what they printed as
// text.
func hostileTest(t *testing.T, commands []hostileCommand, payloads []string, formats ...string) (shown string) {
	t.Helper()
	asExpected := make([]bool, len(commands))
	for i, payload := range append([]string{"plain"}, payloads...) {
		f := newHostileFolder(t, payload)
		for k, c := range commands {
			for n, flag := range formats {
				if n > 0 && (i == 0 || !utf8.ValidString(payload)) {
					continue // invalid UTF-8 cannot be written as JSON
				}
				args := f.args(c.line + flag)
				a := hostileRun(t, args...)
				if fault := a.fault(flag != ""); fault != "" {
					t.Errorf("%s%s with %q: %s", c.line, flag, payload, fault)
				}
				if i == 0 && a.code != c.code && c.code != apart {
					t.Errorf("%s%s: exit code %d, want %d: %s", c.line, flag, a.code, c.code, a.errOut)
				}
				asExpected[k] = asExpected[k] || i > 0 && a.code == c.code
				if flag == "" {
					shown += a.out + a.errOut
				}
			}
		}
	}
	for k, c := range commands {
		if !asExpected[k] && c.code != apart {
			t.Errorf("%s never comes to exit code %d with a hostile name", c.line, c.code)
		}
	}
	return shown
}

// TestHostileFaultsAreSeen plants each payload into an answer, as if a command had not cleaned it,
// and checks that fault finds it. Some payloads are harmless, or affect only the width of a line.
func TestHostileFaultsAreSeen(t *testing.T) {
	harmless := []string{`backslash\x1b[2J`, `\u{202e}`, `\`, `"quoted'`, "\ufffdreplaced", "%s%n%d", "${HOME}$(id)`id`;", "two\nlines"}
	for _, payload := range graphtest.Hostile {
		if strings.ContainsAny(payload, "=/") {
			t.Errorf("%q takes arguments and paths apart", payload)
		}
		isWide := slices.ContainsFunc([]string{"\u0903", "\u1161", "\U0001f3fb"}, func(r string) bool { return strings.Contains(payload, r) })
		for _, a := range []answer{{out: "1 node\n" + payload + "\n"}, {errOut: payload}} {
			if seen := a.fault(false) != ""; seen == (isWide || slices.Contains(harmless, payload)) {
				t.Errorf("%q in %q, %q: seen is %v", payload, a.out, a.errOut, seen)
			}
		}
	}
	if len(graphtest.Hostile) < 40 {
		t.Errorf("%d payloads", len(graphtest.Hostile))
	}
}

// TestHostileNamesInJSON checks that names come back from JSON unchanged if they are valid UTF-8.
func TestHostileNamesInJSON(t *testing.T) {
	for _, payload := range graphtest.Hostile {
		m := graphtest.Decode(t, graphtest.HostileProto(t, payload))
		step := &look.Inspect{Nodes: true}
		r, err := step.Run(t.Context(), session.Env{}, m)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (&app{json: true, out: &checkedWriter{w: &b}}).answer(r.Report); err != nil {
			t.Fatal(err)
		}
		if fault := (answer{out: b.String()}).fault(true); fault != "" {
			t.Errorf("%q: %s", payload, fault)
		}
		var doc struct {
			Nodes []struct {
				Name string `json:"name"`
			} `json:"node_list"`
		}
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%q: %v", payload, err)
		}
		want := string([]rune(payload + "node"))
		if len(doc.Nodes) == 0 || doc.Nodes[0].Name != want {
			t.Errorf("%q is read back as %q", want, doc.Nodes)
		}
	}
}
