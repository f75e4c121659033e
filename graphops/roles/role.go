package roles

import "strconv"

// Kind is what an input or output is for.
type Kind uint8

// The kinds. Unknown is the zero value.
const (
	Unknown    Kind = iota
	IDs             // token ids
	Segments        // which of several texts a token belongs to
	Embeddings      // what stands in place of token ids
	Features        // a picture or sound, from which a convolution makes embeddings
	Mask            // which positions count
	Positions       // the position of each token
	Lengths         // how many positions of each sequence are valid
	Total           // the number of past and new positions
	PastLength      // the number of past positions
	CacheIndex      // where in a cache the new positions are written
	Branch          // whether the past is used
	Beams           // the sequence that each sequence continues
	Setting         // a setting of a search, such as the number of beams
	Encoded         // what an encoder returned
	Past            // a cache or state before the run
	Present         // a cache or state after the run
	Logits          // scores of the next token
	Hidden          // hidden states
	Generated       // generated token ids
	kinds
)

// words are the words for kinds, in files and on the command line, and how they are described.
var words = [kinds]struct{ word, title string }{
	Unknown:    {"unknown", "not recognized"},
	IDs:        {"ids", "token ids"},
	Segments:   {"segments", "segments"},
	Embeddings: {"embeddings", "embeddings"},
	Features:   {"features", "picture or sound"},
	Mask:       {"mask", "mask"},
	Positions:  {"positions", "positions"},
	Lengths:    {"lengths", "lengths"},
	Total:      {"total", "total length"},
	PastLength: {"past-length", "past length"},
	CacheIndex: {"index", "index into the cache"},
	Branch:     {"branch", "cache switch"},
	Beams:      {"beams", "beams"},
	Setting:    {"setting", "setting of the search"},
	Encoded:    {"encoded", "encoder states"},
	Past:       {"past", "past"},
	Present:    {"present", "present"},
	Logits:     {"logits", "logits"},
	Hidden:     {"hidden", "hidden states"},
	Generated:  {"generated", "generated ids"},
}

// String returns the word for a kind, as --role accepts it.
func (k Kind) String() string {
	if k >= kinds {
		return "Kind(" + strconv.Itoa(int(k)) + ")"
	}
	return words[k].word
}

// Title describes a kind in a few words.
func (k Kind) Title() string { return words[k].title }

// Kinds returns all kinds.
func Kinds() []Kind {
	out := make([]Kind, kinds)
	for k := range kinds {
		out[k] = k
	}
	return out
}

// ofInput and ofOutput are the kinds that an input or an output can have.
func (k Kind) ofInput() bool { return k != Present && k != Logits && k != Hidden && k != Generated }

func (k Kind) ofOutput() bool { return k == Unknown || k == Present || k > Present }

// Content is what a cache holds.
type Content uint8

// The contents. NoContent is that of other ports, and of caches with content that is not known.
const (
	NoContent   Content = iota
	Key                 // keys
	Value               // values
	KeyAndValue         // both in one tensor
	State               // the state of a recurrent layer
	ConvState           // the last inputs of a convolution
)

// String describes the content in a word.
func (c Content) String() string {
	return [...]string{"", "key", "value", "key and value", "state", "conv state"}[c]
}

// Source is a kind of evidence. A larger one is stronger.
type Source uint8

// The sources of evidence.
const (
	NoEvidence Source = iota
	ByName
	ByStructure // how nodes are connected, and sizes
	ByOperator  // a slot or an attribute of an operator whose meaning is defined
	ByUser
)

// String returns a word for a source.
func (s Source) String() string {
	return [...]string{"none", "name", "structure", "operator", "given"}[s]
}

// Evidence is a reason for a role.
type Evidence struct {
	Source Source
	Text   string // names in it are quoted
}

// Port is an input or an output of the model with its role.
type Port struct {
	Name     string
	Kind     Kind
	Content  Content
	Pair     int // the index in Roles.Pairs of a past or present, otherwise -1
	Cross    bool
	Offset   int // of Lengths: the number that is added to the length, -1 for seqlens_k
	Evidence []Evidence
	Assumed  []string // what no evidence shows
}

// Source returns the strongest source of the evidence.
func (p *Port) Source() Source {
	out := NoEvidence
	for _, e := range p.Evidence {
		out = max(out, e.Source)
	}
	return out
}

// Pair is a cache or state: an input that has it before the run, and the output that has it after.
// One of the two may be missing.
type Pair struct {
	Past, Present string
	Content       Content
	Layer         int // counted from 0 for caches of one form and content
	Form          *Form
	Growth        Growth
	Cross         bool  // of keys and values that come from an encoder
	Window        int64 // the number of positions that the operator looks back, 0 if not limited
	Axis          int   // the axis of past with the positions, -1 if there is no such axis or it is not known
	InPlace       bool  // a static cache is written by an operator that takes one buffer for past and present
}

// Roles are the roles of a model's ports.
type Roles struct {
	Inputs, Outputs []Port // in the order of the graph; inputs with a stored value are left out
	Pairs           []Pair // in the order of their layers
	Limits          []string

	inputs, outputs map[string]int // the first with each name
}

// Input returns the input with a name, or nil.
func (r *Roles) Input(name string) *Port { return portNamed(r.Inputs, r.inputs, name) }

// Output returns the output with a name, or nil.
func (r *Roles) Output(name string) *Port { return portNamed(r.Outputs, r.outputs, name) }

func portNamed(list []Port, index map[string]int, name string) *Port {
	i, ok := index[name]
	if !ok {
		return nil
	}
	return &list[i]
}

// index makes ports known by their names.
func index(list []Port) map[string]int {
	out := make(map[string]int, len(list))
	for i := range list {
		if _, twice := out[list[i].Name]; !twice {
			out[list[i].Name] = i
		}
	}
	return out
}

// Speaks reports whether the model is a language model, or a part of one: it has a cache, or token
// ids, or what an encoder returned.
func (r *Roles) Speaks() bool {
	if len(r.Pairs) > 0 {
		return true
	}
	for i := range r.Inputs {
		switch r.Inputs[i].Kind {
		case IDs, Encoded, Past:
			return true
		default:
		}
	}
	return false
}
