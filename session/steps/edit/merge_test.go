package edit

import (
	"errors"
	"testing"

	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/session"
)

// TestConnection has names that contain "=".
func TestConnection(t *testing.T) {
	plain := graphtest.Model(t, "input x f32[2]\na = Relu(x)\ny = Neg(x)\noutput y f32[2]")
	from, _, err := edit.Names(plain, plain.Places()[0], edit.RenameOptions{Values: []edit.Rename{{From: "a", To: "a=b"}}})
	if err != nil {
		t.Fatal(err)
	}
	to := graphtest.Model(t, "input c=d f32[2]\ninput z f32[2]\ny = Add(z, z)\noutput y f32[2]")
	for _, tt := range []struct {
		text string
		want edit.Connection
	}{
		{"y=z", edit.Connection{From: "y", To: "z"}},
		{"y=c=d", edit.Connection{From: "y", To: "c=d"}},
		{"a=b=z", edit.Connection{From: "a=b", To: "z"}},
		{"a=b=c=d", edit.Connection{From: "a=b", To: "c=d"}},
		{"no=such=name", edit.Connection{From: "no=such", To: "name"}},
	} {
		got, err := connection(from.Graph().Index(), to.Graph().Index(), tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", tt.text, got, err)
		}
	}
	var usage session.UsageError
	if _, err := connection(from.Graph().Index(), to.Graph().Index(), "y"); !errors.As(err, &usage) {
		t.Errorf("without a sign: %v", err)
	}
}
