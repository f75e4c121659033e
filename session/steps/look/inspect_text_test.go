package look

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxtext"
	"lathe/session"
)

func inspectedText(t *testing.T, m *graphops.Model, s Inspect) *inspectText {
	t.Helper()
	s.Text = true
	out, err := s.Run(context.Background(), session.Env{}, m)
	if err != nil {
		t.Fatal(err)
	}
	return out.Report.(*inspectText)
}

// TestInspectTextHostile writes names with control characters to a terminal, to a file and into
// JSON. The terminal gets them escaped, the others unchanged.
func TestInspectTextHostile(t *testing.T) {
	for _, payload := range graphtest.Hostile {
		m := graphtest.Decode(t, graphtest.HostileProto(t, payload))
		r := inspectedText(t, m, Inspect{})
		var screen, file strings.Builder
		if err := r.WriteText(&screen); err != nil {
			t.Fatal(err)
		}
		if found := graphtest.Unprintable(screen.String()); found != "" {
			t.Errorf("%q: the screen is sent %s", payload, found)
		}
		if _, err := r.WriteDocument(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := onnxtext.Parse(file.String()); err != nil {
			t.Errorf("%q: %v", payload, err)
		}
		var doc struct {
			Schema   string
			Text     string
			Warnings []string `json:"text_warnings"`
		}
		b, err := json.Marshal(r)
		if err == nil {
			err = json.Unmarshal(b, &doc)
		}
		if err != nil || doc.Schema != "lathe.inspect/1" || len(doc.Warnings) == 0 || doc.Text != strings.ToValidUTF8(doc.Text, "") {
			t.Errorf("%q: %v %.80s", payload, err, b)
		}
		if want := file.String(); strings.ToValidUTF8(want, "") == want && doc.Text != want {
			t.Errorf("%q: JSON has another text", payload)
		}
	}
}

// TestInspectTextFault checks a write error.
func TestInspectTextFault(t *testing.T) {
	r := inspectedText(t, graphtest.Model(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]"), Inspect{})
	reader, writer := io.Pipe()
	reader.CloseWithError(io.ErrShortWrite)
	if err := r.WriteText(writer); err == nil {
		t.Error("a failed write is not an error")
	}
}
