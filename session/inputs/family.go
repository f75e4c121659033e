package inputs

// Family is a kind of generated cases: each is there for faults that the others pass
// over.
type Family string

// The families.
const (
	None     Family = ""         // of the user's data
	Seeds    Family = "seeds"    // random numbers, at the sizes asked for or 1
	Sizes    Family = "sizes"    // other sizes: usual ones, the largest, ones without a common factor
	Zeros    Family = "zeros"    // 0 wherever it is allowed
	Large    Family = "large"    // numbers of large magnitude
	Integers Family = "integers" // whole numbers at the ends of what their readers allow
	Empty    Family = "empty"    // axes and sequences without elements
	Masks    Family = "masks"    // masks that end in padding
	Smallest Family = "smallest" // every free axis at its smallest
	Hidden   Family = "hidden"   // masks that leave nothing of a row
)

// Families are all that can be generated, in the order in which they are.
var Families = []Family{Seeds, Sizes, Zeros, Large, Integers, Empty, Masks, Smallest, Hidden}

// Usual are those that two models are compared on. Hidden is not among them: of a row that
// a mask leaves nothing of, a fused attention keeps differences between scores that another
// one rounds away, and neither is wrong.
var Usual = []Family{Seeds, Sizes, Zeros, Large, Integers, Empty, Masks, Smallest}

func (f Family) String() string { return string(f) }

// IsExtreme reports whether cases of a family can be beyond what a model was made for:
// what it gives on them is held to nothing where it is not finite.
func (f Family) IsExtreme() bool { return f == Zeros || f == Large || f == Hidden }

// NotRun is a case, or family of cases, that was not made, and why.
type NotRun struct {
	Case   string
	Family Family
	Reason string
}
