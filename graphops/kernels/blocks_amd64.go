package kernels

import (
	"os"

	"golang.org/x/sys/cpu"
)

//go:generate go -C asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg kernels

// enabled reports whether the instructions are used.
var enabled = cpu.X86.HasAVX2 && cpu.X86.HasF16C && os.Getenv("LATHE_KERNELS") != "portable"

const (
	// codesBlock and narrowBlock are how many numbers one iteration handles.
	codesBlock  = 32
	narrowBlock = 16
	eachBlock   = 8
)

// Each of these functions handles the whole blocks at the start and returns how many numbers these
// have. The caller handles the others.

func extremesBlocks(raw []byte, most int32, least uint32) (done int, _ int32, _ uint32) {
	if done = len(raw) / 4 / codesBlock * codesBlock; !enabled || done == 0 {
		return 0, most, least
	}
	most, least = extremesAVX2(raw[:4*done], most, least)
	return done, most, least
}

func extremesEachBlocks(most []int32, least []uint32, raw []byte) (done int, magnitude uint32) {
	if done = len(most) / eachBlock * eachBlock; !enabled || done == 0 {
		return 0, 0
	}
	return done, extremesEachAVX2(most[:done], least[:done], raw[:4*done])
}

func codesBlocks(out, raw []byte, r Rounder) (done int) {
	if done = len(out) / codesBlock * codesBlock; !enabled || done == 0 {
		return 0
	}
	codesAVX2(out[:done], raw[:4*done], r.Scale, r.Lo, r.Hi, r.Offset)
	return done
}

func codesEachBlocks(out, raw []byte, rs Rounders) (done int) {
	if done = len(out) / codesBlock * codesBlock; !enabled || done == 0 {
		return 0
	}
	codesEachAVX2(out[:done], raw[:4*done], rs.Scale[:done], rs.Lo[:done], rs.Hi[:done], rs.Offset[:done])
	return done
}

// float16Blocks ends before a block with a NaN, because the instruction makes other NaNs than numpy.
func float16Blocks(out, raw []byte, t *tally) (done int) {
	done = len(raw) / 4 / narrowBlock * narrowBlock
	return float16AVX2(out[:2*done], raw[:4*done], (*[14][8]uint32)(t))
}

func bfloat16Blocks(out, raw []byte, t *tally) (done int) {
	done = len(raw) / 4 / narrowBlock * narrowBlock
	bfloat16AVX2(out[:2*done], raw[:4*done], (*[14][8]uint32)(t))
	return done
}

func countBlocks(raw []byte, t *tally) (done int) {
	done = len(raw) / 4 / narrowBlock * narrowBlock
	countAVX2(raw[:4*done], (*[14][8]uint32)(t))
	return done
}
