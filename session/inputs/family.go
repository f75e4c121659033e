package inputs

// Family is a kind of generated cases. Each family can find faults that the others do not show.
type Family string

// The families.
const (
	None  Family = ""      // data of the user
	Seeds Family = "seeds" // random numbers, with the requested sizes or 1
	// sizes that differ from those of Seeds: usual ones, the largest ones, and ones without a
	// common factor
	Sizes    Family = "sizes"
	Zeros    Family = "zeros"    // 0 wherever it is allowed
	Large    Family = "large"    // numbers of large magnitude
	Integers Family = "integers" // the smallest and the largest integers that are allowed
	Empty    Family = "empty"    // axes and sequences without elements
	Masks    Family = "masks"    // masks that end in padding, or begin with it
	Smallest Family = "smallest" // every free axis at its smallest
	Hidden   Family = "hidden"   // masks that mask a whole row
	// Prefill, Continued and Decode are runs of a model with a cache: without a past, with several
	// tokens after a past, and with one token after a past.
	Prefill   Family = "prefill"
	Continued Family = "continued"
	Decode    Family = "decode"
	// Steps compares a model with a cache with itself. It makes no inputs of its own.
	Steps Family = "steps"
)

// Families lists all families, in the order in which they are generated.
var Families = []Family{Seeds, Sizes, Zeros, Large, Integers, Empty, Prefill, Continued, Decode, Masks, Smallest, Hidden, Steps}

// Usual are the families for comparing two models. Hidden is not one of them, because it makes
// correct models differ: in a row that is masked completely, a fused attention keeps differences
// between scores that another implementation rounds away.
var Usual = []Family{Seeds, Sizes, Zeros, Large, Integers, Empty, Prefill, Continued, Decode, Masks, Smallest}

func (f Family) String() string { return string(f) }

// IsExtreme reports whether the cases of a family may go beyond what a model was made for. It is
// then no fault if an output is NaN or infinite.
func (f Family) IsExtreme() bool { return f == Zeros || f == Large || f == Hidden }

// NotRun is a case that was not generated, and why.
type NotRun struct {
	Case   string
	Family Family
	Reason string
}
