//go:build cgo

package torch

import (
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/reporting"
)

// taskFolders writes tiny transformers into folders.
func taskFolders(t *testing.T, env session.Env) (folders, script string) {
	t.Helper()
	script, err := filepath.Abs("../../../testdata/torch/tasks.py")
	if err != nil {
		t.Fatal(err)
	}
	python, err := env.Python()
	if err != nil {
		t.Fatal(err)
	}
	folders = t.TempDir()
	out, err := exec.Command(python.Path, script, folders).CombinedOutput()
	if err != nil && strings.Contains(string(out), "No module named 'transformers'") {
		t.Skipf("there is no transformers in %s", python.Path)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folders, script
}

// TestTorchTask exports tiny transformers for every task. It checks the errors for folders that
// lack what a task needs.
func TestTorchTask(t *testing.T) {
	env := torchRuntime(t)
	folders, script := taskFolders(t, env)
	for name, c := range map[string]struct {
		step    Task
		outputs string
		opset   int64
		err     string
	}{
		"default":               {Task{Task: "default", Path: "bert"}, "last_hidden_state f32[batch,sequence,16]", 14, ""},
		"default, no head":      {Task{Task: "default", Path: "distilbert"}, "last_hidden_state f32[batch,sequence,16]", 14, ""},
		"pooling by the mean":   {Task{Task: "pooling", Path: "bert"}, "embeddings f32[batch,16]", 14, ""},
		"pooling in half":       {Task{Task: "pooling", Path: "half"}, "embeddings f32[batch,16]", 14, ""},
		"pooling as configured": {Task{Task: "pooling", Path: "cls"}, "embeddings f32[batch,16]", 14, ""},
		"pooling and dense":     {Task{Task: "pooling", Path: "dense"}, "embeddings f32[batch,8]", 14, ""},
		"question-answering":    {Task{Task: "question-answering", Path: "answering"}, "start_logits f32[batch,sequence], end_logits f32[batch,sequence]", 14, ""},
		"text-classification":   {Task{Task: "text-classification", Path: "classifier"}, "logits f32[batch,3]", 14, ""},
		"alias, new exporter":   {Task{Task: "zero-shot-classification", Path: "classifier", Opset: 18}, "logits f32[batch,3]", 18, ""},
		"own, quantized":        {Task{Task: "text-classification", Path: script + ":own", Quantize: true}, "logits f32[batch,4]", 14, ""},
		"tokens":                {Task{Task: "token-classification", Path: "tokens"}, "logits f32[batch,sequence,3]", 14, ""},
		"masked":                {Task{Task: "fill-mask", Path: "masked"}, "logits f32[batch,sequence,14]", 14, ""},
		"pairs":                 {Task{Task: "cross-encoder", Path: "pairs"}, "logits f32[batch,1]", 14, ""},
		"encoder":               {Task{Task: "seq2seq-encoder", Path: "t5"}, "last_hidden_state f32[batch,sequence,16]", 14, ""},
		"decoder":               {Task{Task: "seq2seq-decoder", Path: "t5", Quantize: true}, "logits f32[batch,decoder_sequence,14]", 14, ""},
		"states of an encoder":  {Task{Task: "pooling", Path: "t5"}, "embeddings f32[batch,16]", 14, ""},
		"image":                 {Task{Task: "image-classification", Path: "vit"}, "logits f32[batch,3]", 14, ""},
		"no decoder":            {Task{Task: "seq2seq-decoder", Path: script + ":own"}, "", 0, "has no decoder: seq2seq-decoder needs a model with an encoder and a decoder"},
		"no decoder on disk":    {Task{Task: "seq2seq-encoder", Path: "bert"}, "", 0, "has a BertModel, and transformers has no AutoModelForSeq2SeqLM or AutoModelForSpeechSeq2Seq for that"},
		"image as text":         {Task{Task: "token-classification", Path: "vit"}, "", 0, "has a ViTForImageClassification, and transformers has no AutoModelForTokenClassification for that"},
		"no weights":            {Task{Task: "question-answering", Path: "bert"}, "", 0, "no weights for qa_outputs.bias, qa_outputs.weight, on which question-answering depends: they would be random; the folder has a BertModel"},
		"unknown module":        {Task{Task: "pooling", Path: "odd"}, "", 0, "modules.json asks for sentence_transformers.models.CNN"},
		"no folder":             {Task{Task: "default", Path: "no_such"}, "", 0, "no such folder; expected the folder of a model of transformers"},
		"no tokenizer":          {Task{Task: "default", Path: script + ":distilbert"}, "", 0, "expected (model, tokenizer)"},
		"nothing to quantize":   {Task{Task: "default", Path: "bert", AllMatMuls: true}, "", 0, "--quantize-all-matmuls: has an effect only with --quantize"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.step
			if !strings.Contains(s.Path, ".py:") {
				s.Path = filepath.Join(folders, s.Path)
			}
			s.Out = filepath.Join(t.TempDir(), "m.onnx")
			r, err := s.Run(t.Context(), env, nil)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("says %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			report := r.Report.(*TorchReport)
			if !report.OK || (report.Quantize != nil) != s.Quantize || report.Attempts[0].Validation == nil {
				t.Fatalf("%+v", report)
			}
			if got := declared(report.Model.Outputs); got != c.outputs || report.Model.Opsets[""] != c.opset {
				t.Errorf("gives %s at opset %d", got, report.Model.Opsets[""])
			}
		})
	}
}

func declared(list []reporting.Value) string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name+" "+v.Type+"["+strings.ReplaceAll(v.Shape.String(), "×", ",")+"]")
	}
	return strings.Join(out, ", ")
}

// TestTaskPooling compares the pooling that a folder asks for with the same computed here from the
// states of all tokens.
func TestTaskPooling(t *testing.T) {
	env := torchRuntime(t)
	folders, _ := taskFolders(t, env)
	run := func(task string) [][]float64 {
		s := Task{Task: task, Path: filepath.Join(folders, "cls")}
		s.Out = filepath.Join(t.TempDir(), task+".onnx")
		if r, err := s.Run(t.Context(), env, nil); err != nil || r.No {
			t.Fatalf("%v, %+v", err, r.Report)
		}
		m, err := graphops.Open(s.Out, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var e flags.Execution
		how, err := e.Value(env)
		if err != nil {
			t.Fatal(err)
		}
		l, err := env.Runtime.Load(t.Context(), m, how)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() // the test ends here
		ids, err := tensor.ParseLiteral("i64[2,4]{2,5,6,3,2,7,3,0}")
		if err != nil {
			t.Fatal(err)
		}
		mask, err := tensor.ParseLiteral("i64[2,4]{1,1,1,1,1,1,1,0}")
		if err != nil {
			t.Fatal(err)
		}
		var values []float64
		err = l.Run(t.Context(), graphops.Feeds{"input_ids": graphops.TensorValue(ids), "attention_mask": graphops.TensorValue(mask)}, nil, func(got execution.Got) (err error) {
			values, err = got.Value.Tensor.Float64s()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Collect(slices.Chunk(values, len(values)/2))
	}
	states, embeddings := run("default"), run("pooling")
	for i := range states {
		cls := states[i][:16]
		norm := 0.0
		for _, v := range cls {
			norm += v * v
		}
		for k, v := range cls {
			if want := v / math.Sqrt(norm); math.Abs(embeddings[i][k]-want) > 1e-6 {
				t.Errorf("row %d, %d is %v, want %v", i, k, embeddings[i][k], want)
			}
		}
	}
}
