// Package flatbuffer reads unverified FlatBuffers from files of any size, without holding their
// vectors in memory.
//
// Each offset is checked against the size of the file before it is followed. All bytes that are
// read are counted, and the sum may not exceed the size of the file. Reading a file whose parts
// overlap, for example because all elements of a vector are at the same position, therefore soon
// ends with an error. There are no endless loops, because callers follow a schema of fixed depth.
//
// After the first error (Buffer.Err), everything that is read is zero.
package flatbuffer
