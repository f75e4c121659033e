package session_test

import (
	"testing"

	"lathe/session"
	"lathe/session/steps/cut"
	"lathe/session/steps/edit"
	"lathe/session/steps/look"
)

func TestCommandLines(t *testing.T) {
	fix := func() session.Command {
		s := &edit.Constants{Mode: "from-inputs", Set: []string{"cached=false"}}
		return s
	}
	prune := &cut.Prune{Output: []string{"y"}}
	if got, want := session.CommandLines(nil, prune, "a b.onnx"), "lathe prune 'a b.onnx' --output=y"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := "lathe constants from-inputs m.onnx --set=cached=false --out=m.step1.onnx && " +
		"lathe constants from-inputs m.step1.onnx --set=cached=false --out=m.step2.onnx && lathe prune m.step2.onnx --output=y"
	if got := session.CommandLines([]session.Command{fix(), fix()}, prune, "m.onnx"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := session.CommandLines([]session.Command{&look.Check{}}, prune, "m.onnx"); got != "" {
		t.Errorf("%s, although a check writes no model", got)
	}
}
