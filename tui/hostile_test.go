package tui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/tui/cells"
)

// payloads would do something to a terminal, or to the eye, if they were
// written as they are.
var payloads = []string{
	"\x1b]0;title\x07", "\x1b[2J", "\x1b[31;5m", "\x1b]8;;http://x\x1b\\link", "\u009b2J", "\u009d0;title\u009c", "\x9b2J", "\b\b\b", "over\rwritten", "two\nlines", "a\ttab",
	"nul\x00", "del\x7f", "\u202etxt.exe\u202c", "\u2066isolate\u2069", "zero\u200bwidth", "zw\u200dj", "\U000e0041tag", "\xff\xfe", "z\u0301\u0302\u0303\u0304\u0305",
	"\x1b]0;unterminated", "soft\u00adhyphen", "\ufeffbom", "\u3164filler", "line\u2028separator", "\U0010eeee\u0305", "vs\ufe0f", "\x1bP+q544e\x1b\\", "\x1b_apc\x1b\\", "\x0e\x0f", "\x1b[?1049l",
	"\x1bc", "\u2800blank", "\u115f\u1160",
}

// paste pastes text, as a terminal does in brackets.
func (d *desk) paste(s string) { d.send(tea.PasteMsg{Content: s}) }

// hasControls reports whether the screen holds anything but text and the styles
// of the workbench itself.
func (d *desk) hasControls() bool {
	own := []string{ansi.ResetStyle, "", "\n", ""}
	for _, style := range d.styles() {
		own = append(own, style, "")
	}
	rest := strings.NewReplacer(own...).Replace(d.app.View().Content)
	return strings.ContainsFunc(rest, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
	})
}

// styles are all sequences that the workbench may write.
func (d *desk) styles() []string {
	var out []string
	st := reflect.ValueOf(d.app.ws.styles)
	for i := range st.NumField() {
		if s := st.Field(i).String(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// hostileModel has the payload in front of every text that a model holds: names,
// operators, domains, symbols, attributes, metadata, documentation.
func hostileModel(t testing.TB, payload string) *graphops.Model {
	t.Helper()
	p := graphtest.Proto(t, `
		metadata key value
		graph body
		z = Neg(h)
		output z f32[N]
		end
		input x f32[N]
		init w f32[1] 1
		node: h = com.example::Op(x, w, far) text='v' list=['v','w']
		If: y = If(h) then_branch=@body
		output y f32[M]
	`)
	n := p.Graph.Node[0]
	n.DocString = proto.String("doc\nof lines")
	n.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: proto.String("k"), Value: proto.String("v")}}
	p.Graph.Input[0].DocString = proto.String("doc")
	p.ProducerName, p.ProducerVersion = proto.String("tool"), proto.String("1")
	prefixStrings(p.ProtoReflect(), payload)
	return graphtest.Decode(t, p)
}

// prefixStrings puts a text in front of every text of a message and of those in
// it.
func prefixStrings(m protoreflect.Message, prefix string) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		change := func(v protoreflect.Value) protoreflect.Value {
			switch {
			case f.Kind() == protoreflect.StringKind:
				return protoreflect.ValueOfString(prefix + v.String())
			case f.Kind() == protoreflect.BytesKind && f.Name() != "raw_data":
				return protoreflect.ValueOfBytes(append([]byte(prefix), v.Bytes()...))
			case f.Kind() == protoreflect.MessageKind:
				prefixStrings(v.Message(), prefix)
			}
			return v
		}
		if !f.IsList() {
			if w := change(v); f.Kind() != protoreflect.MessageKind {
				m.Set(f, w)
			}
			return true
		}
		for i := range v.List().Len() {
			if w := change(v.List().Get(i)); f.Kind() != protoreflect.MessageKind {
				v.List().Set(i, w)
			}
		}
		return true
	})
}

// TestHasControls makes sure that the other tests would see a raw sequence.
func TestHasControls(t *testing.T) {
	for _, payload := range []string{"\x1b[2J", "\u009b2J", "a\rb", "\u202e", "\xff", "\x1b[31m", "\x1b]0;x"} {
		d := branchyDesk(t, 80, 24)
		if d.hasControls() {
			t.Fatal("the workbench's own styles are taken for controls")
		}
		d.app.ws.log.add(entry{lines: []string{payload}})
		if !d.hasControls() {
			t.Errorf("%q is not seen", payload)
		}
	}
}

// TestHostileNames goes through every view of a model full of each payload.
func TestHostileNames(t *testing.T) {
	for i, payload := range payloads {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := testOptions(hostileModel(t, payload))
			o.Path = "folder/" + payload + ".onnx"
			d := newDeskWith(t, o, 140, 50)
			look := func(what string) {
				t.Helper()
				if d.hasControls() {
					t.Fatalf("%s: %q", what, d.app.View().Content)
				}
				if title := d.app.View().WindowTitle; strings.ContainsFunc(title, unicode.IsControl) {
					t.Fatalf("%s: the window's title is %q", what, title)
				}
			}
			for _, keys := range []string{
				"j", "j", "j", "G", "g l", "j l", "h", "space", "p", "r", "esc", "u", "?", "esc", ": b", "esc", "/", "esc",
				"a", "esc", "e", "enter", "esc", "Q", "esc", "V", "esc", "v", "j", "esc", "c", "esc", "<", "esc", "F", "w", "o", "backspace", "y", "L", "esc", "s", "esc", "q", "esc",
			} {
				for _, k := range strings.Fields(keys) {
					d.press(k)
					look(k)
				}
			}
			d.press("/")
			d.paste(payload)
			look("search")
			d.press("enter", "n")
			look("next match")
			d.app.ws.log.fail(fmt.Errorf("node %s", payload))
			look("status")
		})
	}
}

// TestLongNames shows names of a megabyte as short as any.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	d := newDesk(t, graphtest.Model(t, "input x f32\n"+long+": y = Relu(x)\noutput y f32"), 140, 40)
	d.press("j")
	if n := len(d.app.View().Content); n > 100<<10 {
		t.Errorf("a frame has %d bytes", n)
	}
	d.sees("of 1,048,576 bytes")
}

func TestAbridge(t *testing.T) {
	for _, s := range []string{strings.Repeat("层", 5000), strings.Repeat("\x80", 5000), strings.Repeat("a", 5000)} {
		got := cells.Abridge(s, 1001)
		if len(got) > 1100 || !strings.HasPrefix(s, got[:400]) || !strings.HasSuffix(s, got[len(got)-400:]) {
			t.Errorf("%.10q…: %d bytes are left: %.40q", s, len(got), got)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%.10q…: a character is cut", s)
		}
	}
}
