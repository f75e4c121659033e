package folder

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Role is what a member does in its pipeline.
type Role string

// The roles. Other is a model without evidence of what it does.
const (
	Preprocessor Role = "preprocessor"
	Vision       Role = "vision"
	Speech       Role = "speech"
	TextEncoder  Role = "text-encoder"
	ImageEncoder Role = "image-encoder"
	Encoder      Role = "encoder"
	Projector    Role = "projector"
	Embedding    Role = "embedding"
	Stage        Role = "stage" // of a decoder that is cut into several models
	Decoder      Role = "decoder"
	WithPast     Role = "decoder-with-past"
	MergedRole   Role = "decoder-merged"
	Denoiser     Role = "denoiser"
	ControlNet   Role = "controlnet"
	Joiner       Role = "joiner"
	VAEEncoder   Role = "vae-encoder"
	VAEDecoder   Role = "vae-decoder"
	Safety       Role = "safety-checker"
	Other        Role = "model"
)

// order is the order in which members run. A member reads what members of smaller numbers made.
// Stages and other models read each other by their names alone.
var order = map[Role]int{
	Preprocessor: 1, Vision: 2, Speech: 2, TextEncoder: 2, ImageEncoder: 2, VAEEncoder: 2,
	Projector: 3, Embedding: 4, ControlNet: 4, Encoder: 5, Stage: 6, Decoder: 6, MergedRole: 6, Denoiser: 6,
	WithPast: 7, Joiner: 8, VAEDecoder: 8, Safety: 9,
}

// before reports whether a may run before b in one turn of the pipeline.
func before(a, b *Member) bool {
	x, y := order[a.Role], order[b.Role]
	if x == 0 || y == 0 || a.Role == Stage && b.Role == Stage {
		return a != b
	}
	return x < y
}

// named are the words of file names by which roles are recognized, the first row that fits counts.
// Every word of all has to be in the name, and none of but.
var named = []struct {
	role     Role
	all, but []string
}{
	{Joiner, []string{"joiner"}, nil},
	{Joiner, []string{"joint"}, nil},
	{Safety, []string{"safety", "checker"}, nil},
	{ControlNet, []string{"controlnet"}, nil},
	{VAEEncoder, []string{"vae", "encoder"}, nil},
	{VAEDecoder, []string{"vae", "decoder"}, nil},
	{VAEDecoder, []string{"vae"}, nil},
	{TextEncoder, []string{"text", "encoder"}, nil},
	{TextEncoder, []string{"text", "model"}, nil},
	{ImageEncoder, []string{"image", "encoder"}, nil},
	{Denoiser, []string{"unet"}, nil},
	{Denoiser, []string{"transformer"}, []string{"encoder", "decoder"}},
	{Projector, []string{"projector"}, nil},
	{Projector, []string{"projection"}, nil},
	{Projector, []string{"connector"}, nil},
	{Vision, []string{"vision"}, nil},
	{Vision, []string{"visual"}, nil},
	{Vision, []string{"vit"}, []string{"decoder"}},
	{Speech, []string{"audio"}, nil},
	{Speech, []string{"speech"}, nil},
	{Embedding, []string{"embed"}, nil},
	{Embedding, []string{"embedding"}, nil},
	{Embedding, []string{"embeddings"}, nil},
	{MergedRole, []string{"decoder", "merged"}, nil},
	{WithPast, []string{"decoder", "with", "past"}, nil},
	{WithPast, []string{"cached", "decode"}, nil},
	{WithPast, []string{"cached", "decoder"}, nil},
	{Decoder, []string{"uncached", "decode"}, nil},
	{Decoder, []string{"uncached", "decoder"}, nil},
	{Decoder, []string{"decoder"}, nil},
	{Decoder, []string{"decode"}, nil},
	{Encoder, []string{"encoder"}, nil},
	{Encoder, []string{"encode"}, nil},
	{Preprocessor, []string{"preprocess"}, nil},
	{Preprocessor, []string{"preprocessor"}, nil},
	{Preprocessor, []string{"frontend"}, nil},
}

// roleOf returns the role that a file's name shows. A file called model.onnx has that of its folder.
func roleOf(file string) (Role, string) {
	s, _ := stem(file)
	what := "file"
	if base := path.Base(s); base == "model" && strings.Contains(s, "/") {
		s, what = path.Dir(s), "folder"
	} else {
		s = base
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("_-. /", r) })
	has := func(w string) bool { return slices.Contains(words, w) }
	for _, row := range named {
		if !slices.ContainsFunc(row.all, func(w string) bool { return !has(w) }) && !slices.ContainsFunc(row.but, has) {
			return row.role, fmt.Sprintf("the name of its %s", what)
		}
	}
	return Other, ""
}
