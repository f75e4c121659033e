// Package flatbuffer reads unverified FlatBuffers from files of any size, without holding their
// vectors in memory.
//
// Each offset is checked against the size of the file before it is followed. Bytes that are read
// are counted, and the parts of a file may not be larger in total than the file. A file whose
// vectors have all elements at the same position, or whose parts overlap, therefore ends in an
// error soon. Readers follow a schema of fixed depth, so that there are no loops.
//
// After the first error (Buffer.Err), everything that is read is zero.
package flatbuffer
