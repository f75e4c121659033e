package tensor

// Pairwise computes the sum of a known number of numbers. It adds them in the same order as
// numpy.sum, so that the result is rounded in the same way. Numbers are split into halves until a
// block has at most 128 of them. A block is summed as eight interleaved sums.
type Pairwise[N float32 | float64] struct {
	side  [8]N // the eight interleaved sums of a block
	block int  // the length of the block
	at    int  // position in it
	sum   N    // of the block at its end; at the end of all numbers, their sum
	open  []half[N]
}

// half is a range of numbers that was split into two parts. The first part may be summed already.
type half[N float32 | float64] struct {
	left  N
	right int // numbers in the second part; 0 while that is being summed
}

const pairwiseBlock = 128

// NewPairwise returns a sum of n numbers. The caller must then add exactly n numbers.
func NewPairwise[N float32 | float64](n int) Pairwise[N] {
	var p Pairwise[N]
	p.begin(n)
	return p
}

// begin splits the next n numbers into halves until the first part is a block, and starts that
// block.
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

// end is called at the end of a block. It adds up the halves that are complete, and starts the next
// block.
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

// Sum returns the sum. All numbers must have been added.
func (p *Pairwise[N]) Sum() N { return p.sum }
