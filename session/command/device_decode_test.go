//go:build device

package command

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/session/generation"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/runtime"

	"github.com/google/go-cmp/cmp"
)

// TestDeviceDecode generates tokens on WebGPU with the caches on the device. They are chosen on the host
// and on the device, and both have to be those of the CPU.
func TestDeviceDecode(t *testing.T) {
	needsWebGPU(t)
	decodesOn(t, "webgpu", map[string][]generation.Mode{
		"grouped": {generation.Shared, generation.Swapped}, "joined": {generation.Swapped}, "encoded": {generation.Swapped},
	})
}

// decodesOn checks the tokens of small decoders on a provider.
func decodesOn(t *testing.T, provider string, modesOf map[string][]generation.Mode) {
	a := &app{}
	workers := a.workers()
	for name, modes := range modesOf {
		m, err := graphops.Open("testdata/decoders/"+name+".onnx", graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		load := func(chain ...ort.Provider) runtime.Loaded {
			l, err := workers.Load(t.Context(), m, runtime.Execution{Providers: chain})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return l
		}
		cpu, device := load(), load(ort.Provider{Name: provider}, ort.Provider{Name: "cpu"})
		plan := planFor(t, m, cpu)
		model, err := plan.Chooser()
		if err != nil {
			t.Fatal(err)
		}
		chooser, err := device.Chooser(t.Context(), model)
		if err != nil {
			t.Fatal(err)
		}
		prompt := ort.Generation{Prompt: plan.Prompt(5), Steps: 11}
		want := generated(t, cpu, plan.Decode(generation.Swapped, 64, false), prompt)
		for _, mode := range modes {
			what := name + " with the cache " + string(mode)
			work := plan.Decode(mode, 64, false)
			onHost := generated(t, device, work, prompt)
			if name == "grouped" {
				// The CPU rounds the activations of its 4-bit weights to 8 bits, which changes tokens.
				want = oneByOne(t, device, work, plan.Batch, onHost, prompt)
			}
			sameTokens(t, what, plan.Batch, want, onHost)
			work.Chooser = chooser
			chosen := generated(t, device, work, prompt)
			if diff := cmp.Diff(onHost.Tokens, chosen.Tokens); diff != "" {
				t.Errorf("%s, chosen on the device: %s", what, diff)
			}
		}
	}
}

// oneByOne returns the tokens that a model chooses after prompts which contain all tokens before them.
func oneByOne(t *testing.T, l runtime.Loaded, work ort.Decode, batch int64, of *ort.Generated, g ort.Generation) *ort.Generated {
	out := &ort.Generated{}
	for made := int64(0); made < int64(len(of.Tokens))/batch; made++ {
		var whole []int64
		for b := range batch {
			length := int64(len(g.Prompt)) / batch
			whole = append(whole, g.Prompt[b*length:(b+1)*length]...)
			for i := range made {
				whole = append(whole, of.Tokens[i*batch+b])
			}
		}
		next := generated(t, l, work, ort.Generation{Prompt: whole})
		out.Tokens, out.Margins = append(out.Tokens, next.Tokens...), append(out.Margins, next.Margins...)
	}
	return out
}

// sure is a margin between the two best scores that rounding does not bridge.
const sure = 0.01

// sameTokens checks that sequences are the same until a token whose margin is small.
func sameTokens(t *testing.T, what string, batch int64, want, got *ort.Generated) {
	t.Helper()
	if len(got.Tokens) != len(want.Tokens) {
		t.Fatalf("%s: %d tokens, want %d", what, len(got.Tokens), len(want.Tokens))
	}
	unsure, compared := map[int64]bool{}, 0
	for i, token := range want.Tokens {
		sequence := int64(i) % batch
		unsure[sequence] = unsure[sequence] || want.Margins[i] < sure
		if unsure[sequence] {
			continue
		}
		compared++
		if token != got.Tokens[i] {
			t.Errorf("%s: token %d of sequence %d is %d, want %d by %.3g", what, int64(i)/batch, sequence, got.Tokens[i], token, want.Margins[i])
			return
		}
	}
	t.Logf("%s: %d tokens compared", what, compared)
	if compared < 5 {
		t.Errorf("%s: only %d tokens are sure", what, compared)
	}
}

func planFor(t *testing.T, m *graphops.Model, l runtime.Loaded) *generation.Plan {
	t.Helper()
	made, err := inputs.Generate(l.Inputs(), inputs.Options{Seed: 1, Model: m})
	if err != nil {
		t.Fatal(err)
	}
	found, err := roles.Find(t.Context(), m, roles.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := generation.Of(m, found, made.Feeds)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func generated(t *testing.T, l runtime.Loaded, work ort.Decode, g ort.Generation) *ort.Generated {
	t.Helper()
	made, err := l.Decode(t.Context(), work)
	if err != nil {
		t.Fatal(err)
	}
	if work.Chooser != nil && !made.OnDevice {
		t.Error("the cache is not on the device")
	}
	g.Restart = true
	out, err := l.Generate(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
