//go:build cgo

package worker_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/tensor"
	"lathe/session/ort"
)

func TestProviders(t *testing.T) {
	client := start(t)
	if _, err := client.Load(t.Context(), ort.Model{Bytes: ort.IdentityModel()}, ort.SessionOptions{Providers: []ort.Provider{{Name: "cuda"}}}); err == nil {
		t.Skip("CUDA works here; the test is about where it does not")
	}
	tests := []struct {
		chain    string
		attached string // empty where none does
		refused  []string
	}{
		{"cpu", "cpu", nil},
		{"cuda", "", []string{"cuda"}},
		{"tensorrt,cuda", "", []string{"tensorrt", "cuda"}},
		{"tensorrt,cuda,cpu", "cpu", []string{"tensorrt", "cuda"}},
		{"NoSuchProvider,cpu", "cpu", []string{"NoSuchProvider"}},
		{"cpu,cuda", "cpu", nil},
	}
	for _, tt := range tests {
		t.Run(tt.chain, func(t *testing.T) {
			chain, err := ort.ParseProviders(tt.chain)
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			session, err := client.Load(t.Context(), ort.Model{Bytes: ort.IdentityModel()},
				ort.SessionOptions{Providers: chain, Progress: func(step string) { steps = append(steps, step) }})
			var refused []ort.Refusal
			if tt.attached == "" {
				var none *ort.ProviderError
				if !errors.As(err, &none) {
					t.Fatalf("got %v, want an *ort.ProviderError", err)
				}
				refused = none.Refused
			} else {
				if err != nil {
					t.Fatal(err)
				}
				if session.Provider() != tt.attached {
					t.Errorf("%q attached, want %q", session.Provider(), tt.attached)
				}
				refused = session.Refused()
			}
			var names []string
			for _, r := range refused {
				names = append(names, r.Provider)
				if r.Reason == "" {
					t.Errorf("%s was refused without a reason", r.Provider)
				}
			}
			if !slices.Equal(names, tt.refused) {
				t.Errorf("refused %q, want %q", names, tt.refused)
			}
			if !slices.Contains(steps, "attaching "+chain[0].Name) {
				t.Errorf("progress told %q", steps)
			}
		})
	}
}

// A provider that attaches and then carries not even the smallest model is at
// fault, and not the model. Azure's provider attaches anywhere and runs nothing
// by itself, so it fails where the CPU may not help out; a library without it
// refuses it from the start.
func TestProviderThatCarriesNothing(t *testing.T) {
	client := start(t)
	_, err := client.Load(t.Context(), ort.Model{Bytes: addOne(t)}, ort.SessionOptions{
		Providers: []ort.Provider{{Name: "azure"}},
		Config:    map[string]string{"session.disable_cpu_ep_fallback": "1"},
	})
	var none *ort.ProviderError
	if !errors.As(err, &none) || len(none.Refused) != 1 || none.Refused[0].Provider != "azure" {
		t.Fatalf("got %v, want an *ort.ProviderError for azure", err)
	}
	if strings.Contains(none.Refused[0].Reason, "Unknown provider") {
		t.Errorf("the library does not know %q: %s", "azure", none.Refused[0].Reason)
	}
}

// A broken model is the model's fault, also where a provider that cannot attach
// stands before.
func TestModelFaultAfterRefusal(t *testing.T) {
	client := start(t)
	chain := []ort.Provider{{Name: "NoSuchProvider"}, {Name: "cpu"}}
	_, err := client.Load(t.Context(), ort.Model{Bytes: []byte("no model")}, ort.SessionOptions{Providers: chain})
	var fault *ort.Error
	if !errors.As(err, &fault) || fault.Code != 7 {
		t.Errorf("got %v, want INVALID_PROTOBUF", err)
	}
}

func TestCPUTakesNoOptions(t *testing.T) {
	client := start(t)
	chain := []ort.Provider{{Name: "cpu", Options: map[string]string{"speed": "11"}}}
	_, err := client.Load(t.Context(), ort.Model{Bytes: ort.IdentityModel()}, ort.SessionOptions{Providers: chain})
	checkText(t, err, `loading "model in memory": execution provider "cpu" did not attach: the CPU provider has no options`)
}

func TestSessionOptions(t *testing.T) {
	client := start(t)
	for _, o := range []ort.SessionOptions{
		{Optimization: ort.OptimizeDisable},
		{Optimization: ort.OptimizeBasic, IntraThreads: 1},
		{Optimization: ort.OptimizeExtended, Parallel: true, InterThreads: 2},
		{Optimization: ort.OptimizeLayout},
		{Optimization: ort.OptimizeAll, Config: map[string]string{"session.disable_prepacking": "1"}},
	} {
		session, err := client.Load(t.Context(), ort.Model{Bytes: addOne(t)}, o)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 1)}, nil); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, o := range []ort.SessionOptions{
		{Optimization: 99},
		{IntraThreads: -1},
		{InterThreads: 1 << 40},
		{Config: map[string]string{"a\x00b": "1"}},
	} {
		if _, err := client.Load(t.Context(), ort.Model{Bytes: addOne(t)}, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
