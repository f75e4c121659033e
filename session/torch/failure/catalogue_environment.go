package failure

import (
	"strings"

	"lathe/graphops/pattern"
	"lathe/session/text"
)

// packageOf maps modules to their packages, if the names differ.
var packageOf = map[string]string{"cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml", "sklearn": "scikit-learn", "onnx_ir": "onnx-ir"}

// ofEnvironment are failures that are due neither to the model nor to its example.
var ofEnvironment = []entry{
	{
		id:      "missing-package",
		matches: func(r raised) (string, bool) { return r.raw.Missing, r.raw.Missing != "" },
		meaning: "a package is missing in this Python",
		next:    withPackage,
	},
	{
		id:      "memory-limit",
		matches: says(`failed to map segment from shared object|[Cc]annot allocate memory|^MemoryError|can't allocate memory|not enough memory`),
		meaning: "there is not enough memory, or --memory-limit leaves too little: importing PyTorch alone takes about 1 GiB",
		next:    always(flags("give it more, or leave the limit out", "--memory-limit", "4G"), code("export where there is more memory")),
	},
	{
		id:      "functions-not-converted",
		matches: says(`(?s)(?:convert_version|version converter).{0,400}functions|version conversion pass does not support functions`),
		meaning: "the installed onnxscript cannot convert models with functions to another opset",
		next: func(r raised) []Suggestion {
			return []Suggestion{install("bring it up to date: " + r.raw.pip("install -U onnxscript")), flags("leave --opset out; lathe export --opset raises it afterwards")}
		},
	},
	{
		id:      "device",
		matches: wantsDevice,
		meaning: "the code requires a device that is not available here",
		next:    withoutDevice,
	},
}

// withPackage suggests how to make a package available. A package in a parent folder is the user's
// own; one with the same name in a registry would be someone else's.
func withPackage(r raised) []Suggestion {
	if r.raw.MissingAt != "" {
		folder := text.Clean(r.raw.MissingAt)
		return []Suggestion{code("it is in " + folder + ", which is not on the path of Python: PYTHONPATH=" + folder)}
	}
	name, _, _ := strings.Cut(r.about, ".")
	if other, ok := packageOf[name]; ok {
		name = other
	}
	out := []Suggestion{install("install it: " + r.raw.pip("install "+name))}
	if name == "torch" {
		out = append(out, code("name the Python that has it with --python, or activate its environment"))
	}
	if name == "onnxscript" || name == "onnx-ir" {
		out = append(out, flags("use the old exporter, which does not need it", "--strategy", "legacy"))
	}
	return out
}

var (
	// deviceTold matches messages that name the missing device.
	deviceTold = says(
		`deserialize object on an? (\w+) device`,
		`Torch not compiled with (\w+) enabled`,
		`not linked with support for (\w+) devices`,
		`Could not run 'aten::empty[^']*' with arguments from the '(CUDA|MPS|XPU|HIP|XLA|HPU|MTIA)' backend`,
	)
	// deviceMeant matches messages about a missing NVIDIA device that do not name it.
	deviceMeant = says(`Found no NVIDIA driver`, `No CUDA GPUs are available`, `The NVIDIA driver on your system is too old`)
	cudaText    = pattern.New(`CUDA error: ([^\n]+)`)
	// cudaHere matches errors that occur only if there is a CUDA device, such as one that has no
	// memory left.
	cudaHere = pattern.New(`out of memory|assert|illegal|misaligned|launch|invalid argument|invalid configuration`)
)

func wantsDevice(r raised) (string, bool) {
	if device, ok := deviceTold(r); ok {
		return strings.ToLower(device), true
	}
	if _, ok := deviceMeant(r); ok {
		return "cuda", true
	}
	m := cudaText.FindStringSubmatch(r.all)
	return "cuda", m != nil && !cudaHere.MatchString(m[1])
}

func withoutDevice(r raised) []Suggestion {
	made := code("create tensors on the device of the arguments, such as torch.arange(n, device=x.device)")
	loaded := code(`load to the device that is used, such as torch.load(path, map_location="cpu")`)
	switch {
	case strings.Contains(r.all, "deserialize object"):
		return []Suggestion{loaded, made}
	case r.stage == "load":
		return []Suggestion{code(`leave the model and its example on the device where they are created, without .to("` + r.about + `")`), made, loaded}
	}
	return []Suggestion{made, loaded}
}
