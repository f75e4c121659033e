// Package flatbuffer reads FlatBuffers that nobody has verified, from files of any size,
// and holds none of their vectors in memory.
//
// Every offset is checked against the file before it is followed. What was read is
// charged: together the parts of a file may not be larger than the file, so that vectors
// whose elements all lead to one place, and parts that lie in each other, end early. A
// reader follows a schema of fixed depth, so there are no loops to fall into.
//
// The first error stays (Buffer.Err); what is read after it is zero.
package flatbuffer
