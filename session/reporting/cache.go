package reporting

import (
	"fmt"
	"io"

	"lathe/graphops/architecture"
	"lathe/session/text"
)

// Cache is what the caches of a model take, for each sequence.
type Cache struct {
	PerToken   int64 `json:"bytes_per_token"`
	Fixed      int64 `json:"bytes_fixed"` // whatever the length is
	PerEncoded int64 `json:"bytes_per_encoder_position"`
	// Unknown are inputs and outputs whose size is not known. Unbounded is the number of caches that grow
	// although their layer looks back only over a window.
	Unknown   []string `json:"unknown"`
	Unbounded int      `json:"unbounded"`
	Assumed   []string `json:"assumed"`
	At        *CacheAt `json:"at"` // null if no length is known

	memory architecture.Memory
	stated *CacheAt // at the length that the model states
}

// CacheAt is what the caches take at a length, without what depends on the encoder.
type CacheAt struct {
	Tokens int64  `json:"tokens"`
	From   string `json:"tokens_from"` // what says the length
	Batch  int64  `json:"batch"`
	Bytes  *int64 `json:"bytes"` // null if there are too many
}

// cacheOf returns what the caches of a model take, or nil if it has none.
func cacheOf(a *architecture.Architecture) *Cache {
	if len(a.Caches) == 0 {
		return nil
	}
	m := a.Memory()
	return &Cache{PerToken: m.PerPosition, Fixed: m.Fixed, PerEncoded: m.PerEncoded, Unknown: OrEmpty(m.Unknown), Unbounded: m.Unbounded, Assumed: OrEmpty(m.Assumed), memory: m}
}

// AtLength returns what the caches take at a length. from says where the length is from. It adds that the
// length is more than the one that the model states.
func (c *Cache) AtLength(tokens, batch int64, from string) *CacheAt {
	at := &CacheAt{Tokens: tokens, From: from, Batch: batch}
	if c.stated != nil && tokens > c.stated.Tokens {
		if from != "" {
			at.From += "; "
		}
		at.From += fmt.Sprintf("more than %s, %s", text.Count(c.stated.Tokens), c.stated.From)
	}
	if n, ok := c.memory.At(batch, tokens); ok {
		at.Bytes = &n
	}
	return at
}

// String says what the caches take, such as "4.0 MiB at 8,192 tokens, the length in config.json".
func (a *CacheAt) String() string {
	bytes := "too much to count"
	if a.Bytes != nil {
		bytes = text.Bytes(*a.Bytes)
	}
	out := fmt.Sprintf("%s at %s tokens", bytes, text.Count(a.Tokens))
	if a.From != "" {
		out += " (" + a.From + ")"
	}
	if a.Batch > 1 {
		out += fmt.Sprintf(", batch %s", text.Count(a.Batch))
	}
	return out
}

// Each says what the caches take of each token, and apart from that.
func (c *Cache) Each() string {
	out := ""
	add := func(n int64, of string) {
		if n == 0 {
			return
		}
		if out != "" {
			out += " + "
		}
		out += text.Bytes(n) + of
	}
	add(c.PerToken, " a token")
	add(c.Fixed, " fixed")
	add(c.PerEncoded, " an encoder position")
	if out == "" {
		return "size not known"
	}
	return out
}

// Remarks say what is not part of the sizes, and what is noteworthy about them.
func (c *Cache) Remarks() []string {
	var out []string
	if n := len(c.Unknown); n > 0 {
		out = append(out, fmt.Sprintf("the size of %s is not known and not counted, such as %s", text.Plural(n, "cache"), text.ShortName(text.Clean(c.Unknown[0]), maxCacheName)))
	}
	if c.Unbounded > 0 {
		out = append(out, fmt.Sprintf("%s with each token although the layers look back only over a window", pluralGrow(c.Unbounded)))
	}
	if c.PerEncoded > 0 && c.At != nil {
		out = append(out, "positions of the encoder are not in the size at a length")
	}
	return append(out, c.Assumed...)
}

// maxCacheName is the length of a name in a remark.
const maxCacheName = 40

func pluralGrow(n int) string {
	if n == 1 {
		return "1 cache grows"
	}
	return text.Count(int64(n)) + " caches grow"
}

// WriteArchitecture writes how a transformer that generates text is built, fact by fact with the
// evidence, and what its cache takes. It writes nothing for other models.
func (s *Summary) WriteArchitecture(w io.Writer) error {
	if s.Cache == nil && s.Vocabulary == 0 {
		return nil
	}
	for _, p := range s.Parts {
		if len(p.Layers) == 0 {
			continue
		}
		fmt.Fprintln(w, text.CleanLine(p.Name()))
		t := text.Table{}
		for _, f := range layerFacts {
			for _, v := range variants(p.Layers, f.text) {
				t.Add(f.name, text.CleanLine(v.text), text.CleanLine(p.Layers[v.first].evidence(f.name)))
			}
		}
		if err := t.WriteText(w, "  "); err != nil {
			return err
		}
	}
	t := text.Table{}
	if s.Vocabulary > 0 {
		t.Add("vocabulary", text.Count(s.Vocabulary))
	}
	if s.Tied != nil {
		t.Add("embedding", map[bool]string{true: "the same tensor as the output head", false: "stored apart from the output head"}[*s.Tied])
	}
	if c := s.Cache; c != nil {
		t.Add("cache", c.Each())
		if c.At != nil {
			t.Add("", text.CleanLine(c.At.String()))
		}
		for _, r := range c.Remarks() {
			t.Add("", text.CleanLine(r))
		}
	}
	return t.WriteText(w, "")
}

// evidence returns the evidence of a fact. That of the base says more than that of the rotary embedding.
func (l *Layers) evidence(fact string) string {
	if fact == "rotary" {
		if s := l.evidence("rotary base"); s != "" {
			return s
		}
	}
	for _, e := range l.Evidence {
		if e.Fact == fact {
			return e.Text
		}
	}
	return ""
}
