package graphtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"lathe/graphops/onnxpb"
)

// Hostile has texts that would change the state of a terminal, or mislead the user, if they were
// printed unchanged. None of them contains "=" or "/", which separate the parts of arguments and
// paths.
var Hostile = slices.Concat(hostileSequences, hostileControls, hostileText, hostileBytes)

// Control sequences of terminals. They have 7-bit and 8-bit forms; some are truncated.
var hostileSequences = []string{
	"\x1b[2J", "\x1b[31;5mred", "\x1b[6n", "\x1b[c", "\x1b[?1049l", "\x1b[?25l", "\x1b[10;10Hfar", "\x1b[999A", "\x1b[8m", "\x1b[?2026h", "\x1b[3", "\x1b[",
	"\x1b]0;title\x07", "\x1b]8;;http:x\x1b\\link", "\x1b]52;c;ZWNobw\x07", "\x1b]11;?\x07", "\x1b]1337;File:AAAA\x07", "\x1b]0;unterminated", "\x1b]",
	"\x1bP+q544e\x1b\\", "\x1bPq#0;2;0;0;0#0~~\x1b\\", "\x1bPunterminated", "\x1b_apc\x1b\\", "\x1b_Gf:100;AAAA\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x1bXunterminated",
	"\x1bc", "\x1b7\x1b8", "\x1b#8", "\x1b(0lqk", "\x1b", "\x1b\x1b[2J", "\x1bM\x1bM",
	"\u009b2J", "\u009d0;title\u009c", "\u0090q\u009c", "\u009fapc\u009c", "\u009epm\u009c", "\u0098sos\u009c", "\u0084\u0085\u0088\u008d",
}

// Control characters.
var hostileControls = []string{
	"nul\x00", "\x05enq", "bell\x07", "\b\b\bback", "a\ttab", "two\nlines", "vt\vff\f", "over\rwritten", "\x0e\x0fshift", "\x11\x13flow", "\x1a\x1csub", "del\x7f",
}

// Valid text that looks different from what it is.
var hostileText = []string{
	"\u202etxt.exe\u202c", "\u2066isolate\u2069", "\u2067\u2068rtl", "\u061c\u200e\u200fmarks", "zero\u200bwidth", "zw\u200dj\u200cn", "word\u2060joiner", "\u2062\u2064math",
	"\U000e0041tag\U000e007f", "soft\u00adhyphen", "\ufeffbom", "line\u2028separator", "para\u2029graph", "no\u00a0break", "wide\u3000space", "thin\u2009\u202fspace",
	"\u3164filler", "\u115f\u1160", "\uffa0half", "\u2800blank", "\u17b4\u17b5khmer", "\u034fcgj", "\u180e\u180bmvs", "vs\ufe0f\ufe0e", "vs\U000e0100",
	"z\u0301\u0302\u0303\u0304\u0305", "z" + strings.Repeat("\u0489", 40), "m" + strings.Repeat("\u0903", 40), strings.Repeat("\u1161", 40), "\U0001f44d" + strings.Repeat("\U0001f3fb", 40),
	"\ue000private", "\U0010eeee\u0305kitty", "\ufdd0\ufffe\uffff\U0010ffff", "\ufff9anno\ufffb", "\U0001d159\U0001d173", "\U00016fe4", "\u206a\u206f", "unassigned\u0378",
	`backslash\x1b[2J`, `\u{202e}`, `\`, `"quoted'`, "\ufffdreplaced", "%s%n%d", "${HOME}$(id)`id`;",
}

// Bytes that are not valid UTF-8: isolated, truncated and overlong sequences, surrogates, and code
// points that are too large.
var hostileBytes = []string{
	"\xff\xfe", "\x9b2J", "lone\x80", "\x1b\xff[2J", "cut\xc3", "cut\xe2\x80", "cut\xf0\x9f\x98", "overlong\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b", "\xc1\xbf",
	"\xed\xa0\x80\xed\xb0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80",
}

// Unprintable names the first thing in a text that must not be sent to a terminal. This is an
// invalid byte, a control character other than a line end, a character that is invisible or changes
// the direction of text, or a sequence of many combining marks. It returns "" for a text without
// such things. It uses the tables of Unicode and shares no code with the functions that it tests.
func Unprintable(s string) string {
	marks := 0
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			return fmt.Sprintf("byte %#x", s[i])
		}
		if r == '\n' || r >= ' ' && r <= '~' {
			marks = 0
			continue
		}
		if !unicode.IsPrint(r) || unicode.In(r, invisible...) || strings.ContainsRune("\u2800\ufffe\U0001d159\U00016fe4", r) {
			return fmt.Sprintf("%U", r)
		}
		if marks++; !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		}
		if marks > 2 {
			return fmt.Sprintf("a pile up to %U", r)
		}
	}
	return ""
}

