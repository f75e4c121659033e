package fault_test

import (
	"testing"

	"lathe/session/ort/fault"
)

func TestPass(t *testing.T) {
	const (
		sharing = "[V:onnxruntime:, graph_transformer_mgr.cc:55 ApplyTransformers] Applying graph transformer ConstantSharing on step 1.\n"
		shared  = "[I:onnxruntime:, graph_transformer.cc:15 Apply] GraphTransformer ConstantSharing modified: 0 with status: OK\n"
		folding = "\x1b[0;93m[V:onnxruntime:, graph_transformer_mgr.cc:55 ApplyTransformers] Applying graph transformer ConstantFolding on step 1.\x1b[m\n"
		other   = "[I:onnxruntime:Default, bfc_arena.cc:205 Extend] Extended allocation by 1048576 bytes.\n"
	)
	for log, want := range map[string]string{
		"":                                 "",
		other:                              "",
		sharing:                            "ConstantSharing",
		sharing + shared:                   "",
		sharing + shared + folding + other: "ConstantFolding",
		folding + sharing + shared:         "",
	} {
		if got := fault.Pass(log); got != want {
			t.Errorf("got %q, want %q from\n%s", got, want, log)
		}
	}
}
