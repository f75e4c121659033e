package graphops_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// zipOf is an archive of empty files.
func zipOf(t testing.TB, comment string, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := w.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetComment(comment); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tensorFile is a tensor as a test data set holds it.
func tensorFile(t testing.TB, x *onnxpb.TensorProto) string {
	t.Helper()
	b, err := proto.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// made is a file that its own tool has made (testdata/formats.py).
func made(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "formats", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestNotAModel names what people open by mistake, and what to do instead.
func TestNotAModel(t *testing.T) {
	whole := string(graphtest.Bytes(t, allParts))
	tests := []struct {
		name, file, content string
		want                []string
	}{
		{"empty", "m.onnx", "", []string{"is empty"}},
		{"a checkpoint", "checkpoint", "\x14\x00\x00\x00ODTC\x00\x00", []string{"training checkpoint", "--checkpoint"}},
		{"an .ort model", "m.ort", "\x20\x00\x00\x00ORTM\x00\x00", []string{".ort format"}},
		{"TensorFlow Lite", "m.tflite", made(t, "model.tflite"), []string{"TensorFlow Lite"}},
		{"a TensorFlow graph", "m.pb", made(t, "graph.pb"), []string{"a TensorFlow graph", "tf2onnx"}},
		{"a SavedModel", "saved_model.pb", made(t, "saved_model.pb"), []string{"a TensorFlow SavedModel", "tf2onnx"}},
		{"Core ML", "m.mlmodel", made(t, "model.mlmodel"), []string{"a Core ML model"}},
		{"OpenVINO", "m.xml", made(t, "openvino.xml"), []string{"an OpenVINO model"}},
		{"safetensors", "m.safetensors", made(t, "model.safetensors"), []string{"safetensors"}},
		{"a pickle", "m.pth", "\x80\x02}q\x00.", []string{"Python pickle"}},
		{"a pickle called a model", "m.onnx", "\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00]\x94.", []string{"Python pickle"}},
		{"HDF5", "m.h5", "\x89HDF\r\n\x1a\n\x00", []string{"HDF5", "Keras"}},
		{"NumPy", "m.npy", "\x93NUMPY\x01\x00", []string{"NumPy"}},
		{"GGUF", "m.gguf", "GGUF\x03\x00\x00\x00", []string{"GGUF"}},
		{"TensorRT", "m.engine", "ftrt\x00\x00\x00\x00", []string{"TensorRT engine"}},
		{"Parquet", "m.parquet", "PAR1\x15\x04", []string{"Parquet"}},
		{"Arrow", "m.arrow", "ARROW1\x00\x00", []string{"Arrow"}},

		{"gzip", "m.onnx.gz", "\x1f\x8b\x08\x00", []string{"gzip", "unpack"}},
		{"zstd", "m.onnx.zst", "\x28\xb5\x2f\xfd\x24\x00\x01\x00", []string{"zstd", "unpack"}},
		{"xz", "m.onnx.xz", "\xfd7zXZ\x00\x00\x04", []string{"by xz", "unpack"}},
		{"bzip2", "m.onnx.bz2", "BZh91AY&SY", []string{"bzip2", "unpack"}},
		{"tar", "m.tar", "m.onnx" + strings.Repeat("\x00", 251) + "ustar\x0000", []string{"a tar archive", "unpack"}},
		{"7z", "m.7z", "7z\xbc\xaf\x27\x1c\x00\x04", []string{"a 7z archive"}},
		{"rar", "m.rar", "Rar!\x1a\x07\x01\x00", []string{"a rar archive"}},

		{"a PyTorch file", "m.pt", zipOf(t, "", "m/data.pkl", "m/byteorder", "m/data/0", "m/version"), []string{"a PyTorch file", "export"}},
		{"TorchScript", "m.pt", zipOf(t, "", "m/data.pkl", "m/code/__torch__/M.py", "m/data/0", "m/constants.pkl", "m/version"), []string{"a TorchScript model"}},
		{"torch.export", "m.pt2", zipOf(t, "", "m/archive_format", "m/byteorder", "m/models/model.json", "m/version"), []string{"torch.export"}},
		{"torch.export, older", "m.pt2", zipOf(t, "", "serialized_exported_program.json", "serialized_state_dict.pt", "version"), []string{"torch.export"}},
		{"arrays", "m.npz", zipOf(t, "", "a.npy", "b.npy"), []string{"NumPy arrays"}},
		{"Keras", "m.keras", zipOf(t, "", "metadata.json", "config.json", "model.weights.h5"), []string{"a Keras model"}},
		{"a packed model", "m.zip", zipOf(t, "", "readme", "deep/model.onnx"), []string{`holds "deep/model.onnx"`, "unpack"}},
		{"a packed SavedModel", "m.zip", zipOf(t, "", "m/saved_model.pb"), []string{"SavedModel"}},
		{"a Core ML package", "m.mlpackage.zip", zipOf(t, "", "Manifest.json", "Data/com.apple.CoreML/model.mlmodel"), []string{"Core ML package"}},
		{"a zip with a comment", "m.zip", zipOf(t, strings.Repeat("-", 60000), "m/data.pkl"), []string{"a PyTorch file"}},
		{"another zip", "m.zip", zipOf(t, "", "readme"), []string{"a zip archive"}},
		{"an empty zip", "m.npz", "PK\x05\x06" + strings.Repeat("\x00", 18), []string{"a zip archive"}},
		{"a zip cut off", "m.pt", "PK\x03\x04\x14\x00", []string{"a zip archive"}},

		{"a Git LFS pointer", "m.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", []string{"Git LFS", "git lfs pull"}},
		{"a git-annex pointer", "m.onnx", "/annex/objects/SHA256E-s1--00.onnx\n", []string{"git-annex", "git annex get"}},
		{"a web page", "m.onnx", "\n<!DOCTYPE html>\n<html><body>Please log in</body></html>", []string{"a web page", "log in"}},
		{"a web page without a type", "m.onnx", "\xef\xbb\xbf<HTML lang=de>\n", []string{"a web page"}},
		{"a web page of XML", "m.onnx", "<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>", []string{"a web page"}},
		{"a server's XML", "m.onnx", "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", []string{"error message of a server"}},
		{"a server's JSON", "m.onnx", `{"error":"Invalid credentials in Authorization header"}`, []string{"error message of a server"}},
		{"a model as JSON", "m.json", `{"irVersion":"8","graph":{"node":[]}}`, []string{"in JSON form"}},
		{"a model as text", "m.txtpb", "ir_version: 8\ngraph {\n}\n", []string{"text form", "text_format"}},
		{"a model in ONNX's syntax", "m.txt", "<\n  ir_version: 7,\n  opset_import: [\"\" : 10]\n>\nagraph (x) => (y) { }\n", []string{"text syntax", "protobuf form"}},
		{"a model in ONNX's syntax, with comments", "m.txt", "# one\n\n  # two\n<ir_version: 7>\nagraph (x) => (y) { }\n", []string{"text syntax"}},
		{"comments", "m.txt", "# ir_version: 7\n#", []string{"a text file"}},
		{"an index of weights", "model.safetensors.index.json", `{"metadata": {}, "weight_map": {}}`, []string{"the index of safetensors files", "lathe inspect"}},
		{"a configuration", "config.json", `{"architectures": ["BertModel"]}`, []string{"a JSON file"}},
		{"XML", "m.xml", "<?xml version='1.0'?><a/>", []string{"an XML file"}},
		{"text", "m.onnx", "import torch\nprint('hello')\n", []string{"a text file"}},
		{"text of one line", "m.onnx", "x", []string{"a text file"}},

		{"a program of Linux", "m.so", "\x7fELF\x02\x01\x01", []string{"executable"}},
		{"a program of Windows", "m.exe", "MZ\x90\x00\x03\x00", []string{"Windows"}},
		{"a program of macOS", "m.dylib", "\xcf\xfa\xed\xfe\x0c\x00\x00\x01", []string{"macOS"}},

		{"a tensor", "input_0.pb", tensorFile(t, &onnxpb.TensorProto{
			Name: proto.String("x"), DataType: proto.Int32(1), Dims: []int64{1, 2}, RawData: make([]byte, 8),
		}), []string{`a serialized tensor, "x" f32 1×2`}},
		{"a tensor of integers", "input_0.pb", tensorFile(t, &onnxpb.TensorProto{
			DataType: proto.Int32(7), Dims: []int64{2}, Int64Data: []int64{8, 1},
		}), []string{`a serialized tensor, "" i64 2`}},
		{"a tensor of strings", "output_0.pb", tensorFile(t, &onnxpb.TensorProto{
			Name: proto.String("y"), DataType: proto.Int32(8), Dims: []int64{1}, StringData: [][]byte{[]byte("a")},
		}), []string{`a serialized tensor, "y" str 1`}},
		{"a sequence of tensors", "input_0.pb", "\x0a\x01s\x10\x01\x1a\x0a\x08\x01\x10\x01\x4a\x04\x00\x00\x00\x00", []string{"a serialized sequence or optional of tensors"}},
		{"a tensor that is too short", "input_0.pb", tensorFile(t, &onnxpb.TensorProto{
			DataType: proto.Int32(1), Dims: []int64{3}, RawData: make([]byte, 8),
		}), []string{"the model has no graph"}},

		{"random bytes", "m.onnx", "\xf3\x91\x05\x00\xff\xfe\xc8\x11", []string{"not an ONNX model"}},
		{"zeros", "m.onnx", strings.Repeat("\x00", 600), []string{"not an ONNX model"}},
		{"another message", "m.pb", "\x0a\x03abc\x10\x01", []string{"not an ONNX model"}},
		{"no graph", "m.onnx", "\x08\x08\x42\x02\x10\x11", []string{"has no graph"}},
		{"a model cut off", "m.onnx", whole[:len(whole)/2], []string{"truncated: the graph takes", "fetch it again"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := graphops.Open(path, graphops.OpenOptions{})
			for _, part := range append(tt.want, path+": ") {
				if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v lacks %q", err, part)
				}
			}
			_, streamed := graphops.Read(strings.NewReader(tt.content), "-", graphops.OpenOptions{})
			_, decoded := graphops.Decode([]byte(tt.content))
			if streamed == nil || decoded == nil || err == nil ||
				streamed.Error() != "-: "+decoded.Error() || err.Error() != path+": "+decoded.Error() {
				t.Errorf("from a file: %v\nfrom a stream: %v\nfrom bytes: %v", err, streamed, decoded)
			}
		})
	}
}

// TestNoModelIsMistaken opens models whose bytes hold what other formats are told
// by. Every one is a model to ONNX Runtime.
func TestNoModelIsMistaken(t *testing.T) {
	model := func(edit func(*onnxpb.ModelProto)) string {
		p := graphtest.Proto(t, "opset 20\ninput x f32[2]\ny = Relu(x)\noutput y f32[2]")
		p.IrVersion, p.ProducerName = nil, nil
		edit(p)
		return serialized(t, p)
	}
	graph := model(func(*onnxpb.ModelProto) {})
	tests := map[string]string{
		"a producer called as a checkpoint is": "\x08\x08\x12\x04ODTC" + graph,
		"one called as TensorFlow Lite is":     "\x08\x08\x12\x04TFL3" + graph,
		"fields of Core ML":                    "\x08\x01\x12\x01p\xa2\x1f\x00" + graph,
		"fields of a SavedModel":               "\x08\x01\x12\x06\x0a\x01a\x12\x01b" + graph,
		"a tar's magic in the description":     "\x08\x08\x32\x83\x02" + strings.Repeat("d", 252) + "ustar\x00\x00" + graph,
		"the graph before the version":         graph + "\x08\x08",
		"a version that is text":               "\x0a\x03{ }\x08\x08" + graph,
		"an entry of an archive at its end":    graph + "\x08\x08\x12\x04PK\x05\x06",
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.onnx")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil || len(m.Graph().Nodes()) != 1 {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestFolderOpened names what a folder holds that was opened as a model, and how
// far a link leads that leads nowhere.
func TestFolderOpened(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"an empty folder":    {map[string]string{"x/y": ""}, "is a directory, expected a regular file"},
		"a folder of models": {map[string]string{"b.onnx": "", "a.onnx": "", "x": ""}, "a directory that contains a.onnx, b.onnx; give the path of the model file"},
		"a folder of many":   {map[string]string{"a.onnx": "", "b.onnx": "", "c.onnx": "", "d.onnx": ""}, "a.onnx, b.onnx, c.onnx, …; give"},
		"a SavedModel":       {map[string]string{"saved_model.pb": "", "variables/variables.index": ""}, "TensorFlow SavedModel"},
		"an old checkpoint":  {map[string]string{"paramtrain_tensors.pbseq": "", "paramfrozen_tensors.pbseq": ""}, "1.15 or older"},
		"a Core ML package":  {map[string]string{"Manifest.json": "", "Data/com.apple.CoreML/model.mlmodel": ""}, "Core ML package"},
		"Hugging Face":       {map[string]string{"config.json": "", "model.safetensors": ""}, "Hugging Face"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tree(t, dir, tt.files)
			if _, err := graphops.Open(dir, graphops.OpenOptions{}); err == nil || !strings.Contains(err.Error(), dir+": is ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestNameTells looks at what stands beside a file that tells nothing itself.
func TestNameTells(t *testing.T) {
	dir := t.TempDir()
	weights := strings.Repeat("\x00\x00\x80\x3f", 4)
	tree(t, dir, map[string]string{
		"m.onnx": "", "m.onnx.data": weights, "m.onnx_data": weights, "alone.data": weights,
		"v.xml": made(t, "openvino.xml"), "v.bin": made(t, "openvino.bin"),
		"gone.onnx": "-> nowhere.onnx", "annex.onnx": "-> .git/annex/objects/K/q/k.onnx",
	})
	for name, want := range map[string]string{
		"m.onnx.data": "perhaps the weights of m.onnx beside it; open that one",
		"m.onnx_data": "perhaps the weights of m.onnx beside it",
		"v.bin":       "perhaps the weights of v.xml beside it",
		"alone.data":  "damaged, or not an ONNX model",
		"gone.onnx":   "is a link to nowhere.onnx, which does not exist",
		"annex.onnx":  "git annex get",
	} {
		if _, err := graphops.Open(filepath.Join(dir, name), graphops.OpenOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}
