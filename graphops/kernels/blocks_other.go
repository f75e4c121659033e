//go:build !amd64

package kernels

// On other processors, the portable versions handle everything.

const (
	enabled     = false
	narrowBlock = 1
)

func extremesBlocks(_ []byte, most int32, least uint32) (int, int32, uint32) { return 0, most, least }
func extremesEachBlocks([]int32, []uint32, []byte) (int, uint32)             { return 0, 0 }
func codesBlocks(_, _ []byte, _ Rounder) int                                 { return 0 }
func codesEachBlocks(_, _ []byte, _ Rounders) int                            { return 0 }
func float16Blocks(_, _ []byte, _ *tally) int                                { return 0 }
func bfloat16Blocks(_, _ []byte, _ *tally) int                               { return 0 }
func countBlocks([]byte, *tally) int                                         { return 0 }
