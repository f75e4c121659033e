package folder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// layout is a known layout of folders: it describes a folder if take returns true, which then sets
// the members and what shows the kind.
type layout struct {
	kind Kind
	take func(f *Folder, l *listing) bool
}

// layouts are tried in this order. A configuration comes before names.
var layouts = []layout{
	{GenAI, takeGenAI},
	{Diffusers, takeDiffusers},
	{Diffusers, byRoles("a model that denoises and one that decodes its result", []Role{Denoiser, VAEDecoder})},
	{Parts, byRoles("a model of embeddings and a decoder", []Role{Embedding, MergedRole}, []Role{Embedding, Decoder})},
	{Parts, byRoles("a model of pictures or sound and a decoder", []Role{Vision, MergedRole}, []Role{Vision, Decoder}, []Role{Speech, MergedRole}, []Role{Speech, Decoder})},
	{Sherpa, byRoles("an encoder, a decoder and a joiner", []Role{Encoder, Decoder, Joiner})},
	{Sherpa, sherpaTokens},
	{Optimum, byFiles("encoder_model and decoder_model are the names that optimum writes", "decoder_model")},
	{Optimum, byFiles("decoder_with_past_model is a name that optimum writes", "decoder_with_past_model")},
	{Merged, byRoles("a decoder that is merged from one without and one with a past", []Role{MergedRole})},
	{Whisper, byRoles("an encoder and a decoder", []Role{Encoder, Decoder}, []Role{Encoder, WithPast})},
	{Single, single},
	{Loose, func(f *Folder, _ *listing) bool {
		f.Why = "several models, without a configuration or names of a known layout"
		return true
	}},
}

// lay finds the layout of a folder, and its members.
func (f *Folder) lay(l *listing) {
	f.Members = l.take()
	for _, row := range layouts {
		if row.take(f, l) {
			f.Kind = row.kind
			break
		}
	}
	f.placeMembers()
}

// placeMembers puts members in the order in which they run.
func (f *Folder) placeMembers() {
	rank := func(m *Member) int { return cmp.Or(order[m.Role], len(order)) }
	slices.SortStableFunc(f.Members, func(a, b *Member) int { return cmp.Compare(rank(a), rank(b)) })
	var stored []string
	for _, m := range f.Members {
		for _, file := range m.Variants {
			stored = append(stored, fmt.Sprintf("%s is the same model as %s in another precision, and is left out", file, m.File))
		}
	}
	f.Assumed = append(f.Assumed, stored...)
	if f.roleCount(MergedRole) > 0 && f.roleCount(Decoder) > 0 && f.Kind == Optimum {
		f.Assumed = append(f.Assumed, "the merged decoder is another form of the other decoders: a pipeline runs either")
	}
}

// roleCount returns how many members have a role.
func (f *Folder) roleCount(r Role) (n int) {
	for _, m := range f.Members {
		if m.Role == r {
			n++
		}
	}
	return n
}

// byRoles recognizes a folder that has members of all roles of one of the lists.
func byRoles(why string, lists ...[]Role) func(*Folder, *listing) bool {
	return func(f *Folder, _ *listing) bool {
		for _, list := range lists {
			if !slices.ContainsFunc(list, func(r Role) bool { return f.roleCount(r) == 0 }) {
				f.Why = "the names of the files: " + why
				return true
			}
		}
		return false
	}
}

// byFiles recognizes a folder by the name of a model.
func byFiles(why, name string) func(*Folder, *listing) bool {
	return func(f *Folder, _ *listing) bool {
		f.Why = "the names of the files: " + why
		return slices.ContainsFunc(f.Members, func(m *Member) bool {
			s, _ := stem(m.File)
			return s[strings.LastIndexByte(s, '/')+1:] == name
		})
	}
}

// sherpaTokens recognizes an encoder and a decoder of sherpa-onnx by the list of tokens beside them.
func sherpaTokens(f *Folder, l *listing) bool {
	f.Why = "an encoder and a decoder beside tokens.txt, as sherpa-onnx has them"
	return f.roleCount(Encoder)+f.roleCount(Preprocessor) > 0 && f.roleCount(Decoder)+f.roleCount(WithPast) > 0 && l.has("tokens.txt")
}

func single(f *Folder, _ *listing) bool {
	f.Why = "one model"
	return len(f.Members) == 1
}

// confirm changes the kind if what the models take contradicts it.
func (f *Folder) confirm() {
	if f.Kind != Whisper {
		return
	}
	for _, m := range f.Members {
		if m.Role == Encoder && m.Model != nil && !takesSound(m) {
			f.Kind, f.Why = Loose, "an encoder and a decoder by the names of their files, but the encoder does not take a mel spectrogram of 80 or 128 bands"
		}
	}
}

// takesSound reports whether an input of a model is a mel spectrogram.
func takesSound(m *Member) bool {
	for _, in := range m.inputs {
		for _, d := range in.Type.Shape {
			if len(in.Type.Shape) >= 2 && (d.Value == 80 || d.Value == 128) {
				return true
			}
		}
	}
	return false
}