var invisible = []*unicode.RangeTable{
	unicode.C, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Join_Control, unicode.Noncharacter_Code_Point,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// hostile describes a model with a text in every field that can have one.
const hostile = `
	ir 10
	metadata key value
	opset com.example 1
	opset com.example.local 1
	graph body
	z = Neg(h)
	output z f32[N]
	end
	function com.example.local Double(a) -> (b)
	inner: b = Add(a, a) note='f'
	end
	input x f32[N,4]
	init w f32[1] 1
	init far f32[1] 1
	init s str[2] 'one' 'two'
	sparse sp f32[4] 3 at 1
	value h f32[N,4]
	node: h = com.example::Op(x, w, far) text='v' list=['v','w'] tensor={str[1] 'e'} n=1
	If: y = If(h) then_branch=@body
	call: d = com.example.local::Double(x)
	free: f = Cast(x) to=1
	output y f32[M]
	output d f32[N,4]
	output f
`

// HostileProto returns a model in which every text starts with the payload: names, operators,
// domains, symbols, attributes, metadata and documentation.
func HostileProto(t testing.TB, payload string) *onnxpb.ModelProto {
	t.Helper()
	p := Proto(t, hostile)
	describe(p)
	prefixStrings(p.ProtoReflect(), payload)
	return p
}

// describe adds documentation, metadata, producers and denotations everywhere.
func describe(p *onnxpb.ModelProto) {
	entry := func() []*onnxpb.StringStringEntryProto {
		return []*onnxpb.StringStringEntryProto{{Key: proto.String("k"), Value: proto.String("v")}}
	}
	doc := proto.String("doc\nof lines")
	g := p.Graph
	p.DocString, g.DocString, g.MetadataProps = doc, doc, entry()
	p.ProducerName, p.ProducerVersion, p.Domain = proto.String("tool"), proto.String("1"), proto.String("org.example")
	for _, n := range slices.Concat(g.Node, p.Functions[0].Node) {
		n.DocString, n.MetadataProps = doc, entry()
		for _, a := range n.Attribute {
			a.DocString = doc
		}
	}
	for _, v := range slices.Concat(g.Input, g.Output, g.ValueInfo) {
		v.DocString, v.MetadataProps = doc, entry()
		if v.Type != nil {
			v.Type.Denotation = proto.String("IMAGE")
		}
	}
	for _, x := range g.Initializer {
		x.DocString, x.MetadataProps = doc, entry()
	}
	for _, d := range g.Input[0].Type.GetTensorType().GetShape().GetDim() {
		d.Denotation = proto.String("DATA_BATCH")
	}
	f := p.Functions[0]
	f.DocString, f.MetadataProps, f.Overload = doc, entry(), proto.String("")
	g.QuantizationAnnotation = []*onnxpb.TensorAnnotation{{TensorName: proto.String("x"), QuantParameterTensorNames: entry()}}
}

// HostileRunnable returns a model that a runtime accepts. All names that a model may choose start
// with the payload.
func HostileRunnable(t testing.TB, payload string) *onnxpb.ModelProto {
	t.Helper()
	p := Proto(t, `
		input x f32[N,4]
		init w f32[4,4] 1 2 3
		init bias f32[4] 1
		gemm: h = Gemm(x, w, bias)
		act: y = Relu(h)
		output y f32[N,4]
	`)
	operators, opsets := []string{}, p.OpsetImport
	for _, n := range p.Graph.Node {
		operators = append(operators, n.GetOpType())
	}
	p.OpsetImport = nil
	prefixStrings(p.ProtoReflect(), payload)
	for i, n := range p.Graph.Node {
		n.OpType = &operators[i]
	}
	p.OpsetImport = opsets
	return p
}

// HostileExternal returns a model whose weights are external data at the given location.
// external_data also has the given key, which the format does not define.
func HostileExternal(t testing.TB, location, key string) *onnxpb.ModelProto {
	t.Helper()
	p := Proto(t, "init w f32[1024] 1\nnode: y = Neg(w)\noutput y f32[1024]")
	w := p.Graph.Initializer[0]
	w.FloatData, w.RawData = nil, nil
	w.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
	w.ExternalData = []*onnxpb.StringStringEntryProto{
		{Key: proto.String("location"), Value: proto.String(location)},
		{Key: proto.String(key), Value: proto.String(key)},
	}
	return p
}

// prefixStrings puts prefix before every text of a message and of the messages in it. Empty texts
// stay empty, because they mean that something is absent.
func prefixStrings(m protoreflect.Message, prefix string) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		change := func(v protoreflect.Value) protoreflect.Value {
			switch {
			case f.Kind() == protoreflect.StringKind && v.String() != "":
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
