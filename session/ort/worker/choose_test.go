//go:build cgo

package worker_test

import (
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/ort"
	"lathe/session/ort/wire"

	"github.com/google/go-cmp/cmp"
)

// choosing chooses the token with the best score of the last position.
const choosing = `opset 13
input scores f32[n,p,t]
init last i64 -1
row = Gather(scores, last) axis=1
ids = ArgMax(row) axis=-1 keepdims=1
tokens = Cast(ids) to=6
output tokens i32[n,1]
output ids i64[n,1]`

// TestChooser chooses tokens with a second session, through everything that changes the state.
func TestChooser(t *testing.T) {
	client := start(t)
	session, chooser := load(t, client, graphtest.Bytes(t, counting)), load(t, client, graphtest.Bytes(t, choosing))
	prompt := []int64{3, 1, 4, 9, 2, 6}
	for name, keep := range keeps {
		t.Run(name, func(t *testing.T) {
			var all [2][]int64
			for i, c := range []*ort.Session{nil, chooser} {
				d := countingDecode(2, keep)
				d.Chooser = c
				if _, err := session.Decode(t.Context(), d); err != nil {
					t.Fatal(err)
				}
				for _, g := range []ort.Generation{
					{Restart: true, Prompt: prompt, Mark: true, Steps: 4},
					{Steps: 9, Wrap: 6},
					{Prompt: prompt, Repeat: 2},
					{Steps: 3},
					{Prompt: prompt, Chunk: 1},
					{Steps: 2},
					{Restart: true, Steps: 3},
				} {
					got, err := session.Generate(t.Context(), g)
					if err != nil {
						t.Fatalf("%+v: %v", g, err)
					}
					all[i] = append(all[i], got.Tokens...)
				}
			}
			if diff := cmp.Diff(all[0], all[1]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChooserRefused(t *testing.T) {
	client := start(t)
	session := load(t, client, graphtest.Bytes(t, counting))
	decode := func(chooser *ort.Session) error {
		d := countingDecode(1, wire.KeepSwapped)
		d.Chooser = chooser
		_, err := session.Decode(t.Context(), d)
		return err
	}
	wantError := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	wantError(decode(session), "cannot choose its own")
	wantError(decode(load(t, client, graphtest.Bytes(t, strings.ReplaceAll(choosing, "scores", "x")))), `input "x" is missing`)
	wantError(decode(load(t, client, graphtest.Bytes(t, strings.ReplaceAll(choosing, "ids", "x")))), `no output "ids"`)
	generate := func() error {
		_, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: []int64{1}, Steps: 3})
		return err
	}
	wantError(generate(), "Decode comes first")
	for _, wrong := range []string{
		strings.Replace(choosing, "keepdims=1", "keepdims=0", 1), // another shape
		strings.Replace(choosing, "to=6", "to=7", 1),             // another type
	} {
		wrong = strings.NewReplacer("output tokens i32[n,1]", "output tokens", "output ids i64[n,1]", "output ids").Replace(wrong)
		if err := decode(load(t, client, graphtest.Bytes(t, wrong))); err != nil {
			t.Fatal(err)
		}
		if generate() == nil {
			t.Errorf("generated with\n%s", wrong)
		}
	}
	chooser := load(t, client, graphtest.Bytes(t, choosing))
	if err := decode(chooser); err != nil {
		t.Fatal(err)
	}
	_, err := session.Generate(t.Context(), ort.Generation{Restart: true, Prompt: []int64{1}, Avoid: []int64{3}})
	wantError(err, "tokens to avoid")
	if err := generate(); err != nil {
		t.Error(err)
	}
	if err := chooser.Close(); err != nil {
		t.Fatal(err)
	}
	wantError(generate(), "was unloaded")
	wantError(decode(chooser), "there is no session")
}
