package main

import "slices"

// A model is one of those that models.py makes.
type model struct {
	name, about string
	nodes       int    // of the main graph
	cut         string // the value that is cut out
	inputs      string // the inputs that the cut needs
}

var models = []model{
	{"large", "64 MatMuls with weights of 2048×2048, 1 GiB in one file", 64, "h32", "h0"},
	{"chain", "200,000 Adds in a row, in 1,000 layers by their names, 21 MB", 200_000, "/model/layers.499/Add_199_output_0", "x,up,down"},
	{"transformer", "an encoder of 4 layers from PyTorch, 0.9 MB", 389, "/layers.1/Add_output_0", "input_ids,attention_mask"},
	{"convolutional", "2 Convs and 2 Gemms from PyTorch, 0.5 MB", 9, "features", "input"},
	{"control-flow", "a decoder of 656 nodes in the branches of an If, from PyTorch, 0.2 MB", 1, "", ""},
	{"external", "as large, with the weights in eight files", 64, "h32", "h0"},
}

// A tool is a command line that does a job. Its places, such as {model}, are filled by a row
// (bench.given) or by the bench (bench.places).
type tool struct{ name, line string }

// A job is what several tools do, Lathe first.
type job struct {
	name  string
	on    []string // names of models
	tools []tool
	judge judge
	runs  int // if it is not the usual number
}

// Errors that results may have, relative to the norm of the output. What changes no precision may
// only add up in another order.
const (
	exact    = 1e-4
	float16s = 0.02
	int8s    = 0.3
)

var jobs = []job{
	{name: "start", runs: 21, judge: finished{}, tools: []tool{
		{"version", "{lathe} version"},
		{"a Go program that prints a line", "{hello}"},
	}},
	{name: "inspect", on: []string{"large", "chain", "transformer", "convolutional", "control-flow", "external"}, runs: 7, judge: counted{}, tools: []tool{
		{"inspect", "{lathe} inspect {model}"},
		{"onnx.load", "{python} {peer} load {model}"},
	}},
	{name: "check", on: []string{"large", "chain", "transformer", "control-flow", "external"}, judge: finished{}, tools: []tool{
		{"check", "{lathe} check {model}"},
		{"onnx.checker, full_check", "{python} {peer} check {model}"},
	}},
	{name: "simplify", on: []string{"chain", "transformer", "convolutional", "control-flow"}, judge: computed{"models", "out", exact}, tools: []tool{
		{"simplify --no-check", "{lathe} simplify {model} --no-check -o {out}"},
		{"onnxslim", "{bin}/onnxslim {model} {out}"},
		{"onnxsim", "{bin}/onnxsim {model} {out}"},
	}},
	{name: "convert to opset 20", on: []string{"chain", "transformer", "convolutional", "control-flow"}, judge: computed{"models", "out", exact}, tools: []tool{
		{"export --opset 20 --no-check", "{lathe} export {model} --opset 20 --no-check -o {out}"},
		{"onnx.version_converter", "{python} {peer} convert {model} {out} 20"},
	}},
	{name: "quantize dynamic", on: []string{"large", "transformer", "external"}, judge: computed{"models", "out", int8s}, tools: []tool{
		{"quantize dynamic --no-check", "{lathe} quantize dynamic {model} --no-check --no-store -o {out}"},
		{"onnxruntime, quantize_dynamic", "{python} {peer} dynamic {model} {out}"},
	}},
	{name: "quantize float16", on: []string{"large", "chain", "transformer", "convolutional"}, judge: computed{"models", "out", float16s}, tools: []tool{
		{"quantize float16 --no-check --no-scan", "{lathe} quantize float16 {model} --no-check --no-scan --no-store -o {out}"},
		{"onnxruntime.transformers.float16", "{python} {peer} float16 {model} {out}"},
	}},
	{name: "prune", on: []string{"large", "chain", "transformer", "convolutional", "external"}, judge: computed{"models", "out", exact}, tools: []tool{
		{"prune", "{lathe} prune {model} --output {cut} -o {out}"},
		{"onnx.utils.extract_model", "{python} {peer} extract {model} {out} {needs} {cut}"},
		{"polygraphy surgeon extract", "{bin}/polygraphy surgeon extract {model} --outputs {cut}:auto -o {out}"},
	}},
	{name: "run", on: []string{"large", "chain", "transformer", "convolutional", "control-flow"}, judge: computed{"values", "npz", exact}, tools: []tool{
		{"run-model", "{lathe} run-model {model} --data {inputs} --save {npz}"},
		{"onnxruntime, InferenceSession", "{python} {peer} run {model} {inputs} {npz}"},
	}},
	{name: "50 runs", on: []string{"transformer", "convolutional"}, judge: finished{}, tools: []tool{
		{"bench --runs 50", "{lathe} bench {model} --runs 50 --no-store"},
		{"polygraphy run --iterations 50", "{bin}/polygraphy run {model} --onnxrt --sequential-runners --warm-up 10 --iterations 50"},
	}},
	{name: "compare with a copy of opset 20", on: []string{"transformer", "convolutional"}, judge: finished{}, tools: []tool{
		{"validate", "{lathe} validate {model} {other} --no-store"},
		{"polygraphy run, one process for each", "{sources}/polygraphy.sh {bin}/polygraphy {model} {other} {folder}"},
	}},
	{name: "run and look for NaN", on: []string{"transformer", "convolutional"}, judge: finished{}, tools: []tool{
		{"run-model", "{lathe} run-model {model}"},
		{"polygraphy run --validate", "{bin}/polygraphy run {model} --onnxrt --validate"},
	}},
}

// A row is a job on a model.
type row struct {
	*job
	model
}

// name is what -only is held against.
func (r row) name() string { return r.job.name + " " + r.model.name }

// rows returns the rows of a job; without models it has one.
func (j *job) rows() []row {
	if len(j.on) == 0 {
		return []row{{job: j}}
	}
	var out []row
	for _, name := range j.on {
		at := slices.IndexFunc(models, func(m model) bool { return m.name == name })
		out = append(out, row{j, models[at]})
	}
	return out
}
