package wire

// Reply is an answer of a worker. Hello is its first frame. Exactly one of the fields besides ID and
// Blocked is set; none is set in a received reply of a kind that this version does not know.
type Reply struct {
	// ID is the id of the request to which the reply belongs. It is 0 for Hello, Several, Unheard, Alive
	// and an Error that ends the worker.
	ID        uint64     `cbor:"1,keyasint,omitempty"`
	Hello     *Hello     `cbor:"2,keyasint,omitempty"` // has this number in all versions
	Progress  *Progress  `cbor:"3,keyasint,omitempty"`
	Value     *Value     `cbor:"4,keyasint,omitempty"`
	Data      *Data      `cbor:"5,keyasint,omitempty"`
	Loaded    *Loaded    `cbor:"6,keyasint,omitempty"`
	Done      *Done      `cbor:"7,keyasint,omitempty"`
	Samples   *Samples   `cbor:"8,keyasint,omitempty"`
	Error     *Error     `cbor:"9,keyasint,omitempty"`
	Nodes     *Nodes     `cbor:"10,keyasint,omitempty"`
	MemoryUse *MemoryUse `cbor:"11,keyasint,omitempty"`
	Content   *Content   `cbor:"12,keyasint,omitempty"`
	Opened    *Opened    `cbor:"13,keyasint,omitempty"`
	Received  *Received  `cbor:"14,keyasint,omitempty"`
	Dumped    *Dumped    `cbor:"15,keyasint,omitempty"`
	Stages    *Stages    `cbor:"16,keyasint,omitempty"`
	Unheard   *Unheard   `cbor:"17,keyasint,omitempty"`
	Several   *Several   `cbor:"18,keyasint,omitempty"`
	Offered   *Offered   `cbor:"19,keyasint,omitempty"`
	Compiled  *Compiled  `cbor:"20,keyasint,omitempty"`
	Decoding  *Decoding  `cbor:"21,keyasint,omitempty"`
	Generated *Generated `cbor:"22,keyasint,omitempty"`
	// Blocked are the names of system calls that the sandbox has refused since the last reply. They come
	// with the end of an answer.
	Blocked []string `cbor:"23,keyasint,omitempty"`
	Alive   *Alive   `cbor:"24,keyasint,omitempty"`
}

// Answers reports whether the reply is the end of a successful answer. Each request is ended by
// exactly one such reply or by an Error; a Cancel is not answered.
func (r *Reply) Answers() bool {
	return r.Loaded != nil || r.Done != nil || r.Samples != nil || r.Stages != nil ||
		r.MemoryUse != nil || r.Opened != nil || r.Received != nil || r.Dumped != nil || r.Offered != nil || r.Compiled != nil ||
		r.Decoding != nil || r.Generated != nil
}

// Hello describes the worker.
type Hello struct {
	// Protocol is the worker's Version. It has this number and type in all versions.
	Protocol       uint32 `cbor:"1,keyasint,omitempty"`
	PID            int64  `cbor:"2,keyasint,omitempty"`
	LatheVersion   string `cbor:"3,keyasint,omitempty"`
	LibraryPath    string `cbor:"4,keyasint,omitempty"`
	LibraryVersion string `cbor:"5,keyasint,omitempty"`
	// CompiledProviders has the names of GetAvailableProviders. These are the providers with which
	// the library was compiled, not those that work on this machine.
	CompiledProviders []string `cbor:"6,keyasint,omitempty"`
	SlurmJob          string   `cbor:"7,keyasint,omitempty"` // of the worker; empty for none
	// Unlimited are the parts of the sandbox that the worker's system does not offer.
	Unlimited []string `cbor:"8,keyasint,omitempty"`
}

// Several is sent instead of Hello if the launcher started more than one worker.
type Several struct {
	Workers int64 `cbor:"1,keyasint,omitempty"`
}

// Unheard is the last frame of a worker whose input ended before a request arrived, because the
// launcher does not forward its input.
type Unheard struct{}

// Alive says that the worker is alive, although a request takes long. See AliveEvery.
type Alive struct{}

// Progress says what a request is going to do, so that a crash can be attributed to it.
type Progress struct {
	Activity string `cbor:"1,keyasint,omitempty"`
}

// Registering begins the activity of a worker that registers libraries with custom operators.
const Registering = "registering the custom operators of "

// Content announces bytes that follow as Data: the profile or the machine, as JSON, or a structure.
type Content struct {
	Bytes int64 `cbor:"1,keyasint,omitempty"`
}

// Done ends the answer to a request whose results, if it has any, were sent before.
type Done struct{}

// Error ends a request that failed, or says why the worker ends.
type Error struct {
	Code     int32     `cbor:"1,keyasint,omitempty"` // OrtErrorCode; 0 for an error of the worker itself
	Message  string    `cbor:"2,keyasint,omitempty"` // the complete message of the runtime
	Refused  []Refusal `cbor:"3,keyasint,omitempty"` // set if none of the providers worked
	Canceled bool      `cbor:"4,keyasint,omitempty"`
	// Context says what the request to the runtime was about: `input "x"`.
	Context string `cbor:"5,keyasint,omitempty"`
}
