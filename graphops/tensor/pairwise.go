package tensor

// Pairwise adds up a number of numbers, which is known before, in the order of
// numpy.sum, so that the sum is rounded as that one is: eight sums side by side in a
// block of at most 128, and blocks in halves.
type Pairwise[N float32 | float64] struct {
	side  [8]N // of a block, one number in eight each
	block int  // the length of the block
	at    int  // in it
	sum   N    // of a block whose eights are over, and in the end of all
	open  []half[N]
}

// half is a sum of two parts.
type half[N float32 | float64] struct {
	left  N
	right int // numbers of the second part; 0 while that is added up
}

const pairwiseBlock = 128

// NewPairwise is a sum of n numbers that are to be added.
func NewPairwise[N float32 | float64](n int) Pairwise[N] {
	var p Pairwise[N]
	p.begin(n)
	return p
}

// begin goes down to the first block of the next n numbers.
func (p *Pairwise[N]) begin(n int) {
	for n > pairwiseBlock {
		first := n / 2
		first -= first % 8
		p.open = append(p.open, half[N]{right: n - first})
		n = first
	}
	p.block, p.at, p.sum = n, 0, 0
}

// Add adds the next number.
func (p *Pairwise[N]) Add(x N) {
	eights := p.block &^ 7
	switch {
	case p.at >= eights:
		p.sum += x
	case p.at < 8:
		p.side[p.at] = x
	default:
		p.side[p.at&7] += x
	}
	p.at++
	if p.at == eights {
		r := &p.side
		p.sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	}
	if p.at == p.block {
		p.end()
	}
}

// end puts the sum of a block where it belongs, and begins with the next one.
func (p *Pairwise[N]) end() {
	for len(p.open) > 0 {
		top := &p.open[len(p.open)-1]
		if right := top.right; right > 0 {
			top.left, top.right = p.sum, 0
			p.begin(right)
			return
		}
		p.sum += top.left
		p.open = p.open[:len(p.open)-1]
	}
}

// Sum is the sum once all numbers are added.
func (p *Pairwise[N]) Sum() N { return p.sum }
