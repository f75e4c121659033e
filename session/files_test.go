package session_test

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
)

// writerStep writes a file with the role of the model, or another file under "save".
type writerStep struct {
	fakeStep
	Out, Save string
}

func (s *writerStep) Options() []session.Option {
	return []session.Option{
		session.Path(&s.Out, "out", "the model").AsTarget().As(session.RoleModel),
		session.Path(&s.Save, "save", "arrays").AsTarget(),
	}
}

// TestComparedFiles takes steps and checks which two files a comparison suggests.
func TestComparedFiles(t *testing.T) {
	m := func(op string) *graphops.Model {
		return graphtest.Model(t, "input x f32[2]\nnamed: y = "+op+"(x)\noutput y f32[2]")
	}
	s := session.New("a.onnx", m("Relu"))
	take := func(step session.Step, r session.Result) {
		base := s.Model()
		s.NoteFiles(step, base, r)
		s.Record(step, r)
	}
	check := func(what, a, b string) {
		t.Helper()
		if gotA, gotB := s.Compared(); gotA != a || gotB != b {
			t.Errorf("%s: %q against %q, want %q against %q", what, gotA, gotB, a, b)
		}
	}
	check("as opened", "a.onnx", "")
	s.AddFile("b.onnx")
	check("with a second file", "a.onnx", "b.onnx")

	take(&writerStep{}, session.Result{Model: m("Abs")})
	check("a change that is in no file", "a.onnx", "")
	take(&writerStep{Out: "abs.onnx"}, session.Result{Files: []string{"abs.onnx"}})
	check("the change written", "a.onnx", "abs.onnx")
	take(&writerStep{Save: "x.npz"}, session.Result{Files: []string{"x.npz"}})
	check("arrays written", "a.onnx", "abs.onnx")
	take(&writerStep{Out: "neg.onnx"}, session.Result{Model: m("Neg"), Files: []string{"neg.onnx", "neg.onnx.data"}})
	check("a step that writes its model", "a.onnx", "neg.onnx")

	s.Undo()
	check("the step before it", "a.onnx", "abs.onnx")
	s.Undo()
	check("back at the original", "a.onnx", "neg.onnx")
	take(&writerStep{Out: "./neg.onnx"}, session.Result{Model: m("Sqrt"), Files: []string{"./neg.onnx"}})
	check("a file that is replaced", "a.onnx", "./neg.onnx")
	s.Undo()
	s.Redo()
	check("undone and done again", "a.onnx", "./neg.onnx")
}
