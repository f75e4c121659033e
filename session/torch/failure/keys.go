package failure

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops/pattern"
)

// keys are the names of weights that load_state_dict could not match.
type keys struct {
	missing, unexpected []string // names that the file lacks, and names that the model does not have
	resized             []string // each with both sizes
}

var (
	missingKeysText    = pattern.New(`Missing key\(s\) in state_dict: ([^\n]*)`)
	unexpectedKeysText = pattern.New(`Unexpected key\(s\) in state_dict: ([^\n]*)`)
	keyText            = pattern.New(`"([^"\n]*)"`)
	resizedText        = pattern.New(`size mismatch for (\S+): copying a param with shape (?:torch\.Size\()?([^\n]*?)\)? from checkpoint, the shape in current model is (?:torch\.Size\()?([^\n]*?)\)?\.(?:\n|$)`)
)

// keysOf finds the names of weights in an error message of load_state_dict.
func keysOf(message string) keys {
	var k keys
	if !strings.Contains(message, "Error(s) in loading state_dict for ") {
		return k
	}
	k.missing, k.unexpected = namesIn(missingKeysText, message), namesIn(unexpectedKeysText, message)
	for _, m := range resizedText.FindAllStringSubmatch(message, -1) {
		k.resized = append(k.resized, fmt.Sprintf("%s, %s in the file and %s in the model", m[1], m[2], m[3]))
	}
	return k
}

func namesIn(list *pattern.Pattern, message string) []string {
	var out []string
	if m := list.FindStringSubmatch(message); m != nil {
		for _, name := range keyText.FindAllStringSubmatch(m[1], -1) {
			out = append(out, name[1])
		}
	}
	return out
}

func (k keys) found() bool { return len(k.missing)+len(k.unexpected)+len(k.resized) > 0 }

// String says how many names there are of each kind, with an example.
func (k keys) String() string {
	var parts []string
	for _, kind := range []struct {
		names []string
		word  string
	}{{k.missing, "missing"}, {k.unexpected, "unexpected"}, {k.resized, "of another size"}} {
		if n := len(kind.names); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s, as %s", n, kind.word, kind.names[0]))
		}
	}
	return strings.Join(parts, "; ")
}

// stripped returns a prefix that the names in the file have and those of the model lack, or "" if
// that is not the difference.
func (k keys) stripped() string {
	if len(k.unexpected) == 0 {
		return ""
	}
	return prefixOf(k.unexpected[0], k.missing)
}

// added returns a prefix that the names of the model have and those in the file lack, or "".
func (k keys) added() string {
	if len(k.unexpected) == 0 {
		return ""
	}
	for _, name := range k.missing {
		if prefix := prefixOf(name, k.unexpected[:1]); prefix != "" {
			return prefix
		}
	}
	return ""
}

// prefixOf returns the prefix, including its final dot, that a name has in addition to one of
// others.
func prefixOf(name string, others []string) string {
	for i, c := range name {
		if c == '.' && slices.Contains(others, name[i+1:]) {
			return name[:i+1]
		}
	}
	return ""
}

// holders are keys below which checkpoints store weights next to other data.
var holders = []string{"state_dict", "model_state_dict", "model", "net", "network", "weights", "params", "module", "ema"}

// holder returns the key of the file below which the weights are, or "".
func (k keys) holder() string {
	if i := slices.IndexFunc(k.unexpected, func(name string) bool { return slices.Contains(holders, name) }); i >= 0 && len(k.missing) > 0 {
		return k.unexpected[i]
	}
	return ""
}

func (k keys) about() string { return firstOf([]string{k.stripped(), k.added(), k.holder()}) }

func (k keys) next() []Suggestion {
	if p := k.stripped(); p != "" {
		return []Suggestion{code(fmt.Sprintf("remove %s from the names: {k.removeprefix(%q): v for k, v in state.items()}", p, p))}
	}
	if p := k.added(); p != "" {
		return []Suggestion{code(fmt.Sprintf("add %s in front of the names: {%q + k: v for k, v in state.items()}", p, p))}
	}
	if h := k.holder(); h != "" {
		return []Suggestion{code(fmt.Sprintf("the weights are below a key of the file: model.load_state_dict(state[%q])", h))}
	}
	var out []Suggestion
	if len(k.resized) > 0 {
		out = append(out, code("create the model with the sizes in the file, such as its number of classes"))
	}
	if len(k.missing)+len(k.unexpected) > 0 {
		out = append(out, code("create the model with the options that the weights were saved with"),
			code("strict=False ignores what does not fit: missing weights keep their initial values"))
	}
	return out
}
