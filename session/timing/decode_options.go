package timing

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/session"
	"lathe/session/generation"
)

// decoding has the options for language models that generate tokens.
type decoding struct {
	Decode  bool
	Latency bool
	Depths  string
	Prompt  int64
	Tokens  int64
	Cache   string
}

// The work that is measured if no option says otherwise, as llama-bench has it.
const (
	usualDepths = "0,2048,8192"
	usualPrompt = 512
	usualTokens = 128
)

func (o *decoding) options() []session.Option {
	return []session.Option{
		session.Switch(&o.Decode, "decode", "measure how tokens are generated").WithDefault("with a cache").AsUsual(),
		session.Switch(&o.Latency, "latency", "measure single runs, even of a language model that could generate"),
		session.Text(&o.Depths, "depth", "with --decode: measure with these `NUMBERS` of positions in the cache, such as 0,2048").WithDefault(usualDepths + ", as far as the context allows"),
		session.Int(&o.Prompt, "prompt", "with --decode: read prompts of `N` tokens", 1).WithDefault(fmt.Sprintf("%d, or half of the context", usualPrompt)),
		session.Int(&o.Tokens, "tokens", "with --decode: generate `N` tokens, then begin again at the depth", 1).WithDefault(fmt.Sprintf("%d, or a quarter of the context", usualTokens)),
		session.Choice(&o.Cache, "cache", "with --decode: how the cache that a run returns becomes that of the next `RUN`: as one buffer, by exchange of two, or as a copy", generation.Modes()...).WithDefault("shared if the operator allows it, otherwise swapped"),
	}
}

// check returns an error for options that contradict each other or have no effect.
func (o *decoding) check(s *Benchmark) error {
	if o.Decode && o.Latency {
		return session.UsageError("--decode and --latency: give one of them")
	}
	if given := o.given(); given != "" && o.Latency {
		return session.UsageError(fmt.Sprintf("--%s: has no effect with --latency", given))
	}
	if why := s.whyPlain(); o.asked() != "" && why != "" {
		return session.UsageError(fmt.Sprintf("--%s and %s: tokens that are fed back decide about inputs and runs; leave one of them out", o.asked(), why))
	}
	_, _, err := o.depths()
	return err
}

// given returns the first option that has an effect only on decoding, or "".
func (o *decoding) given() string {
	switch {
	case o.Depths != "":
		return "depth"
	case o.Prompt != 0:
		return "prompt"
	case o.Tokens != 0:
		return "tokens"
	case o.Cache != "":
		return "cache"
	}
	return ""
}

// asked returns the first option that asks for decoding, or "".
func (o *decoding) asked() string {
	if o.Decode {
		return "decode"
	}
	return o.given()
}

// whyPlain returns the option that only single runs can have, or "".
func (s *Benchmark) whyPlain() string {
	switch {
	case s.Data != "":
		return "--data"
	case len(s.Input) > 0:
		return "--input"
	case s.Rate != 0:
		return "--rate"
	case s.Concurrency > 1:
		return "--concurrency"
	case s.WithCopies:
		return "--with-copies"
	case s.Captures:
		return "--graph-capture"
	case s.Torch != "":
		return "--torch"
	}
	return ""
}

// depths returns the depths, and whether they are given.
func (o *decoding) depths() (list []int64, given bool, err error) {
	for word := range strings.SplitSeq(cmp.Or(o.Depths, usualDepths), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32)
		if err != nil || n < 0 {
			return nil, true, session.UsageError(fmt.Sprintf("--depth %q: expected numbers of positions such as 0,2048", o.Depths))
		}
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, o.Depths != "", nil
}

// work is what is measured of every model.
type work struct {
	depths         []int64
	prompt, tokens int64
	known          bool // whether the length of the context is
	notes          []string
}

// work returns what fits a context of a number of positions, which from states. 0 means that it is not
// known.
func (o *decoding) work(context int64, from string) (work, error) {
	depths, given, err := o.depths()
	if err != nil {
		return work{}, err
	}
	w := work{depths: depths, prompt: cmp.Or(o.Prompt, usualPrompt), tokens: cmp.Or(o.Tokens, usualTokens), known: context > 0}
	if context == 0 {
		if !given {
			w.notes = append(w.notes, "the length of the model's context is not known: --depth, --prompt and --tokens state what fits")
		}
		return w, nil
	}
	if o.Prompt == 0 {
		w.prompt = min(w.prompt, max(context/2, 1))
	}
	if o.Tokens == 0 {
		w.tokens = min(w.tokens, max(context/4, 1))
	}
	deepest := context - max(w.prompt, w.tokens)
	if deepest < 0 {
		return w, session.UsageError(fmt.Sprintf("a prompt of %d and %d tokens: the context has %d positions (%s)", w.prompt, w.tokens, context, from))
	}
	if given && depths[len(depths)-1] > deepest {
		return w, session.UsageError(fmt.Sprintf("--depth %d: with %d further tokens at most %d, because the context has %d positions (%s)", depths[len(depths)-1], max(w.prompt, w.tokens), deepest, context, from))
	}
	w.depths = slices.DeleteFunc(slices.Clone(depths), func(n int64) bool { return n > deepest })
	if len(w.depths) < len(depths) && !slices.Contains(w.depths, deepest) {
		w.depths = append(w.depths, deepest)
	}
	if w.prompt < usualPrompt && o.Prompt == 0 || w.tokens < usualTokens && o.Tokens == 0 || len(w.depths) < len(depths) || !slices.Equal(w.depths, depths) {
		w.notes = append(w.notes, fmt.Sprintf("cut to the context of %d positions (%s): prompts of %d, %d tokens, depths %s", context, from, w.prompt, w.tokens, numbers(w.depths)))
	}
	return w, nil
}

func numbers(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ", ")
}
