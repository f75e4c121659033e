package look

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
)

// checkText returns an error for options that have no effect with --text, or only with it.
func (s *Inspect) checkText() error {
	if !s.Text {
		if s.MaxElements > 0 {
			return session.UsageError("inspect: --max-elements has an effect only with --text")
		}
		return nil
	}
	for _, o := range s.Options() {
		switch o.Name {
		case "text", "max-elements", "in":
		default:
			if len(o.Values()) > 0 {
				return session.UsageError(fmt.Sprintf("inspect: --text prints nothing else; leave out --%s or --text", o.Name))
			}
		}
	}
	return nil
}

// inspectText is a model, or a part of it, in ONNX text syntax. Its JSON is that of the report with
// two more members: text and text_warnings.
type inspectText struct {
	*InspectReport
	place   *graphops.Place
	model   *graphops.Model
	denied  []string // declared types that contradict the graph
	options onnxtext.Options
}

// maxDenied is how many contradicting declarations are listed; --values marks all.
const maxDenied = 5

// WriteDocument writes the text with every byte of a name unchanged. It returns warnings about what
// the text cannot express.
func (r *inspectText) WriteDocument(w io.Writer) (warnings []string, err error) {
	var losses []onnxtext.Loss
	switch r.place.Kind {
	case graphops.BodyGraph:
		losses, err = onnxtext.WriteGraph(w, r.place.Graph, r.options)
	case graphops.FunctionBody:
		losses, err = onnxtext.WriteFunction(w, r.place.Function, r.options)
	default:
		losses, err = onnxtext.Write(w, r.model, r.options)
	}
	for _, l := range losses {
		warnings = append(warnings, lossText(l))
	}
	warnings = append(warnings, r.denied[:min(len(r.denied), maxDenied)]...)
	if more := len(r.denied) - maxDenied; more > 0 {
		warnings = append(warnings, fmt.Sprintf("%s more with a declared type that contradicts the graph; --values marks all", text.Plural(more, "value")))
	}
	return warnings, session.InModel(r.model, err)
}

func lossText(l onnxtext.Loss) string {
	if l.What != onnxtext.LeftOut {
		return l.String()
	}
	of := "1 tensor or list"
	if l.Count != 1 {
		of = text.Count(int64(l.Count)) + " tensors or lists"
	}
	return fmt.Sprintf(`"..." marks elements of %s that --max-elements leaves out; this text cannot be read back`, of)
}

// WriteText implements session.Report.
func (r *inspectText) WriteText(w io.Writer) error {
	warnings, err := r.WriteDocument(&text.Lines{W: w})
	if err != nil {
		return err
	}
	for _, s := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text.CleanLine(s))
	}
	return nil
}

// WriteJSON writes the report as one document. It writes the text piece by piece.
func (r *inspectText) WriteJSON(w io.Writer) error {
	return r.writeJSON(w, func(w io.Writer) error {
		if _, err := io.WriteString(w, ",\n  \"text\": \""); err != nil {
			return err
		}
		warnings, err := r.WriteDocument(&jsonString{w: w})
		if err != nil {
			return err
		}
		b, err := encodeJSON(reporting.OrEmpty(warnings), "")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "\",\n  \"text_warnings\": %s", b)
		return err
	})
}

// MarshalJSON is used if the report is a part of another one.
func (r *inspectText) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := r.WriteJSON(&b)
	return b.Bytes(), err
}

// jsonString escapes text for a JSON string and writes it. The text arrives in pieces that may end
// inside a character, so invalid UTF-8 is not replaced but written unchanged.
type jsonString struct{ w io.Writer }

var jsonEscapes = func() *strings.Replacer {
	pairs := []string{`"`, `\"`, `\`, `\\`, "\n", `\n`}
	for c := range 0x20 {
		if c != '\n' {
			pairs = append(pairs, string(rune(c)), fmt.Sprintf(`\u%04x`, c))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// Write implements io.Writer.
func (j *jsonString) Write(p []byte) (int, error) {
	if _, err := jsonEscapes.WriteString(j.w, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
