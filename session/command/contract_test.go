package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/ort/orttest"
)

// writePair writes a folder with an encoder and a decoder. weight is an element of their weights.
func writePair(t *testing.T, folder, weight string) {
	t.Helper()
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"encoder_model.onnx": `
input input_ids i64[b,s]
init table f32[16,4] 1 -2 ` + weight + `
last_hidden_state = Gather(table, input_ids)
output last_hidden_state f32[b,s,4]
`,
		"decoder_model.onnx": `
input encoder_hidden_states f32[b,s,4]
init head f32[4,16] 1 2 ` + weight + `
logits = MatMul(encoder_hidden_states, head)
output logits f32[b,s,16]
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), graphtest.Bytes(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestContract runs every command with --json and looks for the keys that scripts depend on. "a.b"
// is key b of object a. "a[].b" is key b of every element of the list a, which must not be empty.
func TestContract(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	compiled := file("compiled.onnx")
	if err := os.WriteFile(compiled, graphtest.Bytes(t, `
opset com.microsoft 1
opset 17
input x f32[2]
y = com.microsoft::EPContext(x) ep_cache_context='abc' source='qnn'
output y f32[2]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	// It sums up token ids and has no more tokens than its table has rows.
	decoder := file("decoder.onnx")
	if err := os.WriteFile(decoder, graphtest.Bytes(t, `
opset 20
input ids i64[b,n]
input pk f32[b,1,q,4]
input pv f32[b,1,q,4]
init table f32[3,4] 1 0 0 0  0 1 0 0  0 0 1 0
init wide f32[4,4] 1 0 0 1  0 1 0 0  0 0 1 0  1 0 0 1
init back f32[4,3] 1 0 2  0 1 0  2 0 1  0 3 0
init apart i64[4] 0 1 -1 4
init joined i64[3] 0 -1 4
e = Gather(table, ids)
h = MatMul(e, wide)
k = Reshape(h, apart)
kp = Concat(pk, k) axis=2
vp = Concat(pv, k) axis=2
kt = Transpose(kp) perm=[0,1,3,2]
scores = MatMul(k, kt)
weights = Softmax(scores)
mixed = MatMul(weights, vp)
c = Reshape(mixed, joined)
logits = MatMul(c, back)
output logits f32[b,n,3]
output kp
output vp`), 0o600); err != nil {
		t.Fatal(err)
	}
	pair := file("pair")
	writePair(t, pair, "3")
	twin := file("twin")
	writePair(t, twin, "3.0000002")
	for name, content := range map[string]string{"ids.csv": "3,5,7,1,4\n2,9,6\n", "score": "#!/bin/sh\necho 0.5\n"} {
		if err := os.WriteFile(file(name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lib, noRuntime := orttest.Find()
	for _, c := range []struct {
		args    string
		runtime bool
		code    int
		keys    string
	}{
		{args: "inspect testdata/digits.onnx --nodes --values --tensors", keys: `schema file.bytes ir_version opsets.ai.onnx producer nodes
			subgraph_nodes functions initializers parameters weight_bytes inputs[].name inputs[].type inputs[].shape outputs[].name ops.Conv macs
			activation_peak_bytes node_list[].index node_list[].name node_list[].op node_list[].domain node_list[].inputs node_list[].outputs
			node_list[].scope value_list[].name value_list[].type value_list[].shape value_list[].producer value_list[].consumers
			tensor_list[].name tensor_list[].type tensor_list[].shape tensor_list[].bytes tensor_list[].location tensor_list[].offset
			summary.text summary.parts[].count summary.parts[].kind summary.parts[].module
			summary.parts[].nodes summary.parts[].parameters summary.parts[].weight_bytes summary.parameters summary.weights[].type
			summary.weights[].elements summary.macs summary.macs_unknown_nodes summary.sizes summary.inputs[].role summary.inputs[].names
			summary.batch.axis summary.batch.size roles.inputs[].name roles.inputs[].role roles.inputs[].content roles.inputs[].pair
			roles.inputs[].cross roles.inputs[].by roles.inputs[].evidence roles.inputs[].assumed roles.outputs[].role roles.pairs roles.limits`},
		{args: "inspect testdata/decoders/grouped.onnx --context 64 --batch 2", keys: `summary.parts[].layers[].layers summary.parts[].layers[].heads
			summary.parts[].layers[].kv_heads summary.parts[].layers[].head_size summary.parts[].layers[].cache summary.parts[].layers[].rotary.base
			summary.parts[].layers[].rotary.factor summary.parts[].layers[].rotary.uniform summary.parts[].layers[].rotary.size
			summary.parts[].layers[].rotary.interleaved summary.parts[].layers[].weights[].bits summary.parts[].layers[].weights[].group
			summary.parts[].layers[].norm summary.parts[].layers[].epsilon summary.parts[].layers[].activation summary.parts[].layers[].gated
			summary.parts[].layers[].evidence[].fact summary.parts[].layers[].evidence[].text summary.vocabulary summary.tied
			summary.cache.bytes_per_token summary.cache.bytes_fixed summary.cache.bytes_per_encoder_position summary.cache.unknown
			summary.cache.unbounded summary.cache.assumed summary.cache.at.tokens summary.cache.at.tokens_from summary.cache.at.batch
			summary.cache.at.bytes`},
		{args: "inspect " + compiled, keys: `compiled[].place compiled[].index compiled[].name compiled[].ep compiled[].source compiled[].sdk_version
			compiled[].partition compiled[].hardware compiled[].original compiled[].notes compiled[].main compiled[].storage compiled[].file
			compiled[].bytes compiled[].sha256 compiled[].problem compiled[].inputs compiled[].outputs`},
		{args: "check testdata/broken/missing_input.onnx", code: exitNo, keys: `schema ok problems[].code problems[].severity problems[].node problems[].value
			problems[].message problems[].hint problems[].place problems[].index problems[].op problems[].fix counts.error counts.warning counts.info
			counts.left_out checked.weights checked.runtime checked.assumed runtime`},
		{args: "check testdata/digits.onnx --weights", keys: `schema ok problems`},
		{args: "check testdata/broken/missing_input.onnx --runtime-load", runtime: true, code: exitNo, keys: `runtime.version runtime.providers
			runtime.ep_attached runtime.loaded runtime.kind runtime.node runtime.index runtime.place runtime.value runtime.message runtime.explanation
			runtime.hint runtime.crashed runtime.problem runtime.warnings`},
		{args: "inspect " + pair, keys: `schema kind path layout why members[].name members[].role members[].file members[].why members[].variants
			members[].bytes members[].summary members[].inputs members[].outputs wires[].from.member wires[].from.name wires[].to.member wires[].type
			wires[].evidence wires[].why wires[].turn wires[].via wires[].assumed wires[].misfit shared callers[].member callers[].role callers[].about
			results[].name unknown assumed problems limits`},
		{args: "check " + pair, keys: `schema kind path ok members[].name members[].file members[].report.problems problems left_out wires unknown`},
		{args: "diff " + pair + " " + twin, code: exitNo, keys: `schema kind a b equal members[].name members[].a members[].b members[].report.equal
			only_a only_b`},
		{args: "quantize dynamic " + pair + " -o " + file("small") + " --no-check", keys: `schema kind path out members[].name members[].file members[].kept
			members[].report.before.bytes copied notes`},
		{args: "validate " + pair + " " + pair, runtime: true, keys: `members[].identical`},
		{args: "bench " + pair + " " + pair + " --warmup 2 --runs 20 --no-memory", runtime: true, keys: `members[].identical`},
		{args: "validate " + pair + " " + twin, runtime: true, keys: `schema kind a b members[].name members[].a members[].own.outputs[].name
			members[].verdict members[].chain[].output members[].chain[].cases members[].chain[].max_abs members[].chain[].snr_db members[].chain[].unlike
			members[].notes only_a only_b verdict pass headline notes`},
		{args: "bench " + pair + " --warmup 2 --runs 20 --no-memory", runtime: true, keys: `schema kind paths members[].name members[].files
			members[].report.runs[].p50_ms notes`},
		{args: "prune testdata/digits.onnx --output features", keys: `schema kept_nodes removed_nodes removed_bytes inputs[].name outputs[].name lost_inputs warnings`},
		{args: "annotate testdata/digits.onnx --value features=f32[n,256] --no-check", keys: editKeys},
		{args: "attribute testdata/digits.onnx --node /Flatten --set axis=-3 --no-check", keys: editKeys},
		{args: "bypass testdata/digits.onnx --node /Relu", keys: editKeys},
		{args: "delete testdata/scalar_f16.onnx --node largest --downstream", keys: editKeys},
		{args: "insert testdata/digits.onnx --value features --op identity", keys: editKeys},
		{args: "replace testdata/digits.onnx --node /Relu_2 --op LeakyRelu", keys: editKeys},
		{args: "metadata testdata/digits.onnx --set task=digits", keys: editKeys},
		{args: "axes testdata/digits.onnx --dynamic input:0=batch -o " + file("dynamic.onnx"), runtime: true, keys: `schema values_changed pins repaired`},
		{args: "axes testdata/digits_batch1.onnx --dynamic input:0=batch", runtime: true, keys: `pins[].node pins[].value pins[].axis pins[].constant pins[].repair`},
		{args: "axes testdata/digits_batch1.onnx --dynamic input:0=batch --repair -o " + file("repaired.onnx"), runtime: true, keys: `repaired[].node
			proof.sizes.batch proof.seeds proof.outputs proof.freed[].symbol proof.freed[].old proof.freed[].sizes proof.freed[].rows proof.freed[].outputs
			proof.freed[].unchecked proof.freed[].max_difference proof.freed[].rtol proof.freed[].atol proof.freed[].note`},
		{args: "constants to-nodes testdata/digits.onnx", keys: `schema changes[].what changes[].name changes[].from changes[].to nodes_before nodes_after warnings`},
		{args: "merge testdata/external.onnx --with testdata/function.onnx", keys: `schema changes[].what nodes_before nodes_after warnings inputs[].name outputs[].name`},
		{args: "export testdata/digits.onnx -o " + file("float.onnx"), keys: `schema kept_nodes removed_nodes removed_bytes inputs[].name outputs[].name
			lost_inputs warnings embedded external_data bytes`},
		{args: "quantize dynamic testdata/digits.onnx -o " + file("int8.onnx"), keys: `schema before.bytes before.nodes after.bytes after.nodes quantized[].node skipped`},
		{args: "quantize sensitivity testdata/digits.onnx --estimate", keys: `schema mode layers[].node layers[].op layers[].weights layers[].shared
			layers[].bytes_saved layers[].estimated_snr_db left_out inputs cases measured reused failed new coverage rank_correlation notes`},
		{args: "quantize sensitivity testdata/digits.onnx --include /fc1/Gemm --time", runtime: true, keys: `layers[].snr_db layers[].relative_error
			layers[].max_abs layers[].output layers[].time.p50_ms layers[].time.original_p50_ms layers[].time.ratio layers[].time.ci95 layers[].time.significant`},
		{args: "quantize auto testdata/digits.onnx --target snr>=30dB --types dynamic --no-store", runtime: true, keys: `schema targets minimize types nodes units
			small inputs cases original_bytes trials reused new front[].point front[].bytes front[].ratio front[].snr_db front[].output front[].kl front[].kl_output
			front[].meets front[].counts front[].choose best unused_types repeat notes`},
		{args: "quantize auto testdata/digits.onnx --target snr>=200dB --types dynamic --no-store", runtime: true, code: exitNo, keys: `best nearest`},
		{args: "quantize auto testdata/digits.onnx --target top1-loss<=5 --types dynamic --data testdata/digits_test.npz --no-store", runtime: true, keys: `original_accuracy.top1.right
			front[].accuracy.top1.share front[].accuracy.against_original.only_a front[].accuracy.against_original.p front[].accuracy.against_original.high`},
		{args: "quantize compare testdata/digits.onnx --data testdata/digits_test.npz --mode dynamic --seconds 0.1 --no-store --keep " + file("modes"), runtime: true, keys: `schema model
			provider original.bytes original.time.p50_ms original.time.ci95_ms original.accuracy.top1.right inputs on_data labels advice bench notes folder
			rows[].mode rows[].failed rows[].not_applied rows[].bytes rows[].ratio rows[].quantized_nodes rows[].notes rows[].warnings rows[].command
			rows[].error.verdict rows[].error.snr_db rows[].error.worst_snr_db rows[].error.output rows[].error.max_abs rows[].error.max_output
			rows[].error.max_case rows[].error.max_index rows[].time.ratio rows[].time.ratio_ci95 rows[].time.significant
			rows[].accuracy.top1.low rows[].accuracy.against_original.p rows[].here.provider rows[].here.nodes rows[].here.quantized_nodes
			rows[].here.dequantized_first rows[].here.casts_added rows[].here.padded_weights rows[].here.padding_bytes rows[].file.path`},
		{args: "validate testdata/digits.onnx " + file("int8.onnx") + " --data testdata/digits_test.npz", runtime: true, keys: `schema cases[].name
			cases[].inputs cases[].outputs outputs[].name outputs[].case outputs[].max_abs outputs[].max_rel outputs[].mean_abs outputs[].cosine
			outputs[].snr_db outputs[].mismatched outputs[].total outputs[].nan outputs[].inf outputs[].argmax_agree outputs[].tolerance.rtol
			outputs[].tolerance.atol outputs[].pass first_divergence pass`},
		{args: "validate testdata/digits.onnx " + file("int8.onnx") + " --layers", runtime: true, keys: `first_divergence layers_case layers[].a layers[].b
			layers[].how layers[].node layers[].op layers[].judgement layers[].local.snr_db layers[].accumulated.max_abs layers_mapping.by
			layers_mapping.only_a layers_mapping.only_b layers_segments`},
		{args: "validate testdata/digits.onnx " + file("int8.onnx") + " --rtol 0 --atol 0", runtime: true, code: exitNo, keys: `schema pass
			sides.a.kind sides.a.ep_attached sides.a.version sides.a.opt sides.a.threads sides.b.ep_attached input_pairs[].a input_pairs[].b
			input_pairs[].how`},
		{args: "validate testdata/digits.onnx --reduce --rtol 0 --atol 0", runtime: true, code: exitNo, keys: `reduced.side reduced.case reduced.symptom.kind
			reduced.original.text reduced.nodes_before reduced.nodes_after reduced.nodes[].op reduced.inputs[].name reduced.outputs[].name reduced.tried
			reduced.seconds reduced.minimal reduced.stopped reduced.path reduced.a_path reduced.data reduced.again reduced.verified reduced.notes`},
		{args: "validate testdata/digits.onnx --b opt=disable --a threads=1", runtime: true, keys: `schema a b outputs[].pass sides.a.threads sides.b.opt pass`},
		{args: "validate testdata/decoders/joined.onnx", runtime: true, keys: `schema pass verdict headline steps.alone steps.a steps.b.verdict
			steps.b.headline steps.b.tokens steps.b.prefix steps.b.sequences steps.b.ways[].name steps.b.ways[].same steps.b.ways[].rows
			steps.b.ways[].slots steps.b.ways[].argmax_same steps.b.ways[].argmax_rows steps.b.ways[].differences steps.b.first steps.b.kind
			steps.b.evidence steps.b.tolerance.rtol steps.b.tolerance_why steps.b.nearest steps.b.sensitivity steps.b.not_compared
			steps.b.assumed`},
		{args: "validate testdata/decoders/grouped.onnx --b opt=disable --generate 3 --layers", runtime: true, keys: `schema pass verdict headline
			generated.verdict generated.pass generated.headline generated.tokens generated.prompts[].name generated.prompts[].prompt
			generated.prompts[].a generated.prompts[].b generated.prompts[].scored generated.prompts[].differs generated.prompts[].beyond_rounding
			generated.agreement.same generated.agreement.of generated.agreement.share generated.agreement.low generated.agreement.high
			generated.kl.positions generated.kl.mean generated.kl.p99 generated.kl.max generated.kl.max_at.prompt generated.kl.max_at.position
			generated.kl.max_at.generated generated.largest_score_difference generated.not_numbers.a generated.not_numbers.b
			generated.not_numbers.first generated.tolerance.rtol generated.tolerance_why generated.assumed generated.located`},
		{args: "accuracy testdata/digits.onnx " + file("int8.onnx") + " --data testdata/digits_test.npz --score " + file("score"), runtime: true, keys: `schema verdict
			headline models[].model models[].ran.ep_attached models[].ran.version models[].output models[].classes models[].top1.right models[].top1.of
			models[].top1.share models[].top1.low models[].top1.high models[].top5.share models[].score models[].ties models[].not_numbers data labels rows
			top1.only_a top1.only_b top1.of top1.difference top1.low top1.high top1.p top1.test top1.significant top5.p notes`},
		{args: "accuracy testdata/decoders/joined.onnx testdata/decoders/joined.onnx --tokens " + file("ids.csv"), runtime: true, keys: `models[].text.perplexity
			models[].text.nll models[].text.next.share models[].text.not_numbers texts.source texts.texts texts.tokens texts.window texts.cut texts.left_out
			texts.loss.difference texts.loss.low texts.loss.high texts.loss.groups texts.loss.groups_of texts.loss.significant texts.next.p
			texts.agreement.share`},
		{args: "diff testdata/digits.onnx testdata/digits_batch1.onnx --weights", code: exitNo, keys: `schema a b equal identical complete renamed.nodes renamed.values
			nodes.added nodes.removed nodes.changed[].a.index nodes.changed[].a.name nodes.changed[].b.op nodes.changed[].changes[].what nodes.changed[].changes[].name
			nodes.changed[].changes[].old nodes.changed[].changes[].new io.changed weights.changed weights.added[].name weights.added[].type weights.added[].shape
			weights.removed values.changed fields places.added places.removed notes.partial notes.unread`},
		{args: "diff testdata/gather_mlp.onnx testdata/mlp_dynamo.onnx", code: exitNo, keys: `nodes.added[].place nodes.added[].index nodes.added[].name nodes.added[].op
			nodes.added[].domain nodes.removed[].outputs io.changed[].what io.changed[].kind io.changed[].a io.changed[].b fields[].name fields[].old fields[].new`},
		{args: "run-model testdata/digits.onnx", runtime: true, keys: `schema values[].name values[].type values[].shape values[].min values[].max
			values[].mean values[].std values[].nan values[].inf`},
		{args: "bench testdata/digits.onnx " + file("int8.onnx") + " --warmup 2 --runs 40 --threads 1", runtime: true, keys: `schema runs[].model runs[].ep runs[].ep_attached
			runs[].nodes_by_ep runs[].batch runs[].threads runs[].session_ms runs[].first_run_ms runs[].p50_ms runs[].p90_ms runs[].p95_ms runs[].p99_ms runs[].min_ms
			runs[].max_ms runs[].mean_ms runs[].ci95_ms runs[].samples runs[].throughput runs[].peak_rss_bytes runs[].device_bytes runs[].phases
			runs[].verdict comparisons[].a comparisons[].b comparisons[].ratio comparisons[].ci95 comparisons[].significant environment`},
		{args: "bench " + decoder + " --decode --depth 4 --prompt 3 --tokens 2 --runs 40 --threads 1", runtime: true, keys: `runs[].decode.test runs[].decode.tokens
			runs[].decode.depth runs[].decode.depth_by runs[].decode.tokens_per_s runs[].decode.tokens_per_s_ci95 runs[].decode.cache runs[].decode.cache_kept
			runs[].decode.cache_bytes runs[].decode.cache_on_device runs[].decode.chosen_on runs[].decode.lathe_ms runs[].memory.decode.weights_bytes runs[].memory.decode.cache_bytes
			runs[].memory.decode.workspace_bytes`},
		{args: "profile testdata/digits.onnx --runs 5 --threads 1", runtime: true, keys: `schema threads nodes[].name nodes[].op nodes[].ep nodes[].us nodes[].share nodes[].index
			nodes[].calls nodes[].gflops nodes[].gbps nodes[].bound nodes[].by ops.Conv.us ops.Conv.share ops.Conv.nodes memcpy overhead_us unjoined_share
			peak.gflops.f32 peak.gbps plain_us timed_us slowdown ep_attached`},
		{args: "profile testdata/decoders/joined.onnx --depth 16 --runs 5 --threads 1 --peaks none", runtime: true, keys: `token.tokens token.depth token.batch
			token.layers token.cache_copied token.parts[].part token.parts[].nodes token.parts[].us token.parts[].share token.parts[].weight_bytes
			token.parts[].cache_bytes`},
		{args: "bench testdata/digits.onnx --warmup 2 --runs 40 --save " + file("base.json"), runtime: true, keys: `saved stored runs[].block_medians_ms runs[].histogram.from_ms
			runs[].histogram.width_ms runs[].histogram.counts runs[].histogram.beyond environment.host`},
		{args: "bench testdata/digits.onnx --warmup 2 --runs 40 --max-regression 9999% --baseline " + file("base.json"), runtime: true, keys: `baseline.file baseline.time
			baseline.max_regression baseline.differences baseline.comparisons[].baseline baseline.comparisons[].here baseline.comparisons[].baseline_p50_ms
			baseline.comparisons[].p50_ms baseline.comparisons[].ratio baseline.comparisons[].ci95 baseline.comparisons[].groups baseline.comparisons[].verdict
			baseline.comparisons[].same_model baseline.only_baseline baseline.only_here baseline.pass`},
		{args: "history", runtime: true, keys: `schema folder results[].time results[].kind results[].file results[].model results[].content results[].machine results[].machine_id
			results[].settings results[].bytes results[].p50_ms results[].ci95_ms results[].snr_db results[].pass older elsewhere skipped`},
		{args: "report " + file("base.json") + " -o " + file("report.html"), runtime: true, keys: `schema file format bytes results[].file results[].kind findings`},
		{args: "torch explain testdata/torch/reports/2.15.0/onnx_export_no_onnx_function_conversion.md", keys: `schema stage error class about entry meaning suggestion
			user_frame.file user_frame.line user_frame.function user_frame.code next[].kind next[].text next[].flags around`},
		{args: "runtime list", keys: `schema libraries`},
		{args: "version", keys: `schema version go onnxruntime_tested`},
	} {
		words := strings.Fields(c.args)
		t.Run(words[0], func(t *testing.T) {
			if c.runtime && noRuntime != nil {
				t.Skip(noRuntime)
			}
			if noRuntime == nil {
				t.Setenv("LATHE_ORT_LIB", lib.Path)
			}
			doc := answerOf(t, c.code, append(words, "--json"))
			if got := doc["schema"]; got != "lathe."+strings.Join(schemaWords(words), "-")+"/1" {
				t.Errorf("schema is %v", got)
			}
			for _, key := range strings.Fields(c.keys) {
				lookFor(t, doc, key, key)
			}
		})
	}
}

// editKeys are in the report of every edit.
const editKeys = `schema changes[].what changes[].name changes[].from changes[].to nodes_before nodes_after warnings`

// schemaWords returns the words of a command line that make up the name of its schema.
func schemaWords(words []string) []string {
	if words[0] == "runtime" || words[0] == torchName || slices.Contains(words, "sensitivity") || slices.Contains(words, "auto") || slices.Contains(words, "compare") {
		return words[:2]
	}
	return words[:1]
}

func answerOf(t *testing.T, code int, args []string) map[string]any {
	t.Helper()
	var out, errOut bytes.Buffer
	if got := run(context.Background(), args, strings.NewReader(""), &out, &errOut); got != code {
		t.Fatalf("exit code %d, want %d: %s", got, code, errOut.String())
	}
	dec := json.NewDecoder(&out)
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if dec.More() {
		t.Error("more than one document on standard output")
	}
	return doc
}

func lookFor(t *testing.T, doc map[string]any, path, whole string) {
	t.Helper()
	if _, ok := doc[path]; ok {
		return
	}
	head, rest, nested := strings.Cut(path, ".")
	name, isList := strings.CutSuffix(head, "[]")
	v, ok := doc[name]
	if !ok || !nested {
		t.Errorf("no key %q", whole)
		return
	}
	if !isList {
		inner, ok := v.(map[string]any)
		if !ok {
			t.Errorf("%q is not an object: %v", whole, v)
			return
		}
		lookFor(t, inner, rest, whole)
		return
	}
	list, _ := v.([]any)
	if len(list) == 0 {
		t.Errorf("%q: the list is empty", whole)
	}
	for _, e := range list {
		inner, ok := e.(map[string]any)
		if !ok {
			t.Fatalf("%q: element %v is not an object", whole, e)
		}
		lookFor(t, inner, rest, whole)
	}
}
